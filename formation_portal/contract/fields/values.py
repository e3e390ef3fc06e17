"""The values of answers, the data of a form post, the comparison of values, and the error of an unreadable answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from decimal import MAX_PREC, Context, Decimal
from typing import Any, Protocol

# An answer as typed: a text, several choices, or texts by part. A draft stores it unchanged, as JSON.
Raw = str | list[str] | dict[str, str]


class PostData(Protocol):
    """The methods of Django's QueryDict that read a form post."""

    def get(self, name: str, /) -> Any: ...

    def getlist(self, name: str, /) -> list[Any]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A postal address (INTERFACE.md, "Values")."""

    street1: str
    street2: str = ""
    city: str
    region: str = ""
    postcode: str = ""
    country: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Money:
    """A decimal amount with its currency (INTERFACE.md, "Values")."""

    amount: Decimal
    currency: str


def decimals_of(number: int | Decimal) -> int:
    """Count the decimals of a number, trailing zeros left out."""
    exponent = Decimal(number).normalize(Context(prec=MAX_PREC)).as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def equals(value: Any, rule_value: Any) -> bool:
    """Tell whether an answer equals a rule's value: true is not "true", 2 equals 2.0, lists compare as sets."""
    if isinstance(value, bool) or isinstance(rule_value, bool):
        return value is rule_value
    if _is_number(value) and _is_number(rule_value):
        return Decimal(str(value)) == Decimal(str(rule_value))
    if _is_list(value) and _is_list(rule_value):
        are_in_rule = all(includes_any([member], rule_value) for member in value)
        return are_in_rule and all(includes_any([member], value) for member in rule_value)
    if isinstance(value, date):
        return bool(value.isoformat() == rule_value)
    if isinstance(value, Address | Money):
        parts = {}
        for part in fields(value):
            if getattr(value, part.name) != part.default:
                parts[part.name] = getattr(value, part.name)
        if not isinstance(rule_value, Mapping) or parts.keys() != rule_value.keys():
            return False
        return all(equals(part, rule_value[name]) for name, part in parts.items())
    return isinstance(value, str) and isinstance(rule_value, str) and value == rule_value


def includes_any(value: Any, rule_value: Any) -> bool:
    """Tell whether a list shares a member with the rule's list, or a single value is in that list."""
    for member in members_of(value):
        if any(equals(member, rule_member) for rule_member in members_of(rule_value)):
            return True
    return False


def members_of(value: Any) -> Sequence[Any]:
    """Return the members of a list, or a single value as the only member."""
    return value if _is_list(value) else (value,)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


class AnswerError(Exception):
    """An answer that cannot be read. The code is stable; the message says how to correct it."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True, slots=True)
class Problem:
    """The problem with an answer: the field's name, a stable code, and a sentence for the person."""

    field: str
    code: str
    message: str

    @property
    def is_incomplete(self) -> bool:
        """Tell whether parts of the answer are missing and none is wrong."""
        return self.code.startswith("incomplete")
