"""The list of field types, and how a schema's JSON becomes one of them (interface, "Field").

Each type is one class that answers for itself: it takes its answer from a form post (`from_post`), reads it (`clean`),
writes it for the service (`payload`), shows it (`display`), and names the template that draws it (`template`). Nothing
outside the types switches on one. The discriminated union is the list of types; an unknown type is an `UnknownField`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Discriminator, Tag, TypeAdapter

from .base import FieldSpec
from .choice import BooleanField, MultiSelectField, NationalityField, SelectField, ShareClassRefField
from .compound import AddressField, CurrencyAmountField, DateField
from .text import NumberField, PhoneField, TextareaField, TextField, UnknownField

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
