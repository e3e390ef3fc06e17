"""What one application says, as clean values read from what was typed: the second argument of every rule."""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import compress, filterfalse
from operator import is_not, ne
from typing import Any

from . import canonical
from .fields.base import FieldSpec
from .fields.values import AnswerError, Problem


@dataclass(frozen=True, slots=True)
class Answers:
    """One holder's answers by field name: values where readable, problems where not. Unanswered names are absent."""

    values: Mapping[str, Any] = field(default_factory=dict)
    problems: Mapping[str, Problem] = field(default_factory=dict)


class UnreadAnswers(Answers):
    """Answers that are read when somebody asks for them first: who looks at one party validates no other."""

    __slots__ = ("_read",)

    def __init__(self, read: Callable[[], Answers]) -> None:
        object.__setattr__(self, "_read", read)

    def __getattr__(self, name: str) -> Any:
        # Called only while the two are not there yet.
        if name not in ("values", "problems"):
            raise AttributeError(name)
        found = self._read()
        object.__setattr__(self, "values", found.values)
        object.__setattr__(self, "problems", found.problems)
        return getattr(found, name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Answers):
            return NotImplemented
        return (self.values, self.problems) == (other.values, other.problems)

    __hash__ = None  # type: ignore[assignment]


def names_changed(
    before: Mapping[str, Any], now: Mapping[str, Any], *, are_other: Callable[[Any, Any], bool] = ne
) -> set[str]:
    """The names of which two mappings hold other things; None is as good as nothing."""
    # C functions throughout: an update of a long form compares a thousand answers, and one of them has changed.
    there = compress(now, map(are_other, now.values(), map(before.get, now)))
    gone = (name for name in filterfalse(now.__contains__, before) if before[name] is not None)
    return {*there, *gone}


def validate(fields: Iterable[FieldSpec], raw: Mapping[str, Any], *, today: date) -> Answers:
    """Read every field's raw answer. What the agent provides is never read from anybody else."""
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
        if value is None:
            continue
        meaning = spec.canonical_field
        if meaning and (objection := canonical.problem_with(meaning, value, today=today)):
            problems[name] = Problem(name, *objection)
        else:
            values[name] = value
    return Answers(values, problems)


def validate_after(
    before: tuple[Mapping[str, Any], Answers],
    named: Mapping[str, Sequence[FieldSpec]],
    raw: Mapping[str, Any],
    *,
    today: date,
) -> Answers:
    """As `validate`, of fields by their names, where raw answers `before` are known with what they were read as.

    They were read on the same day in the same language: of those that are the same objects still nothing is read again.
    """
    raw_before, read = before
    names = names_changed(raw_before, raw, are_other=is_not)
    anew = validate([spec for name in names for spec in named.get(name, ())], raw, today=today)
    values, problems = dict(read.values), dict(read.problems)
    for name in names:
        values.pop(name, None)
        problems.pop(name, None)
    return Answers({**values, **anew.values}, {**problems, **anew.problems})


def holds_until(answers: Answers, *, today: date) -> date:
    """The day from which on the same answers may be judged otherwise: of all that is asked, a date of birth alone is
    held against the calendar."""
    if any(problem.code == canonical.NOT_PAST for problem in answers.problems.values()):
        return today + timedelta(days=1)
    named = (value for name, value in answers.values.items() if canonical.is_date_of_birth(name))
    years = [value.year + canonical.MAX_AGE for value in named if isinstance(value, date)]
    return date(min(years), 1, 1) if years else date.max


@dataclass(frozen=True, slots=True)
class Party:
    """A person, company or foundation with its roles. The id is the caller's own; the label is for words."""

    id: str
    kind: str
    roles: tuple[str, ...]
    answers: Answers = field(default_factory=Answers)
    label: str = ""


@dataclass(frozen=True, slots=True)
class ShareClass:
    """A class of shares with its answers."""

    id: str
    answers: Answers = field(default_factory=Answers)
    label: str = ""


@dataclass(frozen=True, slots=True)
class Holding:
    """How many shares of a class a party holds."""

    party_id: str
    share_class_id: str
    shares: int


Holder = Party | ShareClass | None


@dataclass(frozen=True, slots=True)
class Record:
    """Everything an application says. A document is its party's id (None: the entity's own) and its slot's name."""

    answers: Answers = field(default_factory=Answers)
    parties: tuple[Party, ...] = ()
    share_classes: tuple[ShareClass, ...] = ()
    holdings: tuple[Holding, ...] = ()
    documents: Set[tuple[str | None, str]] = frozenset()
