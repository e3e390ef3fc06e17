"""The bounds that a schema sets for the values of a field (INTERFACE.md, "Optional members", "Bounds").

A value outside its bounds can be read but cannot be true: it is saved as typed, counts as no value for rules, is not
sent, and prevents submission. Bounds that the schema does not state follow from the canonical name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ..localisation import gettext
from .values import Money

if TYPE_CHECKING:
    from .base import FieldSpec

# The members of a field that state a bound.
MEMBERS = ("minimum", "maximum", "integer", "decimals", "minimum_age", "maximum_age", "max_length")
# A share may cost as little as 0.00001.
UNIT_PRICE_DECIMALS = 12


@dataclass(frozen=True, slots=True)
class Days:
    """The first and the last calendar date on earth at a moment, at UTC−12 and UTC+14."""

    first: date
    last: date

    @classmethod
    def at(cls, moment: datetime) -> Days:
        utc = moment.astimezone(UTC)
        return cls((utc - timedelta(hours=12)).date(), (utc + timedelta(hours=14)).date())

    @classmethod
    def on(cls, day: date) -> Days:
        return cls(day, day)


@dataclass(frozen=True, slots=True)
class Objection:
    """A value outside a bound: a stable code, a sentence that states the bound, and how far outside the value lies."""

    code: str
    message: str
    distance: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds of a field's values. This base class has none; field types have subclasses."""

    members: ClassVar[tuple[str, ...]] = ()

    # The members that the schema states; the others follow from the canonical name.
    stated: frozenset[str] = frozenset()
    # The members that the schema states, but that do not fit the type or each other.
    rejected: tuple[str, ...] = ()
    # The most decimals of a number or an amount; None without a limit. A value with more can't be read.
    decimals: int | None = None

    @classmethod
    def read(cls, data: Mapping[str, Any], *, canonical_field: str | None, currencies: tuple[str, ...]) -> Self:
        """Return the bounds that a field's JSON states, with the defaults of its canonical name."""
        values = {}
        for member in cls.members:
            value = cls._read_member(member, data.get(member), currencies)
            if value is not None:
                values[member] = value
        for least, most in (("minimum", "maximum"), ("minimum_age", "maximum_age")):
            if least in values and most in values and cls._are_crossed(values[least], values[most]):
                del values[least], values[most]
        rejected = tuple(name for name in MEMBERS if data.get(name) is not None and name not in values)
        defaults = cls._defaults((canonical_field or "").rpartition(".")[2])
        return cls(**{**defaults, **values}, stated=frozenset(values), rejected=rejected)

    @classmethod
    def _read_member(cls, member: str, value: Any, currencies: tuple[str, ...]) -> Any:
        """Return the value of a member, or None if it is missing or does not fit."""
        return None

    @classmethod
    def _are_crossed(cls, least: Any, most: Any) -> bool:
        return bool(least > most)

    @classmethod
    def _defaults(cls, property_name: str) -> dict[str, Any]:
        """Return the bounds that follow from the last part of a canonical name."""
        return {}

    def objection(self, value: Any, spec: FieldSpec, days: Days | None) -> Objection | None:
        """Return the most serious objection to the value, or None. Without `days`, nothing is compared with today."""
        objections = self._objections(value, spec, days)
        return max(objections, key=lambda objection: objection.distance, default=None)

    def advice(self, value: Any, days: Days | None) -> str:
        """Return advice on a value within its bounds that looks doubtful; "" for most (INTERFACE.md, "Advice")."""
        return ""

    def _objections(self, value: Any, spec: FieldSpec, days: Days | None) -> Iterator[Objection]:
        yield from ()

    def _sentence(self, member: str, spec: FieldSpec, generic: str) -> str:
        """Return the schema's own reason for a bound that it states, else the generic sentence."""
        if member in self.stated and spec.bound_message:
            return spec.bound_message
        return generic

    def _range_objections(
        self, number: Decimal, spec: FieldSpec, least: Decimal | None, most: Decimal | None, currency: str = ""
    ) -> Iterator[Objection]:
        """Yield the objection to a number outside a range. With `currency`, the numbers are amounts of money."""
        if least is not None and number < least:
            sentence = self._sentence("minimum", spec, _range_sentence(spec, least, most, currency))
            yield Objection("too_small", sentence, least - number)
        if most is not None and number > most:
            sentence = self._sentence("maximum", spec, _range_sentence(spec, least, most, currency))
            yield Objection("too_large", sentence, number - most)


NO_BOUNDS = Bounds()


def is_percentage(name: str) -> bool:
    return name.endswith(("percentage", "percent"))


def read_number(value: Any) -> Decimal | None:
    """Return a schema's bound as a number, or None if it is not a number."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    number = Decimal(str(value))
    return number if number.is_finite() else None


def _range_sentence(spec: FieldSpec, least: Decimal | None, most: Decimal | None, currency: str) -> str:
    values = {"label": spec.label}
    for name, bound in (("least", least), ("most", most)):
        if bound is not None:
            values[name] = spec.display(Money(amount=bound, currency=currency) if currency else bound)
    if least is not None and most is not None:
        return gettext("“{label}” must be from {least} to {most}", **values)
    if least is not None:
        return gettext("“{label}” must be {least} or more", **values)
    return gettext("“{label}” must be {most} or less", **values)
