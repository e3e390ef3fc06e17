"""The field types that are typed as one text: lines, numbers, telephone numbers (interface, "Field")."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, ClassVar, Literal

import phonenumbers

from .. import canonical
from ..localisation import format_number, gettext_noop
from . import number_format, parsing
from .base import FieldSpec
from .values import Raw


class TextField(FieldSpec):
    """One line. Example: "Larkfield Holdings". At most 500 characters, NFC (supplement, "Values")."""

    field_type: Literal["text"] = "text"

    def _parse(self, raw: Any) -> str:
        """An e-mail address is read as one, wherever the canonical name says that it is asked for."""
        is_email = canonical.is_email(self.canonical_field)
        return (parsing.email if is_email else parsing.line)(raw, label=self.label)


class TextareaField(FieldSpec):
    """Several lines. Example: "Holds the shares of two companies.". At most 10,000 characters."""

    template: ClassVar[str] = "textarea"
    max_length: ClassVar[int] = parsing.LINES_LIMIT
    field_type: Literal["textarea"] = "textarea"

    def _parse(self, raw: Any) -> str:
        return parsing.lines(raw, label=self.label)


class NumberField(FieldSpec):
    """A number. Example: 10000, or 12.5. At most 15 digits, so that JSON carries it exactly."""

    template: ClassVar[str] = "number"
    cell_hint: ClassVar[str] = gettext_noop("A number in digits, like 10000 or 12.5.")
    field_type: Literal["number"] = "number"

    def normalised(self, text: str, part: str = "") -> str:
        return number_format.normalised(text)

    def localised(self, raw: Any) -> Any:
        return number_format.localised(raw) if isinstance(raw, str) else raw

    def ambiguity_note(self, raw: Any) -> str:
        return number_format.ambiguity_note(raw) if isinstance(raw, str) else ""

    def _parse(self, raw: Any) -> int | Decimal:
        return parsing.number(raw, label=self.label)

    def from_cells(self, texts: Mapping[str, str]) -> Raw:
        # A spreadsheet shows a share as 25%, whichever way it keeps it.
        return texts.get("", "").strip().removesuffix("%").strip()

    def payload(self, value: Any) -> int | float:
        return value if isinstance(value, int) else float(value)

    def display(self, value: Any) -> str:
        return format_number(value)


class PhoneField(FieldSpec):
    """A telephone number in any notation with its country code; sent as E.164. Example: "+41417288000"."""

    template: ClassVar[str] = "phone"
    cell_hint: ClassVar[str] = gettext_noop("Include the country code, like +41 41 728 80 00.")
    field_type: Literal["phone"] = "phone"

    def _parse(self, raw: Any) -> str:
        return parsing.phone(raw, label=self.label)

    def display(self, value: Any) -> str:
        number = phonenumbers.parse(value)
        return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.INTERNATIONAL).replace(" ", "\u00a0")


class UnknownField(FieldSpec):
    """A type that nobody knows: drawn and sent as text, and said so (supplement, "What a schema may get wrong")."""

    template: ClassVar[str] = "unknown"
    is_known: ClassVar[bool] = False
