"""The values of answers, what a form posts, how two values compare, and the error of an answer that can't be read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict

# As typed: one control, several choices, or the parts of one answer. JSON-able, so a draft keeps it as it is.
Raw = str | list[str] | dict[str, str]


class PostData(Protocol):
    """What a form post must offer; Django's QueryDict does."""

    def get(self, name: str, /) -> Any: ...

    def getlist(self, name: str, /) -> list[Any]: ...


class Address(BaseModel):
    """A postal address (supplement, "Values")."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    street1: str
    street2: str = ""
    city: str
    region: str = ""
    postcode: str = ""
    country: str


class Money(BaseModel):
    """An amount with its currency (interface, "Field value formats"). Held as a decimal."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    amount: Decimal
    currency: str


Value = str | bool | int | Decimal | date | tuple[str, ...] | Address | Money


def equals(value: Any, wanted: Any) -> bool:
    """Whether an answer equals a rule's value: typed (true is not "true", 2 equals 2.0), lists as sets."""
    if isinstance(value, bool) or isinstance(wanted, bool):
        return isinstance(value, bool) and isinstance(wanted, bool) and value == wanted
    if _is_number(value) and _is_number(wanted):
        return Decimal(str(value)) == Decimal(str(wanted))
    if _is_list(value) and _is_list(wanted):
        return _contains_all(value, wanted) and _contains_all(wanted, value)
    if isinstance(value, date):
        return bool(value.isoformat() == wanted)
    if isinstance(value, BaseModel):
        parts = value.model_dump(exclude_defaults=True)
        return (
            isinstance(wanted, Mapping)
            and parts.keys() == wanted.keys()
            and all(equals(part, wanted[name]) for name, part in parts.items())
        )
    return isinstance(value, str) and isinstance(wanted, str) and value == wanted


def includes_any(value: Any, wanted: Any) -> bool:
    """Whether a list shares a member with the rule's list, or a single value is one of its members."""
    if not _is_list(wanted):
        wanted = [wanted]
    held = value if _is_list(value) else [value]
    return any(equals(one, other) for one in held for other in wanted)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _contains_all(some: Sequence[Any], others: Sequence[Any]) -> bool:
    return all(any(equals(one, other) for other in others) for one in some)


class AnswerError(Exception):
    """An answer that cannot be read. The code is stable; the message says how to put it right."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True, slots=True)
class Problem:
    """One refused answer: the field's name, a stable code, and a sentence for the person."""

    field: str
    code: str
    message: str
