"""The field types whose answer has parts: a date, an address, an amount of money (interface, "Field")."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any, ClassVar, Literal

from ..localisation import format_number, gettext, gettext_noop, long_date
from . import number_format, parsing, spreadsheet
from .base import Choice, FieldSpec
from .iso_codes import (
    COUNTRIES,
    CURRENCIES_IN_USE,
    by_country_name,
    country_name,
    currency_name,
    is_currency,
    minor_units,
)
from .values import Address, AnswerError, Money, Raw

# Decimals of which thousands are made where the mark is read the other way.
_THOUSANDS_DECIMALS = 3


class DateField(FieldSpec):
    """A calendar date, typed as day, month and year; sent as YYYY-MM-DD. Example: "1985-03-27" (interface)."""

    template: ClassVar[str] = "date"
    parts: ClassVar[tuple[str, ...]] = ("day", "month", "year")
    cell_hint: ClassVar[str] = gettext_noop("A date, like 27 March 1985 or 1985-03-27.")
    field_type: Literal["date"] = "date"

    def _parse(self, raw: Any) -> date:
        return parsing.calendar_date(raw, label=self.label)

    def from_cells(self, texts: Mapping[str, str]) -> Raw:
        return spreadsheet.date_parts(texts.get("", ""), label=self.label)

    def payload(self, value: Any) -> str:
        return str(value.isoformat())

    def display(self, value: Any) -> str:
        return long_date(value)


class AddressField(FieldSpec):
    """A postal address: street1, street2, city, region, postcode, country (ISO 3166-1 alpha-2).

    Example: {"street1": "1 Main St", "city": "Zug", "postcode": "6300", "country": "CH"} (supplement, "Values").
    """

    template: ClassVar[str] = "address"
    parts: ClassVar[tuple[str, ...]] = ("street1", "street2", "city", "region", "postcode", "country")
    optional_parts: ClassVar[frozenset[str]] = frozenset({"street2", "region", "postcode"})
    field_type: Literal["address"] = "address"

    def _parse(self, raw: Any) -> Address:
        return parsing.address(raw, label=self.label)

    @property
    def cell_parts(self) -> tuple[str, ...]:
        return self.parts

    def cell_choices(self, part: str = "") -> tuple[Choice, ...]:
        in_order = by_country_name(COUNTRIES) if part == "country" else ()
        return tuple(Choice(code, country_name(code)) for code in in_order)

    @property
    def listing(self) -> str:
        return "countries"

    def codes_of(self, value: Any) -> tuple[str, ...]:
        return (value.country,)

    def from_cells(self, texts: Mapping[str, str]) -> Raw:
        return spreadsheet.parts_of(texts, "country", spreadsheet.countries())

    def payload(self, value: Any) -> dict[str, str]:
        return {part: text for part in self.parts if (text := getattr(value, part))}

    def display(self, value: Any) -> str:
        town = " ".join(text for text in (value.city, value.postcode) if text)
        lines = (value.street1, value.street2, town, value.region, country_name(value.country))
        return ", ".join(text for text in lines if text)


class CurrencyAmountField(FieldSpec):
    """An amount with its currency, both required; a single allowed currency is fixed (interface).

    Example: {"amount": 50000, "currency": "USD"}. Zero or more, at most the currency's minor units.
    """

    template: ClassVar[str] = "currency_amount"
    parts: ClassVar[tuple[str, ...]] = ("amount", "currency")
    field_type: Literal["currency_amount"] = "currency_amount"

    @property
    def fixed_currency(self) -> str:
        """The one allowed currency, or nothing where there is a choice."""
        return self.allowed_currencies[0] if len(self.allowed_currencies) == 1 else ""

    def normalised(self, text: str, part: str = "") -> str:
        return number_format.normalised(text) if part == "amount" else text.strip().upper()

    def localised(self, raw: Any) -> Any:
        if not isinstance(raw, Mapping) or not isinstance(raw.get("amount"), str):
            return raw
        return {**raw, "amount": number_format.localised(raw["amount"])}

    def ambiguity_note(self, raw: Any) -> str:
        if not isinstance(raw, Mapping) or not isinstance(raw.get("amount"), str):
            return ""
        currency = str(raw.get("currency") or self.fixed_currency)
        # Where there are no three decimals the one reading is refused, and nobody means the other.
        return (
            number_format.ambiguity_note(raw["amount"])
            if is_currency(currency) and minor_units(currency) >= _THOUSANDS_DECIMALS
            else ""
        )

    def clean(self, raw: Any) -> Money | None:
        # A chosen currency alone is no answer: it may be the one that the control showed first.
        if isinstance(raw, Mapping) and parsing.is_blank(raw.get("amount")):
            return None
        return None if parsing.is_blank(raw) else self._parse(raw)

    def _parse(self, raw: Any) -> Money:
        amount, currency = parsing.money(raw, label=self.label, default_currency=self.fixed_currency)
        if self.allowed_currencies and currency not in self.allowed_currencies:
            allowed = ", ".join(self.allowed_currencies)
            text = gettext("Choose the currency of “{label}” from {currencies}", label=self.label, currencies=allowed)
            raise AnswerError("currency_not_allowed", text)
        self._check_decimals(amount, raw["amount"], currency)
        return Money(amount=amount, currency=currency)

    def _check_decimals(self, amount: Decimal, typed: Any, currency: str) -> None:
        """More of them than the currency has; and three, even noughts, since those are thousands to some."""
        places = minor_units(currency)
        if places < _THOUSANDS_DECIMALS and number_format.has_point_and_three(typed):
            text = gettext("Enter “{label}” in digits only, like 10000, or with fewer decimals", label=self.label)
            raise AnswerError("ambiguous", text)
        if -amount.as_tuple().exponent > places:  # type: ignore[operator]  # finite by now
            raise AnswerError(
                "too_precise",
                gettext(
                    "Enter “{label}” with at most {places} decimals in {currency}",
                    label=self.label,
                    places=places,
                    currency=currency,
                ),
            )

    @property
    def cell_parts(self) -> tuple[str, ...]:
        return ("amount",) if self.fixed_currency else self.parts

    def cell_choices(self, part: str = "") -> tuple[Choice, ...]:
        return tuple(Choice(code, code) for code in self._offered_currencies) if part == "currency" else ()

    def from_cells(self, texts: Mapping[str, str]) -> Raw:
        filled = spreadsheet.parts_of(texts, "currency", self.cell_words)
        return filled | {"currency": self.fixed_currency} if filled and self.fixed_currency else filled

    def payload(self, value: Any) -> dict[str, Any]:
        whole = value.amount == value.amount.to_integral_value()
        return {"amount": int(value.amount) if whole else float(value.amount), "currency": value.currency}

    def display(self, value: Any) -> str:
        return f"{value.currency}\u00a0{format_number(value.amount)}"

    def choices(self) -> tuple[Choice, ...]:
        return tuple(Choice(code, f"{code} – {currency_name(code)}") for code in self._offered_currencies)

    @property
    def _offered_currencies(self) -> tuple[str, ...]:
        """The currencies to choose from: those that the schema allows, else all that are in use."""
        return self.allowed_currencies or CURRENCIES_IN_USE

    @property
    def listing(self) -> str:
        return "currencies"

    def codes_of(self, value: Any) -> tuple[str, ...]:
        return (value.currency,)
