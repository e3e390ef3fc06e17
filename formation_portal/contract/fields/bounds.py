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

from ..conditions import count_of
from ..localisation import gettext, long_date, ngettext
from .iso_codes import is_currency
from .parsing import DIGITS_LIMIT
from .values import Money

if TYPE_CHECKING:
    from .base import FieldSpec

# The members of a field that state a bound.
MEMBERS = ("minimum", "maximum", "integer", "decimals", "minimum_age", "maximum_age", "max_length")
TODAY = "today"
# The highest age of a person, if a schema states none.
_OLDEST = 119
_DAYS_A_YEAR = 365
_ADULT = 18
# A share may cost as little as 0.00001.
_UNIT_PRICE_DECIMALS = 12


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
    """The bounds of a field's values. This base class has none."""

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


@dataclass(frozen=True, slots=True)
class NumberBounds(Bounds):
    members: ClassVar[tuple[str, ...]] = ("minimum", "maximum", "integer")

    minimum: Decimal | None = None
    maximum: Decimal | None = None
    integer: bool = False

    @classmethod
    def _read_member(cls, member: str, value: Any, currencies: tuple[str, ...]) -> Any:
        if member != "integer":
            return _number(value)
        return value if isinstance(value, bool) else None

    @classmethod
    def _defaults(cls, property_name: str) -> dict[str, Any]:
        if property_name in ("number_of_shares", "shares_held", "maximum_shares"):
            return {"minimum": Decimal(1), "integer": True}
        if is_percentage(property_name):
            return {"minimum": Decimal(0), "maximum": Decimal(100)}
        if property_name == "par_value":
            return {"minimum": Decimal(0), "decimals": _UNIT_PRICE_DECIMALS}
        return {}

    def _objections(self, value: Any, spec: FieldSpec, days: Days | None) -> Iterator[Objection]:
        number = Decimal(value)
        if self.integer and number % 1:
            yield Objection("not_whole", gettext("“{label}” must be a whole number", label=spec.label))
        yield from self._range_objections(number, spec, self.minimum, self.maximum)


@dataclass(frozen=True, slots=True)
class AmountBounds(Bounds):
    """Inclusive bounds of an amount of money, by currency. A currency not named has no bounds."""

    members: ClassVar[tuple[str, ...]] = ("minimum", "maximum", "decimals")

    minimum: tuple[tuple[str, Decimal], ...] = ()
    maximum: tuple[tuple[str, Decimal], ...] = ()

    @classmethod
    def _read_member(cls, member: str, value: Any, currencies: tuple[str, ...]) -> Any:
        if member == "decimals":
            count = count_of(value)
            return count if count is not None and count <= DIGITS_LIMIT else None
        if not isinstance(value, Mapping):
            value = dict.fromkeys(currencies, value) if len(currencies) == 1 else {}
        amounts = {currency: _number(amount) for currency, amount in value.items()}
        is_readable = all(is_currency(currency) and amount is not None for currency, amount in amounts.items())
        return tuple(amounts.items()) if amounts and is_readable else None

    @classmethod
    def _are_crossed(cls, least: Any, most: Any) -> bool:
        highest = dict(most)
        return any(amount > highest.get(currency, amount) for currency, amount in least)

    @classmethod
    def _defaults(cls, property_name: str) -> dict[str, Any]:
        return {"decimals": _UNIT_PRICE_DECIMALS} if property_name == "par_value" else {}

    def _objections(self, value: Money, spec: FieldSpec, days: Days | None) -> Iterator[Objection]:
        minimum = dict(self.minimum).get(value.currency)
        maximum = dict(self.maximum).get(value.currency)
        yield from self._range_objections(value.amount, spec, minimum, maximum, value.currency)


@dataclass(frozen=True, slots=True)
class DateBounds(Bounds):
    """Inclusive bounds of a date and of the age of a person born then; `today` is taken in the person's favour."""

    members: ClassVar[tuple[str, ...]] = ("minimum", "maximum", "minimum_age", "maximum_age")

    minimum: date | str | None = None
    maximum: date | str | None = None
    minimum_age: int | None = None
    maximum_age: int | None = None
    is_birth: bool = False

    @classmethod
    def _read_member(cls, member: str, value: Any, currencies: tuple[str, ...]) -> Any:
        if member.endswith("_age"):
            return count_of(value)
        if value == TODAY:
            return TODAY
        try:
            return date.fromisoformat(value)
        except (TypeError, ValueError):
            return None

    @classmethod
    def _are_crossed(cls, least: Any, most: Any) -> bool:
        return TODAY not in (least, most) and bool(least > most)

    @classmethod
    def _defaults(cls, property_name: str) -> dict[str, Any]:
        if property_name == "date_of_birth":
            return {"maximum_age": _OLDEST, "is_birth": True}
        if property_name == "date_of_incorporation":
            return {"maximum": TODAY}
        return {}

    def _objections(self, value: date, spec: FieldSpec, days: Days | None) -> Iterator[Objection]:
        earliest = self.minimum
        latest = self.maximum
        if days is not None and earliest == TODAY:
            earliest = days.first
        if days is not None and latest == TODAY:
            latest = days.last
        if isinstance(earliest, date) and value < earliest:
            generic = gettext("“{label}” must be {date} or later", label=spec.label, date=long_date(earliest))
            if self.minimum == TODAY:
                generic = gettext("“{label}” must not be in the past", label=spec.label)
            yield Objection("too_early", self._sentence("minimum", spec, generic), Decimal((earliest - value).days))
        if isinstance(latest, date) and value > latest:
            generic = gettext("“{label}” must be {date} or earlier", label=spec.label, date=long_date(latest))
            if self.maximum == TODAY:
                generic = gettext("“{label}” must not be in the future", label=spec.label)
            yield Objection("too_late", self._sentence("maximum", spec, generic), Decimal((value - latest).days))
        if days is not None and self.is_birth and value >= days.last:
            # There is no age before birth, so no bound of an age is judged.
            sentence = gettext("“{label}” must be in the past", label=spec.label)
            yield Objection("not_past", sentence, Decimal("Infinity"))
        elif days is not None:
            yield from self._age_objections(value, spec, days)

    def advice(self, value: date, days: Days | None) -> str:
        if not self.is_birth or days is None or value >= days.last:
            return ""
        age = age_on(days.last, born=value)
        if age >= _ADULT:
            return ""
        return _with_age(gettext("This person is under 18"), value, age)

    def _age_objections(self, value: date, spec: FieldSpec, days: Days) -> Iterator[Objection]:
        highest = age_on(days.last, born=value)
        lowest = age_on(days.first, born=value)
        if self.minimum_age is not None and highest < self.minimum_age:
            generic = gettext("This person must be {age} or older", age=self.minimum_age)
            sentence = _with_age(self._sentence("minimum_age", spec, generic), value, highest)
            yield Objection("too_young", sentence, Decimal((self.minimum_age - highest) * _DAYS_A_YEAR))
        if self.maximum_age is not None and lowest > self.maximum_age:
            generic = gettext("This person must be {age} or younger", age=self.maximum_age)
            sentence = _with_age(self._sentence("maximum_age", spec, generic), value, lowest)
            yield Objection("too_old", sentence, Decimal((lowest - self.maximum_age) * _DAYS_A_YEAR))


@dataclass(frozen=True, slots=True)
class TextBounds(Bounds):
    members: ClassVar[tuple[str, ...]] = ("max_length",)

    max_length: int | None = None

    @classmethod
    def _read_member(cls, member: str, value: Any, currencies: tuple[str, ...]) -> Any:
        return count_of(value) or None

    def _objections(self, value: str, spec: FieldSpec, days: Days | None) -> Iterator[Objection]:
        if self.max_length is not None and len(value) > self.max_length:
            counts = {"label": spec.label, "limit": self.max_length, "length": len(value)}
            generic = gettext("Shorten “{label}” to {limit} characters or fewer. It has {length}", **counts)
            excess = Decimal(len(value) - self.max_length)
            yield Objection("too_long", self._sentence("max_length", spec, generic), excess)


@dataclass(frozen=True, slots=True)
class ChoiceBounds(Bounds):
    members: ClassVar[tuple[str, ...]] = ("maximum",)

    maximum: int | None = None

    @classmethod
    def _read_member(cls, member: str, value: Any, currencies: tuple[str, ...]) -> Any:
        return count_of(value) or None

    def _objections(self, value: tuple[str, ...], spec: FieldSpec, days: Days | None) -> Iterator[Objection]:
        if self.maximum is not None and len(value) > self.maximum:
            generic = ngettext(
                "Choose at most {count} answer to “{label}”",
                "Choose at most {count} answers to “{label}”",
                self.maximum,
                label=spec.label,
            )
            excess = Decimal(len(value) - self.maximum)
            yield Objection("too_many_options", self._sentence("maximum", spec, generic), excess)


NO_BOUNDS = Bounds()


def is_percentage(name: str) -> bool:
    return name.endswith(("percentage", "percent"))


def age_on(day: date, *, born: date) -> int:
    return day.year - born.year - ((day.month, day.day) < (born.month, born.day))


def _number(value: Any) -> Decimal | None:
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


def _with_age(reason: str, born: date, age: int) -> str:
    reason = reason.rstrip(".")
    return gettext("{reason}. {date} makes this person {age}", reason=reason, date=long_date(born), age=age)
