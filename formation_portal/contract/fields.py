"""The field types of a form schema: each is one class that answers for itself (interface, "Field").

A type says what it takes from a form post (`posted`), reads it (`clean`), writes it (`payload`), reads it back in
words (`display`), and which template draws it (`template`). Nothing outside the types switches on one. Those that are
chosen are in choice_fields.py, those with parts in compound_fields.py, and what is typed as one text is here. The
discriminated union at the end is the list of types; a type that nobody knows falls to `UnknownField`.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal

import phonenumbers
from pydantic import Discriminator, Tag, TypeAdapter

from . import canonical, notation, reading
from .choice_fields import BooleanField, MultiSelectField, NationalityField, SelectField, ShareClassRefField
from .compound_fields import AddressField, CurrencyAmountField, DateField
from .field import FieldSpec
from .language import figure, noted
from .values import Raw


class TextField(FieldSpec):
    """One line. Example: "Larkfield Holdings". At most 500 characters, NFC (supplement, "Values")."""

    field_type: Literal["text"] = "text"

    def _read(self, raw: Any) -> str:
        """An e-mail address is read as one, wherever the canonical name says that it is asked for."""
        is_email = canonical.is_email(self.canonical_field)
        return (reading.email if is_email else reading.line)(raw, label=self.label)


class TextareaField(FieldSpec):
    """Several lines. Example: "Holds the shares of two companies.". At most 10,000 characters."""

    template: ClassVar[str] = "textarea"
    longest: ClassVar[int] = reading.LINES_LIMIT
    field_type: Literal["textarea"] = "textarea"

    def _read(self, raw: Any) -> str:
        return reading.lines(raw, label=self.label)


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


class PhoneField(FieldSpec):
    """A telephone number in any notation with its country code; sent as E.164. Example: "+41417288000"."""

    template: ClassVar[str] = "phone"
    cell_hint: ClassVar[str] = noted("Include the country code, like +41 41 728 80 00.")
    field_type: Literal["phone"] = "phone"

    def _read(self, raw: Any) -> str:
        return reading.phone(raw, label=self.label)

    def display(self, value: Any) -> str:
        number = phonenumbers.parse(value)
        return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.INTERNATIONAL).replace(" ", "\u00a0")


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
