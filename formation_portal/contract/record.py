"""The content of an application as clean values, read from typed answers, on which rules are evaluated."""

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from .fields.base import FieldSpec
from .fields.bounds import Days
from .fields.values import AnswerError, Problem


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers of the entity, a party or a share class, by field name: values if readable, else problems."""

    values: Mapping[str, Any] = field(default_factory=dict)
    problems: Mapping[str, Problem] = field(default_factory=dict)


class UnreadAnswers(Answers):
    """Answers that are read on first use, so that a page about one party validates no other party."""

    __slots__ = ("_read",)

    def __init__(self, read: Callable[[], Answers]) -> None:
        object.__setattr__(self, "_read", read)

    def __getattr__(self, name: str) -> Any:
        # Called only while the two slots are empty.
        if name not in ("values", "problems"):
            raise AttributeError(name)
        answers = self._read()
        object.__setattr__(self, "values", answers.values)
        object.__setattr__(self, "problems", answers.problems)
        return getattr(answers, name)


def validate(fields: Iterable[FieldSpec], raw: Mapping[str, Any]) -> Answers:
    """Read every field's raw answer. Answers that the agent provides are not read."""
    values: dict[str, Any] = {}
    problems: dict[str, Problem] = {}
    for spec in fields:
        name = spec.name
        if spec.provided_by_agent or name not in raw or name in values:
            continue
        try:
            value = spec.clean(raw[name])
        except AnswerError as error:
            problems[name] = Problem(name, error.code, error.message)
            continue
        if value is not None:
            values[name] = value
    return Answers(values, problems)


# The most parties that an application can have (INTERFACE.md, "Parties").
MAX_PARTIES = 200


@dataclass(frozen=True, slots=True)
class Party:
    """A person, company or foundation with its roles. The id is the caller's own; the label is for messages."""

    id: str
    kind: str
    roles: tuple[str, ...]
    answers: Answers = field(default_factory=Answers)
    label: str = ""


@dataclass(frozen=True, slots=True)
class ShareClass:
    id: str
    answers: Answers = field(default_factory=Answers)
    label: str = ""


@dataclass(frozen=True, slots=True)
class Holding:
    party_id: str
    share_class_id: str
    shares: int


Holder = Party | ShareClass | None


def holder_id(holder: Holder) -> str | None:
    """Return the id of a party or share class; None for the entity."""
    return None if holder is None else holder.id


@dataclass(frozen=True, slots=True)
class Record:
    """The content of an application. A document is a pair: a party's id (None: the entity) and the slot's name."""

    answers: Answers = field(default_factory=Answers)
    parties: tuple[Party, ...] = ()
    share_classes: tuple[ShareClass, ...] = ()
    holdings: tuple[Holding, ...] = ()
    documents: Set[tuple[str | None, str]] = frozenset()
    days: Days | None = None

    def with_answers(self, holder: Holder, answers: Answers) -> tuple["Record", Holder]:
        """Return a copy in which the holder has these answers, and the holder's own copy in it."""
        if holder is None:
            return replace(self, answers=answers), None
        if isinstance(holder, Party):
            party = replace(holder, answers=answers)
            return replace(self, parties=_with_member(self.parties, party)), party
        share_class = replace(holder, answers=answers)
        return replace(self, share_classes=_with_member(self.share_classes, share_class)), share_class


Member = TypeVar("Member", Party, ShareClass)


def _with_member(members: tuple[Member, ...], changed: Member) -> tuple[Member, ...]:
    return tuple(changed if member.id == changed.id else member for member in members)
