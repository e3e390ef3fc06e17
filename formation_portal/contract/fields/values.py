"""The values of answers, what a form posts, how two values compare, and the error of an answer that can't be read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from decimal import MAX_PREC, Context, Decimal
from typing import Any, Protocol

# As typed: one control, several choices, or the parts of one answer. JSON-able, so a draft keeps it as it is.
Raw = str | list[str] | dict[str, str]


class PostData(Protocol):
    """What a form post must offer; Django's QueryDict does."""

    def get(self, name: str, /) -> Any: ...

    def getlist(self, name: str, /) -> list[Any]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A postal address (supplement, "Values")."""

    street1: str
    street2: str = ""
    city: str
    region: str = ""
    postcode: str = ""
    country: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Money:
    """An amount with its currency (interface, "Field value formats"). Held as a decimal."""

    amount: Decimal
    currency: str


Value = str | bool | int | Decimal | date | tuple[str, ...] | Address | Money


def decimals_of(number: int | Decimal) -> int:
    """Count the decimals of a number, trailing zeros left out."""
    exponent = Decimal(number).normalize(Context(prec=MAX_PREC)).as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


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
    if isinstance(value, Address | Money):
        held = ((one, getattr(value, one.name)) for one in fields(value))
        parts = {one.name: part for one, part in held if part != one.default}
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

    @property
    def is_incomplete(self) -> bool:
        """Report that parts of the answer are merely missing, and none is wrong."""
        return self.code.startswith("incomplete")
