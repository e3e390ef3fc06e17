"""The list of all field types, and the reading of fields (INTERFACE.md, "Field")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Union

from pydantic import Discriminator, Tag, TypeAdapter

from .. import canonical
from .address import AddressField
from .base import FieldSpec
from .choice import BooleanField, MultiSelectField, NationalityField, SelectField, ShareClassRefField
from .currency_amount import CurrencyAmountField
from .date import DateField
from .number import NumberField
from .text import FirstNameField, PhoneField, TextareaField, TextField


class UnknownField(FieldSpec):
    """A field of unknown type, drawn and sent as text with a note (INTERFACE.md, "Faults in a schema")."""

    type_name: ClassVar[str] = "unknown"
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

_BY_NAME = {member.type_name: member for member in KNOWN_TYPES}


def _name_of_type(data: Any) -> str:
    name = data.get("field_type", "text") if isinstance(data, dict) else getattr(data, "field_type", "")
    field = data.get("canonical_field") if isinstance(data, dict) else getattr(data, "canonical_field", None)
    if name == TextField.type_name and field == canonical.FIRST_NAME:
        return canonical.FIRST_NAME
    return name if isinstance(name, str) and name in _BY_NAME else UnknownField.type_name


if TYPE_CHECKING:
    Field = FieldSpec
else:
    _tagged = [Annotated[member, Tag(member.type_name)] for member in (*KNOWN_TYPES, UnknownField)]
    _tagged.append(Annotated[FirstNameField, Tag(canonical.FIRST_NAME)])
    Field = Annotated[Union[tuple(_tagged)], Discriminator(_name_of_type)]  # noqa: UP007  # made of a tuple

_field_adapter: TypeAdapter[FieldSpec] = TypeAdapter(Field)


def read_field(data: Mapping[str, Any]) -> FieldSpec:
    """Read a field from its JSON. Raises pydantic's ValidationError for a field without key."""
    return _field_adapter.validate_python(dict(data))
