"""No encrypted value is read in the place of another: every encrypted column, and every file."""

import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.apps import apps
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import connections, models, router, transaction

import formation_portal.core
from formation_portal.core.encrypted_fields import (
    EncryptedBinaryField,
    EncryptedField,
    EncryptedJSONField,
    Stored,
    encrypted_fields,
)
from formation_portal.core.encryption import UnreadableError
from formation_portal.core.storage import SERVICE_FILES

pytestmark = pytest.mark.django_db(databases=["default", "service"])

FIELDS = [field for model in apps.get_models() for field in encrypted_fields(model)]
FIRST_KEY = 7_000_001
# The name of a file is bound to its content: documents of one application with the same bytes may exchange names.
BOUND_TO_CONTENT = {"applications.Document": {"sha256"}}
# Encrypted by other means, with tests of their own: in tests/accounts, and tests/core/test_secret_store.py.
SEALED = {("mfa.Authenticator", "data"), ("nodes.Secret", "sealed"), ("sessions.Session", "session_data")}
NAMED: dict[str, Any] = yaml.safe_load((Path(formation_portal.core.__file__).parent / "data_classes.yaml").read_text())
CLASSES = NAMED.pop("classes")
# Columns of these say nothing by themselves.
STRUCTURE = models.AutoField | models.BooleanField | models.DateField | models.FloatField
STRUCTURE |= models.ForeignKey | models.IntegerField | models.UUIDField
MODELS = sorted(apps.get_models(include_auto_created=True), key=lambda model: model._meta.label)


def sample(field: Any, number: int) -> Any:
    """A value of the field's type, another one for each number."""
    if isinstance(field, EncryptedBinaryField):
        return b"secret %d" % number
    if isinstance(field, EncryptedJSONField | models.JSONField):
        return {"secret": number}
    if isinstance(field, models.UUIDField):
        return uuid.UUID(int=number)
    if isinstance(field, models.DateTimeField):
        return datetime(2026, 1, 1, 0, 0, number % 60, tzinfo=UTC)
    if isinstance(field, models.DateField):
        return datetime(2026, 1, 1 + number % 28, tzinfo=UTC).date()
    if isinstance(field, models.BooleanField):
        return False
    if isinstance(field, models.ForeignKey):
        return sample(field.target_field, number)
    if isinstance(field, models.IntegerField):
        return number % 30_000 if isinstance(field, models.SmallIntegerField) else number
    return str(number)[-field.max_length :] if field.max_length else str(number)


def unique_fields(model: type[models.Model]) -> set[str]:
    """The columns in which two rows have to differ: of columns that are unique together the last one."""
    unique = {field.attname for field in model._meta.concrete_fields if field.unique}
    constraints = [one for one in model._meta.constraints if isinstance(one, models.UniqueConstraint)]
    together = [*map(tuple, model._meta.unique_together), *(constraint.fields for constraint in constraints)]
    return unique | {model._meta.get_field(names[-1]).attname for names in together if names}  # type: ignore[union-attr]


def similar_rows(model: type[models.Model], alias: str) -> list[Any]:
    """The keys of two rows that are alike but for what they hold encrypted, what the database wants to be unique, and
    what the model itself makes anew for each row."""
    has_own_value = {field.attname for field in model._meta.concrete_fields if field.default is uuid.uuid4}
    differing = unique_fields(model) | {field.attname for field in encrypted_fields(model)}
    differing |= BOUND_TO_CONTENT.get(model._meta.label, set())
    rows = []
    for number in (FIRST_KEY, FIRST_KEY + 1):
        values = {
            field.attname: sample(field, number if field.attname in differing else FIRST_KEY)
            for field in model._meta.concrete_fields
            if field.attname not in has_own_value
        }
        rows.append(model(**values))
    model._base_manager.using(alias).bulk_create(rows)
    return [row.pk for row in rows]


@pytest.mark.parametrize("field", FIELDS, ids=str)
def test_the_ciphertexts_of_two_rows_cannot_be_exchanged(field: EncryptedField) -> None:
    model, alias = field.model, router.db_for_write(field.model)
    rows = model._base_manager.using(alias)
    # No other row refers to these, and nothing that they refer to is there.
    with transaction.atomic(using=alias), connections[alias].constraint_checks_disabled():
        first, second = similar_rows(model, alias)
        stored = dict(rows.values_list("pk", field.attname))
        assert all(type(stored[key]) is Stored and stored[key] for key in (first, second))
        assert getattr(rows.get(pk=first), field.attname) == sample(field, FIRST_KEY)
        for key, other in ((first, second), (second, first)):
            rows.filter(pk=key).update(**{field.attname: stored[other]})
        for key in (first, second):
            with pytest.raises(UnreadableError):
                getattr(rows.get(pk=key), field.attname)
        transaction.set_rollback(True, using=alias)


@pytest.mark.parametrize("name", ["default", SERVICE_FILES])
def test_the_ciphertexts_of_two_files_cannot_be_exchanged(name: str) -> None:
    storage: Any = storages[name]
    contents = {"exchanged/first": b"Of the first", "exchanged/second": b"Of the second"}
    for path, content in contents.items():
        storage.save(path, ContentFile(content))
        assert storage.open(path).read() == content
    ciphertexts = []
    for path, content in contents.items():
        with storage.open_stored(path) as file:
            ciphertexts.append(file.read())
        assert content not in ciphertexts[-1]
    for path, ciphertext in zip(contents, reversed(ciphertexts), strict=True):
        storage.replace_stored(path, ciphertext)
    for path in contents:
        with pytest.raises(UnreadableError):
            storage.open(path)
        storage.delete(path)


def test_what_is_encrypted_by_other_means_has_a_test_of_its_own() -> None:
    assert {(label, name) for label in NAMED for name, kind in NAMED[label].items() if kind == "sealed"} == SEALED


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label)
def test_every_column_has_a_class(model: type[models.Model]) -> None:
    named = NAMED.get(model._meta.label, {})
    known = {field.name for field in encrypted_fields(model)}
    columns = {field.name: field for field in model._meta.concrete_fields}
    unnamed = {name for name, field in columns.items() if not isinstance(field, STRUCTURE)} - known - named.keys()
    assert not unnamed, "encrypt it, or say in core/data_classes.yaml why it may be plain"
    assert not named.keys() - columns.keys(), "no such column"
    assert not named.keys() & known, "it is encrypted"


def test_every_class_is_explained_and_no_model_is_missing() -> None:
    assert {kind for named in NAMED.values() for kind in named.values()} <= CLASSES.keys()
    assert NAMED.keys() <= {model._meta.label for model in MODELS}
