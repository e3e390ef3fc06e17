"""The field types with typed answers, the list of all types, and the parsing of fields (INTERFACE.md, "Field")."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Union

import phonenumbers
from pydantic import Discriminator, Tag, TypeAdapter

from .. import canonical
from ..localisation import format_number, gettext, gettext_noop, long_date
from . import parsing, spreadsheet
from .addresses import address_format
from .base import Choice, FieldSpec, Part
from .bounds import AmountBounds, Bounds, DateBounds, NumberBounds, TextBounds
from .choice import BooleanField, MultiSelectField, NationalityField, SelectField, ShareClassRefField
from .cleaning import clean_line
from .iso_codes import (
    COUNTRIES,
    CURRENCIES_IN_USE,
    by_country_name,
    country_name,
    currency_name,
    format_money,
    is_currency,
    minor_units,
)
from .values import Address, AnswerError, Money, Raw, decimals_of

# So many digits after a mark may be decimals or thousands.
_THOUSANDS_DECIMALS = 3


class TextField(FieldSpec):
    """A line of text. Example: "Larkfield Holdings". At most 500 characters, NFC (INTERFACE.md, "Values")."""

    bounds_type: ClassVar[type[Bounds]] = TextBounds
    field_type: Literal["text"] = "text"

    def _parse(self, raw: Any) -> str:
        if canonical.is_email(self.canonical_field):
            return parsing.email(raw, label=self.label)
        return parsing.line(raw, label=self.label)


class TextareaField(FieldSpec):
    """Several lines. Example: "Holds the shares of two companies.". At most 10,000 characters."""

    max_length: ClassVar[int] = parsing.LINES_LIMIT
    bounds_type: ClassVar[type[Bounds]] = TextBounds
    field_type: Literal["textarea"] = "textarea"

    def _parse(self, raw: Any) -> str:
        return parsing.lines(raw, label=self.label)

    def from_cells(self, texts: Mapping[str, str]) -> Raw:
        return texts.get("", "")


class NumberField(FieldSpec):
    """A number. Example: 10000, or 12.5. At most 15 digits, so that JSON carries it exactly."""

    cell_hint: ClassVar[str] = gettext_noop("A number in digits, like 10000 or 12.5.")
    is_number: ClassVar[bool] = True
    bounds_type: ClassVar[type[Bounds]] = NumberBounds
    field_type: Literal["number"] = "number"

    def normalised(self, text: str, part: str = "") -> str:
        return parsing.normalised_number(text)

    def localised(self, raw: Any) -> Any:
        return parsing.localised_number(raw) if isinstance(raw, str) else raw

    def ambiguity_note(self, raw: Any) -> str:
        return parsing.ambiguity_note(raw) if isinstance(raw, str) else ""

    def _parse(self, raw: Any) -> int | Decimal:
        number = parsing.number(raw, label=self.label)
        limit = self.bounds.decimals
        if limit is not None and decimals_of(number) > limit:
            message = gettext("Enter “{label}” with at most {places} decimals", label=self.label, places=limit)
            raise AnswerError("too_precise", message)
        return number

    def from_cells(self, texts: Mapping[str, str]) -> Raw:
        # A spreadsheet may show a quarter as 25%.
        return clean_line(texts.get("", "")).removesuffix("%").strip()

    def payload(self, value: Any) -> int | float:
        return value if isinstance(value, int) else float(value)

    def display(self, value: Any) -> str:
        return format_number(value)


class PhoneField(FieldSpec):
    """A telephone number in any notation with its country code; sent as E.164. Example: "+41417288000"."""

    cell_hint: ClassVar[str] = gettext_noop("Include the country code, like +41 41 728 80 00.")
    field_type: Literal["phone"] = "phone"

    def _parse(self, raw: Any) -> str:
        return parsing.phone(raw, label=self.label)

    def display(self, value: Any) -> str:
        number = phonenumbers.parse(value)
        return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.INTERNATIONAL).replace(" ", "\u00a0")


class DateField(FieldSpec):
    """A date, typed as day, month and year; sent as YYYY-MM-DD. Example: "1985-03-27" (INTERFACE.md, "Values")."""

    parts: ClassVar[Mapping[str, str]] = {
        "day": gettext_noop("Day"),
        "month": gettext_noop("Month"),
        "year": gettext_noop("Year"),
    }
    wrong_part: ClassVar[Mapping[str, str]] = {"not_a_year": "year"}
    cell_hint: ClassVar[str] = gettext_noop("A date, like 27 March 1985 or 1985-03-27.")
    bounds_type: ClassVar[type[Bounds]] = DateBounds
    field_type: Literal["date"] = "date"

    def _parse(self, raw: Any) -> date:
        return parsing.calendar_date(raw, label=self.label)

    @property
    def cell_parts(self) -> tuple[str, ...]:
        return ("",)

    def from_cells(self, texts: Mapping[str, str]) -> Raw:
        return spreadsheet.date_parts(texts.get("", ""), label=self.label)

    def payload(self, value: Any) -> str:
        return str(value.isoformat())

    def display(self, value: Any) -> str:
        return long_date(value)


class AddressField(FieldSpec):
    """A postal address (INTERFACE.md, "Values"). Example: {"street1": "1 Main St", "city": "Zug", "country": "CH"}."""

    parts: ClassVar[Mapping[str, str]] = {
        "street1": gettext_noop("Street and number"),
        "street2": gettext_noop("Second line"),
        "city": gettext_noop("Town or city"),
        "region": gettext_noop("Region"),
        "postcode": gettext_noop("Postcode"),
        "country": gettext_noop("Country"),
    }
    optional_parts: ClassVar[frozenset[str]] = frozenset({"street2", "region", "postcode"})
    chosen_parts: ClassVar[frozenset[str]] = frozenset({"country"})
    wrong_part: ClassVar[Mapping[str, str]] = {"not_a_country": "country"}
    listing: ClassVar[str] = "countries"
    field_type: Literal["address"] = "address"

    def parts_for(self, raw: Any) -> tuple[Part, ...]:
        """Return the parts in the format of the chosen country, and other parts that have text."""
        typed = raw if isinstance(raw, Mapping) else {}
        country_format = address_format(str(typed.get("country") or ""))
        parts = []
        for name in dict.fromkeys((*country_format.parts, *filter(typed.get, self.parts))):
            label = country_format.labels.get(name, self.parts[name])
            suggestions = country_format.regions if name == "region" else ()
            parts.append(Part(name, label, name not in country_format.required, suggestions))
        return tuple(parts)

    def ambiguity_note(self, raw: Any) -> str:
        """Return advice on a region or postcode that is missing or unusual in the country, or ""."""
        typed = raw if isinstance(raw, Mapping) else {}
        country_format = address_format(str(typed.get("country") or ""))
        for name in ("region", "postcode"):
            text = str(typed.get(name) or "")
            label = gettext(country_format.labels.get(name, self.parts[name]))
            if not text and name in country_format.required:
                return gettext("Check “{part}”. Addresses in this country usually have one.", part=label)
            if text and name == "postcode" and not country_format.is_postcode(text):
                example = country_format.postcode_example
                return gettext("Check “{part}”. In this country it looks like {example}.", part=label, example=example)
        return ""

    def _parse(self, raw: Any) -> Address:
        return parsing.address(raw, label=self.label)

    def cell_choices(self, part: str = "") -> tuple[Choice, ...]:
        if part != "country":
            return ()
        return tuple(Choice(code, country_name(code)) for code in by_country_name(COUNTRIES))

    def codes_of(self, value: Any) -> tuple[str, ...]:
        return (value.country,)

    def payload(self, value: Any) -> dict[str, str]:
        return {part: text for part in self.parts if (text := getattr(value, part))}

    def display(self, value: Any) -> str:
        parts = [part for part in address_format(value.country).parts if part in ("city", "postcode")]
        town = " ".join(filter(None, (getattr(value, part) for part in parts)))
        lines = (value.street1, value.street2, town, value.region, country_name(value.country))
        return ", ".join(filter(None, lines))


class CurrencyAmountField(FieldSpec):
    """An amount with its currency. Example: {"amount": 50000, "currency": "USD"} (INTERFACE.md, "Values")."""

    parts: ClassVar[Mapping[str, str]] = {"amount": gettext_noop("Amount"), "currency": gettext_noop("Currency")}
    chosen_parts: ClassVar[frozenset[str]] = frozenset({"currency"})
    wrong_part: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("not_a_number", "negative", "too_many_digits", "ambiguous", "too_precise"), "amount"),
        **dict.fromkeys(("currency_missing", "currency_not_allowed"), "currency"),
    }
    bounds_type: ClassVar[type[Bounds]] = AmountBounds
    listing: ClassVar[str] = "currencies"
    field_type: Literal["currency_amount"] = "currency_amount"

    @property
    def fixed_currency(self) -> str:
        """Return the only allowed currency, or "" if there is a choice."""
        return self.allowed_currencies[0] if len(self.allowed_currencies) == 1 else ""

    def _decimals(self, currency: str) -> int:
        """Return how many decimals an amount may have."""
        if self.bounds.decimals is not None:
            return self.bounds.decimals
        return minor_units(currency)

    def normalised(self, text: str, part: str = "") -> str:
        return parsing.normalised_number(text) if part == "amount" else text.strip().upper()

    def localised(self, raw: Any) -> Any:
        if not isinstance(raw, Mapping) or not isinstance(raw.get("amount"), str):
            return raw
        return {**raw, "amount": parsing.localised_number(raw["amount"])}

    def ambiguity_note(self, raw: Any) -> str:
        if not isinstance(raw, Mapping) or not isinstance(raw.get("amount"), str):
            return ""
        currency = str(raw.get("currency") or self.fixed_currency)
        # An amount with three decimals is refused if the currency has fewer.
        if not is_currency(currency) or self._decimals(currency) < _THOUSANDS_DECIMALS:
            return ""
        return parsing.ambiguity_note(raw["amount"])

    def clean(self, raw: Any) -> Money | None:
        # A currency alone is no answer: the control may have preselected it.
        if isinstance(raw, dict) and parsing.is_blank(raw.get("amount")):
            return None
        return super().clean(raw)

    def _parse(self, raw: Any) -> Money:
        amount, currency = parsing.money(raw, label=self.label, default_currency=self.fixed_currency)
        if self.allowed_currencies and currency not in self.allowed_currencies:
            allowed = ", ".join(self.allowed_currencies)
            message = gettext(
                "Choose the currency of “{label}” from {currencies}", label=self.label, currencies=allowed
            )
            raise AnswerError("currency_not_allowed", message)
        places = self._decimals(currency)
        # Three digits after a point, even zeros, are thousands to some people.
        typed = parsing.without_group_marks(str(raw["amount"]))
        if places < _THOUSANDS_DECIMALS and isinstance(raw["amount"], str) and parsing.POINT_AND_THREE.fullmatch(typed):
            message = gettext("Enter “{label}” in digits only, like 10000, or with fewer decimals", label=self.label)
            raise AnswerError("ambiguous", message)
        if decimals_of(amount) > places:
            values = {"label": self.label, "places": places, "currency": currency}
            message = gettext("Enter “{label}” with at most {places} decimals in {currency}", **values)
            raise AnswerError("too_precise", message)
        return Money(amount=amount, currency=currency)

    @property
    def cell_parts(self) -> tuple[str, ...]:
        return ("amount",) if self.fixed_currency else tuple(self.parts)

    def cell_choices(self, part: str = "") -> tuple[Choice, ...]:
        if part != "currency":
            return ()
        return tuple(Choice(choice.value, choice.value) for choice in self.choices())

    def from_cells(self, texts: Mapping[str, str]) -> Raw:
        filled = super().from_cells(texts)
        if isinstance(filled, dict) and filled and self.fixed_currency:
            filled["currency"] = self.fixed_currency
        return filled

    def payload(self, value: Any) -> dict[str, Any]:
        amount: int | float = float(value.amount)
        if value.amount == value.amount.to_integral_value():
            amount = int(value.amount)
        return {"amount": amount, "currency": value.currency}

    def display(self, value: Any) -> str:
        return format_money(value.amount, value.currency)

    def choices(self) -> tuple[Choice, ...]:
        offered = self.allowed_currencies or CURRENCIES_IN_USE
        return tuple(Choice(code, f"{code} – {currency_name(code)}") for code in offered)

    def codes_of(self, value: Any) -> tuple[str, ...]:
        return (value.currency,)


class UnknownField(FieldSpec):
    """A field of unknown type, drawn and sent as text with a note (INTERFACE.md, "Faults in a schema")."""

    is_known: ClassVar[bool] = False


KNOWN_TYPES: tuple[type[FieldSpec], ...] = (
    TextField,
    TextareaField,
    SelectField,
    MultiSelectField,
    BooleanField,
    DateField,
    NumberField,
    AddressField,
    PhoneField,
    NationalityField,
    ShareClassRefField,
    CurrencyAmountField,
)

_BY_TAG = {str(member.model_fields["field_type"].default): member for member in KNOWN_TYPES}


def _tag(data: Any) -> str:
    tag = data.get("field_type", "text") if isinstance(data, dict) else getattr(data, "field_type", "")
    return tag if isinstance(tag, str) and tag in _BY_TAG else "unknown"


if TYPE_CHECKING:
    Field = FieldSpec
else:
    _tagged = {**_BY_TAG, "unknown": UnknownField}
    Field = Annotated[
        Union[tuple(Annotated[member, Tag(tag)] for tag, member in _tagged.items())],  # noqa: UP007  # made of a tuple
        Discriminator(_tag),
    ]

_field_adapter: TypeAdapter[FieldSpec] = TypeAdapter(Field)


def read_field(data: Mapping[str, Any]) -> FieldSpec:
    """Read a field from its JSON. Raises pydantic's ValidationError for a field without key."""
    return _field_adapter.validate_python(dict(data))
