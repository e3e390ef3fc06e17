"""The field types of a form schema: each is one class that answers for itself (interface, "Field").

A type says what it takes from a form post (`posted`), reads it (`clean`), writes it (`payload`), reads it back in
words (`display`), and which template draws it (`template`). Nothing outside this module switches on a type. The
discriminated union at the end is the list of types; a type that nobody knows falls to `UnknownField`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

import phonenumbers
from pydantic import Discriminator, Tag, TypeAdapter

from . import cells, notation, reading
from .field import Choice, FieldSpec
from .language import day, figure, noted, say
from .problems import AnswerError
from .values import Address, Money, Raw
from .world import COUNTRIES, country_name, currency_name, is_country, is_currency, minor_units

# Decimals of which thousands are made where the mark is read the other way.
_THREE = 3


class TextField(FieldSpec):
    """One line. Example: "Larkfield Holdings". At most 500 characters, NFC (supplement, "Values")."""

    field_type: Literal["text"] = "text"


class TextareaField(FieldSpec):
    """Several lines. Example: "Holds the shares of two companies.". At most 10,000 characters."""

    template: ClassVar[str] = "textarea"
    field_type: Literal["textarea"] = "textarea"

    def _read(self, raw: Any) -> str:
        return reading.lines(raw, label=self.label)


class _OptionField(FieldSpec):
    """What select and multi_select share: options are words, or codes of countries or currencies."""

    asking: ClassVar[str] = noted("Choose “{label}”")
    needs_options: ClassVar[bool] = True

    def choices(self) -> tuple[Choice, ...]:
        return tuple(Choice(option, self._words(option)) for option in self.options)

    # Asked for each option of a long list, so it is worked out once.
    @cached_property
    def lists_countries(self) -> bool:
        """Whether every option is a country code; such a list is drawn as names."""
        return bool(self.options) and all(map(is_country, self.options))

    @cached_property
    def _lists_currencies(self) -> bool:
        return bool(self.options) and all(map(is_currency, self.options))

    @property
    def has_own_words(self) -> bool:
        return bool(self.options) and not self.lists_countries and not self._lists_currencies

    def _words(self, option: str) -> str:
        if self.lists_countries:
            return country_name(option)
        if self._lists_currencies:
            return f"{currency_name(option)} ({option})"
        return option

    def _one(self, raw: Any) -> str:
        if raw not in self.options:
            raise AnswerError("not_an_option", say("Choose one of the answers offered for “{label}”", label=self.label))
        return str(raw)


class SelectField(_OptionField):
    """One of the options. Example: "Perpetual" of ["Perpetual", "Fixed term"] (interface, "Field")."""

    template: ClassVar[str] = "select"
    field_type: Literal["select"] = "select"

    def _read(self, raw: Any) -> str:
        return self._one(raw)

    def from_cells(self, texts: Mapping[str, str]) -> Raw:
        return cells.chosen(texts.get("", ""), cells.countries() if self.lists_countries else self.cell_words)

    def display(self, value: Any) -> str:
        return self._words(value)


class MultiSelectField(_OptionField):
    """Any of the options, each once. Example: ["E-commerce", "Consulting"]. With a single option it is one tick box,
    for declarations (supplement, "Values")."""

    template: ClassVar[str] = "multi_select"
    many: ClassVar[bool] = True
    cell_hint: ClassVar[str] = noted("One answer or several, with semicolons between.")
    field_type: Literal["multi_select"] = "multi_select"

    def _read(self, raw: Any) -> tuple[str, ...] | None:
        chosen = {self._one(one) for one in reading.members(raw, label=self.label)}
        return tuple(option for option in dict.fromkeys(self.options) if option in chosen) or None

    def from_cells(self, texts: Mapping[str, str]) -> Raw:
        return cells.several(texts.get("", ""), cells.countries() if self.lists_countries else self.cell_words)

    def payload(self, value: Any) -> list[str]:
        return list(value)

    def display(self, value: Any) -> str:
        return ", ".join(self._words(option) for option in value)

    @property
    def ask(self) -> str:
        return say("Tick “{label}”", label=self.label) if len(self.options) == 1 else super().ask


class BooleanField(FieldSpec):
    """Yes or no; unanswered is a third state that equals neither. Example: true (supplement, "Values")."""

    template: ClassVar[str] = "boolean"
    asking: ClassVar[str] = noted("Answer “{label}”")
    field_type: Literal["boolean"] = "boolean"

    def _read(self, raw: Any) -> bool:
        if raw is True or raw == "true":
            return True
        if raw is False or raw == "false":
            return False
        raise AnswerError("not_a_boolean", say("Answer “{label}” with yes or no", label=self.label))

    def from_cells(self, texts: Mapping[str, str]) -> Raw:
        return cells.chosen(texts.get("", ""), cells.yes_and_no())

    def display(self, value: Any) -> str:
        return say("Yes") if value else say("No")

    def choices(self) -> tuple[Choice, ...]:
        return (Choice("true", say("Yes")), Choice("false", say("No")))


class DateField(FieldSpec):
    """A calendar date, typed as day, month and year; sent as YYYY-MM-DD. Example: "1985-03-27" (interface)."""

    template: ClassVar[str] = "date"
    parts: ClassVar[tuple[str, ...]] = ("day", "month", "year")
    cell_hint: ClassVar[str] = noted("A date, like 27 March 1985 or 1985-03-27.")
    field_type: Literal["date"] = "date"

    def _read(self, raw: Any) -> date:
        return reading.calendar_date(raw, label=self.label)

    def from_cells(self, texts: Mapping[str, str]) -> Raw:
        return cells.date_parts(texts.get("", ""), label=self.label)

    def payload(self, value: Any) -> str:
        return str(value.isoformat())

    def display(self, value: Any) -> str:
        return day(value)


class NumberField(FieldSpec):
    """A number. Example: 10000, or 12.5. At most 15 digits, so that JSON carries it exactly."""

    template: ClassVar[str] = "number"
    cell_hint: ClassVar[str] = noted("A number in digits, like 10000 or 12.5.")
    field_type: Literal["number"] = "number"

    def kept(self, text: str, part: str = "") -> str:
        return notation.kept(text)

    def shown(self, raw: Any) -> Any:
        return notation.shown(raw) if isinstance(raw, str) else raw

    def doubt(self, raw: Any) -> str:
        return notation.doubt(raw) if isinstance(raw, str) else ""

    def _read(self, raw: Any) -> int | Decimal:
        return reading.number(raw, label=self.label)

    def from_cells(self, texts: Mapping[str, str]) -> Raw:
        # A spreadsheet shows a share as 25%, whichever way it keeps it.
        return texts.get("", "").strip().removesuffix("%").strip()

    def payload(self, value: Any) -> int | float:
        return value if isinstance(value, int) else float(value)

    def display(self, value: Any) -> str:
        return figure(value)


class AddressField(FieldSpec):
    """A postal address: street1, street2, city, region, postcode, country (ISO 3166-1 alpha-2).

    Example: {"street1": "1 Main St", "city": "Zug", "postcode": "6300", "country": "CH"} (supplement, "Values").
    """

    template: ClassVar[str] = "address"
    parts: ClassVar[tuple[str, ...]] = ("street1", "street2", "city", "region", "postcode", "country")
    field_type: Literal["address"] = "address"

    def _read(self, raw: Any) -> Address:
        return reading.address(raw, label=self.label)

    @property
    def cell_parts(self) -> tuple[str, ...]:
        return self.parts

    def cell_choices(self, part: str = "") -> tuple[Choice, ...]:
        return tuple(Choice(code, country_name(code)) for code in COUNTRIES) if part == "country" else ()

    def from_cells(self, texts: Mapping[str, str]) -> Raw:
        return cells.parts_of(texts, "country", cells.countries())

    def payload(self, value: Any) -> dict[str, str]:
        return {part: text for part in self.parts if (text := getattr(value, part))}

    def display(self, value: Any) -> str:
        town = " ".join(text for text in (value.city, value.postcode) if text)
        lines = (value.street1, value.street2, town, value.region, country_name(value.country))
        return ", ".join(text for text in lines if text)


class PhoneField(FieldSpec):
    """A telephone number in any notation with its country code; sent as E.164. Example: "+41417288000"."""

    template: ClassVar[str] = "phone"
    cell_hint: ClassVar[str] = noted("With the country code, like +41 41 728 80 00.")
    field_type: Literal["phone"] = "phone"

    def _read(self, raw: Any) -> str:
        return reading.phone(raw, label=self.label)

    def display(self, value: Any) -> str:
        number = phonenumbers.parse(value)
        return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.INTERNATIONAL).replace(" ", "\u00a0")


class NationalityField(FieldSpec):
    """One nationality or several, as ISO 3166-1 alpha-2 codes. Example: ["NO", "NL"] (interface)."""

    template: ClassVar[str] = "nationality"
    many: ClassVar[bool] = True
    asking: ClassVar[str] = noted("Choose “{label}”")
    cell_hint: ClassVar[str] = noted("One country or several, with semicolons between.")
    field_type: Literal["nationality"] = "nationality"

    def _read(self, raw: Any) -> tuple[str, ...] | None:
        codes = reading.members(raw, label=self.label)
        if not all(isinstance(code, str) and is_country(code) for code in codes):
            raise AnswerError("not_a_country", say("Choose “{label}” from the list of countries", label=self.label))
        return tuple(dict.fromkeys(codes)) or None

    def from_cells(self, texts: Mapping[str, str]) -> Raw:
        return cells.several(texts.get("", ""), cells.countries())

    def payload(self, value: Any) -> list[str]:
        return list(value)

    def display(self, value: Any) -> str:
        return ", ".join(country_name(code) for code in value)

    def choices(self) -> tuple[Choice, ...]:
        return tuple(Choice(code, country_name(code)) for code in COUNTRIES)


class ShareClassRefField(FieldSpec):
    """A share class of the same entity, by its id. Example: "sc_8f3a" (supplement, "Values")."""

    template: ClassVar[str] = "share_class_ref"
    asking: ClassVar[str] = noted("Choose “{label}”")
    refers_to_share_class: ClassVar[bool] = True
    cell_hint: ClassVar[str] = noted("The name of the class, as it stands in the application.")
    field_type: Literal["share_class_ref"] = "share_class_ref"


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

    def kept(self, text: str, part: str = "") -> str:
        return notation.kept(text) if part == "amount" else text

    def shown(self, raw: Any) -> Any:
        if not isinstance(raw, Mapping) or not isinstance(raw.get("amount"), str):
            return raw
        return {**raw, "amount": notation.shown(raw["amount"])}

    def doubt(self, raw: Any) -> str:
        if not isinstance(raw, Mapping) or not isinstance(raw.get("amount"), str):
            return ""
        currency = str(raw.get("currency") or self.fixed_currency)
        # Where there are no three decimals the one reading is refused, and nobody means the other.
        return notation.doubt(raw["amount"]) if is_currency(currency) and minor_units(currency) >= _THREE else ""

    def clean(self, raw: Any) -> Money | None:
        # A chosen currency alone is no answer: it may be the one that the control showed first.
        if isinstance(raw, Mapping) and reading.is_blank(raw.get("amount")):
            return None
        return None if reading.is_blank(raw) else self._read(raw)

    def _read(self, raw: Any) -> Money:
        amount, currency = reading.money(raw, label=self.label, default_currency=self.fixed_currency)
        if self.allowed_currencies and currency not in self.allowed_currencies:
            allowed = ", ".join(self.allowed_currencies)
            text = say("Choose the currency of “{label}” from {currencies}", label=self.label, currencies=allowed)
            raise AnswerError("currency_not_allowed", text)
        self._refuse_decimals(amount, raw["amount"], currency)
        return Money(amount=amount, currency=currency)

    def _refuse_decimals(self, amount: Decimal, typed: Any, currency: str) -> None:
        """More of them than the currency has; and three, even noughts, since those are thousands to some."""
        places = minor_units(currency)
        if places < _THREE and notation.has_point_and_three(typed):
            text = say("Enter “{label}” in digits alone, like 10000, or with fewer decimals", label=self.label)
            raise AnswerError("ambiguous", text)
        if -amount.as_tuple().exponent > places:  # type: ignore[operator]  # finite by now
            raise AnswerError(
                "too_precise",
                say(
                    "Enter “{label}” with at most {places} digits after the point in {currency}",
                    label=self.label,
                    places=places,
                    currency=currency,
                ),
            )

    @property
    def cell_parts(self) -> tuple[str, ...]:
        return ("amount",) if self.fixed_currency else self.parts

    def cell_choices(self, part: str = "") -> tuple[Choice, ...]:
        return tuple(Choice(code, code) for code in self.allowed_currencies) if part == "currency" else ()

    def from_cells(self, texts: Mapping[str, str]) -> Raw:
        filled = cells.parts_of(texts, "currency", self.cell_words)
        return filled | {"currency": self.fixed_currency} if filled and self.fixed_currency else filled

    def payload(self, value: Any) -> dict[str, Any]:
        whole = value.amount == value.amount.to_integral_value()
        return {"amount": int(value.amount) if whole else float(value.amount), "currency": value.currency}

    def display(self, value: Any) -> str:
        return f"{value.currency}\u00a0{figure(value.amount)}"

    def choices(self) -> tuple[Choice, ...]:
        return tuple(Choice(code, f"{code} – {currency_name(code)}") for code in self.allowed_currencies)


class UnknownField(FieldSpec):
    """A type that nobody knows: drawn and sent as text, and said so (supplement, "What a schema may get wrong")."""

    template: ClassVar[str] = "unknown"
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

_TAGS = frozenset(str(member.model_fields["field_type"].default) for member in KNOWN_TYPES)


def _tag(data: Any) -> str:
    tag = data.get("field_type", "text") if isinstance(data, dict) else getattr(data, "field_type", "")
    return tag if isinstance(tag, str) and tag in _TAGS else "unknown"


Field = Annotated[
    Annotated[TextField, Tag("text")]
    | Annotated[TextareaField, Tag("textarea")]
    | Annotated[SelectField, Tag("select")]
    | Annotated[MultiSelectField, Tag("multi_select")]
    | Annotated[BooleanField, Tag("boolean")]
    | Annotated[DateField, Tag("date")]
    | Annotated[NumberField, Tag("number")]
    | Annotated[AddressField, Tag("address")]
    | Annotated[PhoneField, Tag("phone")]
    | Annotated[NationalityField, Tag("nationality")]
    | Annotated[ShareClassRefField, Tag("share_class_ref")]
    | Annotated[CurrencyAmountField, Tag("currency_amount")]
    | Annotated[UnknownField, Tag("unknown")],
    Discriminator(_tag),
]

_field_adapter: TypeAdapter[FieldSpec] = TypeAdapter(Field)


def read_field(data: Mapping[str, Any]) -> FieldSpec:
    """A field from its JSON; raises pydantic's ValidationError where nothing identifies it."""
    return _field_adapter.validate_python(dict(data))
