"""Model fields that are encrypted in the database, each value bound to its model, row and column.

The fields named in `bound_to` identify the row: they never change after the first save. `values_list` returns
encrypted values (`Stored`). Look up rows only by stored or empty values. Instead of `update()`, save the row or call
`update_rows`.
"""

import json
import uuid
from collections.abc import Collection, Sequence
from typing import Any

from django.core.exceptions import FieldError
from django.db import models
from django.db.models import Value
from django.db.models.query_utils import DeferredAttribute
from pydantic_core import PydanticSerializationError, from_json, to_json

from .encryption import decrypt, encrypt


class Stored(str):
    """A value in its column's form: encrypted, or empty."""

    __slots__ = ()


class _DecryptedAttribute(DeferredAttribute):
    field: "EncryptedField"

    def __get__(self, instance: Any, cls: Any = None) -> Any:
        if instance is None:
            return self
        values = instance.__dict__
        name = self.field.attname
        value = values[name] if name in values else super().__get__(instance, cls)
        if type(value) is Stored:
            bound_values = [getattr(instance, bound_name) for bound_name in self.field.bound_to]
            value = values[name] = self.field.opened(value, *bound_values)
        return value

    def __set__(self, instance: Any, value: Any) -> None:
        instance.__dict__[self.field.attname] = value


class EncryptedField(models.TextField):  # type: ignore[type-arg]  # the stub's parameters are of no use here
    """A field that encrypts its values. An empty value is stored as an empty text, and None as NULL."""

    descriptor_class = _DecryptedAttribute

    def __init__(self, *args: Any, bound_to: Sequence[str], **options: Any) -> None:
        super().__init__(*args, **options)
        self.bound_to = tuple(bound_to)

    def deconstruct(self) -> Any:
        name, path, args, options = super().deconstruct()
        return name, path, args, {**options, "bound_to": self.bound_to}

    def context(self, *bound_values: Any) -> str:
        """Return the encryption context of a row with these values in the fields of `bound_to`."""
        # A renamed model keeps the name under which its rows are encrypted.
        model_name = getattr(self.model, "encrypted_as", self.model._meta.label_lower)
        parts = [model_name, str(self.column)]
        for value in bound_values:
            parts.append(value.hex if isinstance(value, uuid.UUID) else str(value))
        return "\x1f".join(parts)

    def context_of(self, row: Any) -> str:
        return self.context(*(getattr(row, name) for name in self.bound_to))

    def stored(self, value: Any, row: Any) -> Any:
        if value is None or type(value) is Stored:
            return value
        content = self.to_bytes(value)
        return Stored(encrypt(content, self.context_of(row))) if content else Stored()

    def opened(self, stored: Stored | None, *bound_values: Any) -> Any:
        """Decrypt the value of a row with these values in the fields of `bound_to`. Raises UnreadableError."""
        if stored is None:
            return None
        return self.from_bytes(decrypt(stored, self.context(*bound_values)) if stored else b"")

    def to_python(self, value: Any) -> Any:
        return value

    def to_bytes(self, value: Any) -> bytes:
        """Return the bytes to encrypt, empty for an empty value."""
        raise NotImplementedError

    def from_bytes(self, content: bytes) -> Any:
        raise NotImplementedError

    def from_db_value(self, value: Any, *_: Any) -> Any:
        return value if value is None else Stored(value)

    def pre_save(self, model_instance: Any, add: bool) -> Any:
        """Return the value to save. A value that was never decrypted is saved unchanged."""
        return self.stored(model_instance.__dict__.get(self.attname), model_instance)

    def get_prep_value(self, value: Any) -> Any:
        """Accept only stored and empty values: a plain value can't be encrypted without its row."""
        if value is None or type(value) is Stored or value == "":
            return value
        raise FieldError(f"{self.model._meta.label}.{self.name} is encrypted: save the row, or use update_rows.")

    def get_lookup(self, lookup_name: str) -> Any:
        """Allow only lookups that make sense for stored and empty values."""
        return super().get_lookup(lookup_name) if lookup_name in ("exact", "isnull", "startswith", "in") else None


class EncryptedTextField(EncryptedField):
    def to_bytes(self, value: Any) -> bytes:
        return str(value).encode("utf-8", "surrogatepass")

    def from_bytes(self, content: bytes) -> Any:
        return content.decode("utf-8", "surrogatepass")


class EncryptedJSONField(EncryptedField):
    """A field that encrypts its values as JSON. pydantic_core takes half the time of the standard library."""

    _pyi_private_set_type: Any
    _pyi_private_get_type: Any

    def to_bytes(self, value: Any) -> bytes:
        try:
            return to_json(value)
        except PydanticSerializationError:
            # UTF-8 can't encode half of a surrogate pair.
            return json.dumps(value).encode()

    def from_bytes(self, content: bytes) -> Any:
        try:
            return from_json(content, cache_strings="keys")
        except ValueError:
            # pydantic_core refuses half of a surrogate pair.
            return json.loads(content)


class EncryptedBinaryField(EncryptedField):
    _pyi_private_set_type: Any
    _pyi_private_get_type: Any

    def from_db_value(self, value: Any, *_: Any) -> Any:
        """Convert old values that SQLite returns as bytes, from the time when the column held bytes."""
        return Stored(value.hex()) if isinstance(value, bytes) else super().from_db_value(value)

    def to_bytes(self, value: Any) -> bytes:
        return bytes(value)

    def from_bytes(self, content: bytes) -> Any:
        return content


def encrypted_fields(model: type[models.Model]) -> list[EncryptedField]:
    return [field for field in model._meta.concrete_fields if isinstance(field, EncryptedField)]


def column_values(row: models.Model, names: Collection[str]) -> dict[str, Any]:
    """Return the arguments of `update()` that save the named fields of the row."""
    values = {}
    for name in names:
        field = row._meta.get_field(name)
        if isinstance(field, EncryptedField):
            values[name] = field.stored(row.__dict__[field.attname], row)
        else:
            values[name] = getattr(row, name)
    return values


def update_rows(rows: Collection[models.Model], names: Collection[str], **options: Any) -> None:
    """Save the named fields of the rows like `bulk_update`, including encrypted fields."""
    if not rows:
        return
    model = type(next(iter(rows)))
    fields = [field for field in encrypted_fields(model) if field.name in names]
    plain_values: list[tuple[Any, str, Any]] = []
    try:
        for row in rows:
            for field in fields:
                value = row.__dict__[field.attname]
                plain_values.append((row, field.attname, value))
                row.__dict__[field.attname] = Value(field.stored(value, row), output_field=field)
        model._default_manager.bulk_update(rows, names, **options)
    finally:
        for row, name, value in plain_values:
            row.__dict__[name] = value
