"""Model fields that are encrypted in the database, each value bound to its model, row and column.

A row is known by the fields that `bound_to` names: they are set before it is saved first, and never change. A value is
decrypted when its attribute is read first, and encrypted when the row is saved. `values_list` gives it as it is stored
(`Stored`), since only the row can open it.

A query finds rows by what is stored or empty, and by nothing that was typed. `update()` takes no plain value: save the
row, or use `update_rows`.
"""

import json
import uuid
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from django.core.exceptions import FieldError
from django.db import models
from django.db.models import Value
from django.db.models.query_utils import DeferredAttribute
from pydantic_core import PydanticSerializationError, from_json, to_json

from .encryption import decrypt, encrypt
from .migration_operations import RunPythonOnRows


class Stored(str):
    """A value as its column has it: encrypted, or empty."""

    __slots__ = ()


class _DecryptedAttribute(DeferredAttribute):
    """Decrypts the value when it is read first."""

    field: "EncryptedField"

    def __get__(self, instance: Any, cls: Any = None) -> Any:
        if instance is None:
            return self
        is_deferred = self.field.attname not in instance.__dict__
        value = super().__get__(instance, cls) if is_deferred else instance.__dict__[self.field.attname]
        if type(value) is Stored:
            value = instance.__dict__[self.field.attname] = self.field.opened(
                value, *(getattr(instance, name) for name in self.field.bound_to)
            )
        return value

    def __set__(self, instance: Any, value: Any) -> None:
        instance.__dict__[self.field.attname] = value


class EncryptedField(models.TextField):  # type: ignore[type-arg]  # its stub takes types that nobody names
    """What all of them do. An empty value is stored empty, and None as NULL."""

    descriptor_class = _DecryptedAttribute

    def __init__(self, *args: Any, bound_to: Sequence[str], **options: Any) -> None:
        super().__init__(*args, **options)
        self.bound_to = tuple(bound_to)

    def deconstruct(self) -> Any:
        name, path, args, options = super().deconstruct()
        return name, path, args, {**options, "bound_to": self.bound_to}

    def context(self, *known: Any) -> str:
        """What a value is bound to, of a row with these values in the fields of `bound_to`."""
        return "\x1f".join([self.model._meta.label_lower, str(self.column), *map(_as_text, known)])

    def context_of(self, row: Any) -> str:
        """The same, of a row."""
        return self.context(*(getattr(row, name) for name in self.bound_to))

    def stored(self, value: Any, row: Any) -> Any:
        """A value of the row as its column has it."""
        if value is None or type(value) is Stored:
            return value
        content = self.to_bytes(value)
        return Stored(encrypt(content, self.context_of(row))) if content else Stored()

    def opened(self, stored: Any, *known: Any) -> Any:
        """The value, of a row with these values in the fields of `bound_to`. Raises UnreadableError."""
        if stored is None:
            return None
        return self.from_bytes(decrypt(stored, self.context(*known)) if stored else b"")

    def to_python(self, value: Any) -> Any:
        """Nothing is converted."""
        return value

    def to_bytes(self, value: Any) -> bytes:
        """What is encrypted of a value; nothing of an empty one."""
        raise NotImplementedError

    def from_bytes(self, content: bytes) -> Any:
        """The other way round."""
        raise NotImplementedError

    def plain_bytes(self, text: str) -> bytes:
        """What is encrypted of a column that was plain until now."""
        return text.encode("utf-8", "surrogatepass")

    def from_db_value(self, value: Any, *_: Any) -> Any:
        """As it is stored: the row opens it."""
        return value if value is None else Stored(value)

    def pre_save(self, model_instance: Any, add: bool) -> Any:
        """What nobody has read is stored as it was."""
        return self.stored(model_instance.__dict__.get(self.attname), model_instance)

    def get_prep_value(self, value: Any) -> Any:
        """Only what is stored already: another value would be written, or looked for, without its row."""
        if value is None or type(value) is Stored or value == "":
            return value
        raise FieldError(f"{self.model._meta.label}.{self.name} is encrypted: save the row, or use update_rows.")

    def get_lookup(self, lookup_name: str) -> Any:
        """Rows are found by what is empty or stored, and by nothing that was typed."""
        return super().get_lookup(lookup_name) if lookup_name in ("exact", "isnull", "startswith", "in") else None


class EncryptedTextField(EncryptedField):
    """A text."""

    def to_bytes(self, value: Any) -> bytes:
        return str(value).encode("utf-8", "surrogatepass")

    def from_bytes(self, content: bytes) -> Any:
        return content.decode("utf-8", "surrogatepass")


class EncryptedJSONField(EncryptedField):
    """Whatever JSON can say, read and written in half the time that the standard library takes."""

    _pyi_private_set_type: Any
    _pyi_private_get_type: Any

    def to_bytes(self, value: Any) -> bytes:
        try:
            return to_json(value)
        except PydanticSerializationError:
            # Half of a surrogate pair, which UTF-8 has no bytes for.
            return json.dumps(value).encode()

    def from_bytes(self, content: bytes) -> Any:
        try:
            return from_json(content, cache_strings="keys")
        except ValueError:
            # Half of a surrogate pair again.
            return json.loads(content)


class EncryptedBinaryField(EncryptedField):
    """Bytes."""

    _pyi_private_set_type: Any
    _pyi_private_get_type: Any

    def plain_bytes(self, text: str) -> bytes:
        """As PostgreSQL writes bytes in a text."""
        return bytes.fromhex(text.removeprefix("\\x"))

    def from_db_value(self, value: Any, *_: Any) -> Any:
        """SQLite gives the bytes that the column had while it was one of bytes."""
        return Stored(value.hex()) if isinstance(value, bytes) else super().from_db_value(value)

    def to_bytes(self, value: Any) -> bytes:
        return bytes(value)

    def from_bytes(self, content: bytes) -> Any:
        return content


def _as_text(value: Any) -> str:
    return value.hex if isinstance(value, uuid.UUID) else str(value)


def encrypted_fields(model: type[models.Model]) -> list[EncryptedField]:
    """Those of a model."""
    return [field for field in model._meta.concrete_fields if isinstance(field, EncryptedField)]


def column_values(row: models.Model, names: Collection[str]) -> dict[str, Any]:
    """What `update()` takes to give the row's columns what the row has in memory."""
    sealed = {field.name: field for field in encrypted_fields(type(row))}
    return {
        name: sealed[name].stored(row.__dict__[sealed[name].attname], row) if name in sealed else getattr(row, name)
        for name in names
    }


def update_rows(rows: Collection[models.Model], names: Collection[str], **options: Any) -> None:
    """`bulk_update` of rows with encrypted fields among the named ones."""
    if not rows:
        return
    model = type(next(iter(rows)))
    sealed = [field for field in encrypted_fields(model) if field.name in names]
    plain: list[tuple[Any, str, Any]] = []
    try:
        for row in rows:
            for field in sealed:
                value = row.__dict__[field.attname]
                plain.append((row, field.attname, value))
                row.__dict__[field.attname] = Value(field.stored(value, row), output_field=field)
        model._default_manager.bulk_update(rows, names, **options)
    finally:
        for row, name, value in plain:
            row.__dict__[name] = value


_AT_ONCE = 500


def rows_in_order(model: type[models.Model], alias: str) -> Iterator[Any]:
    """All rows of a model by their keys, some at a time."""
    rows = model._base_manager.using(alias).order_by("pk")
    some: list[Any] | None = None
    while some is None or len(some) == _AT_ONCE:
        some = list((rows.filter(pk__gt=some[-1].pk) if some else rows)[:_AT_ONCE])
        yield from some


def encrypt_existing(model: type[models.Model], alias: str) -> None:
    """For a migration: encrypt what the model's encrypted columns have held in plain text until now, and give each row
    a name (`row`) where the model has one."""
    fields = encrypted_fields(model)
    is_named = any(field.name == "row" for field in model._meta.concrete_fields)
    for row in rows_in_order(model, alias):
        changed: dict[str, Any] = {"row": uuid.uuid4()} if is_named else {}
        row.__dict__.update(changed)
        for field in fields:
            if text := row.__dict__[field.attname]:
                changed[field.name] = Stored(encrypt(field.plain_bytes(text), field.context_of(row)))
        if changed:
            model._base_manager.using(alias).filter(pk=row.pk).update(**changed)


def decrypt_existing(model: type[models.Model], alias: str) -> None:
    """For a migration that is undone: texts as they were. Rows with bytes are deleted: each can be made again."""
    fields, rows = encrypted_fields(model), model._base_manager.using(alias)
    if any(isinstance(field, EncryptedBinaryField) for field in fields):
        rows.all().delete()
    for row in rows_in_order(model, alias):
        stored = {field: row.__dict__[field.attname] for field in fields if row.__dict__[field.attname]}
        opened = {field.name: decrypt(text, field.context_of(row)) for field, text in stored.items()}
        if opened:
            plain = {name: Stored(content.decode("utf-8", "surrogatepass")) for name, content in opened.items()}
            rows.filter(pk=row.pk).update(**plain)


def encrypt_models(app_label: str, *names: str) -> RunPythonOnRows:
    """The operation of a migration that does so for these models."""

    def each(act: Callable[[type[models.Model], str], None]) -> Callable[[Any, Any], None]:
        def act_on_all(apps: Any, schema_editor: Any) -> None:
            for name in names:
                act(apps.get_model(app_label, name), schema_editor.connection.alias)

        return act_on_all

    return RunPythonOnRows(*names, code=each(encrypt_existing), reverse_code=each(decrypt_existing))
