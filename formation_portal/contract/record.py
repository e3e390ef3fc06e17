"""What one application says, as clean values: the second argument of every rule."""

from dataclasses import dataclass, field

from .validation import Answers


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
    documents: frozenset[tuple[str | None, str]] = frozenset()
