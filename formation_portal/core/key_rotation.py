"""Reencrypt all personal data with a new key while the portal serves. A value that has changed since it was read is
not replaced. Running processes read the new key within READ_AGAIN_SECONDS."""

import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from django.apps import apps
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.files.storage import storages
from django.core.management.base import OutputWrapper
from django.db import router
from django.db.models import Model, Q, QuerySet
from django.utils import timezone

from . import encryption
from .encrypted_fields import EncryptedField, Stored, encrypted_fields
from .encryption import FILE_HEAD_BYTES, READ_AGAIN_SECONDS, UnreadableError, decrypt, encrypt, key_ring
from .nodes import secret_store
from .nodes.secret_store import StoredSecret
from .storage import SERVICE_FILES

Row = TypeVar("Row", bound=Model)

_BATCH_SIZE = 500
_STORAGE_ALIASES = ("default", SERVICE_FILES)
_tasks: list[Callable[[], object]] = []


class RotationRefused(Exception):
    """A refusal to add or drop keys. The message tells the operator the reason."""


def rotation_task(task: Callable[[], object]) -> Callable[[], object]:
    """Register the decorated function, which renews data made with an earlier key."""
    _tasks.append(task)
    return task


def check_keys() -> None:
    """Raise ImproperlyConfigured if no key of the ring has encrypted the first value found in a database."""
    checked: set[str] = set()
    for model, field in _columns():
        alias = router.db_for_read(model)
        if alias in checked:
            continue
        for stored in _filled(model, field, alias).values_list(field.name, flat=True)[:1]:
            checked.add(alias)
            if stored.partition(":")[0] not in key_ring().by_id:
                raise ImproperlyConfigured(
                    "FIELD_KEYS: none of them opens what is stored. Set SECRETS_KEY or FIELD_KEYS as on the other "
                    "nodes, or put field-keys of your backup into DATA_DIR."
                )


def add_key() -> None:
    """Add a new key before the other keys. Raises RotationRefused."""
    if settings.FIELD_KEYS:
        raise RotationRefused("FIELD_KEYS is set. Put a new key before the others there, start all processes anew")
    ring = encryption.read_ring_again()
    secret_store.replace(StoredSecret.FIELD_KEYS, f"{encryption.new_key()} {ring.text}")
    encryption.read_ring_again()


def drop_keys() -> int:
    """Drop all keys but the newest, and return how many were dropped. Raises RotationRefused."""
    if settings.FIELD_KEYS:
        raise RotationRefused("FIELD_KEYS is set. Remove the older keys there")
    ring = encryption.read_ring_again()
    if count := len(list(outdated())):
        raise RotationRefused(f"{count} columns or folders need an earlier key. Run rotate_keys --again")
    if time.time() - secret_store.changed_at(StoredSecret.FIELD_KEYS) < 2 * READ_AGAIN_SECONDS:
        raise RotationRefused(f"Wait {2 * READ_AGAIN_SECONDS:.0f} seconds, until every process has the newest key")
    for task in _tasks:
        task()
    secret_store.replace(StoredSecret.FIELD_KEYS, ring.text.split()[0])
    encryption.read_ring_again()
    return len(ring.by_id) - 1


def reencrypt_all(stdout: OutputWrapper) -> int:
    """Reencrypt everything that an earlier key has encrypted. Return the number of unreadable values and files."""
    unreadable = 0
    for model, field in _columns():
        changed, failed = _reencrypt_column(model, field)
        unreadable += failed
        _write_counts(stdout, f"{model._meta.label}.{field.name}", changed, failed)
    for alias in _STORAGE_ALIASES:
        changed, failed = _reencrypt_files(storages[alias])
        unreadable += failed
        _write_counts(stdout, f"Files of {alias}", changed, failed)
    for task in _tasks:
        task()
    return unreadable


def _write_counts(stdout: OutputWrapper, name: str, changed: int, failed: int) -> None:
    if failed:
        stdout.write(f"{name}: {changed} encrypted anew, {failed} unreadable")
    elif changed:
        stdout.write(f"{name}: {changed} encrypted anew")


def outdated() -> Iterator[str]:
    """Yield the columns and storages that still hold data encrypted with an earlier key or not encrypted."""
    for model, field in _columns():
        if _outdated_rows(model, field).exists():
            yield f"{model._meta.label}.{field.name}"
    for alias in _STORAGE_ALIASES:
        if any(_outdated_files(storages[alias])):
            yield f"files of {alias}"


def _columns() -> Iterator[tuple[type[Model], EncryptedField]]:
    for model in apps.get_models():
        for field in encrypted_fields(model):
            yield model, field


def _filled(model: type[Model], field: EncryptedField, alias: str) -> QuerySet[Any]:
    is_empty = Q(**{f"{field.name}__isnull": True}) | Q(**{field.name: ""})
    return model._base_manager.using(alias).exclude(is_empty)


def _outdated_rows(model: type[Model], field: EncryptedField) -> QuerySet[Any]:
    newest = {f"{field.name}__startswith": Stored(f"{key_ring().first.id}:")}
    return _filled(model, field, router.db_for_write(model)).exclude(**newest)


def _reencrypt_column(model: type[Model], field: EncryptedField) -> tuple[int, int]:
    """Reencrypt a column. Return the numbers of changed and of unreadable values."""
    changed = 0
    failed = 0
    rows = _outdated_rows(model, field).only("pk", field.name, *field.bound_to)
    for row in in_batches(rows):
        stored = row.__dict__[field.attname]
        context = field.context_of(row)
        try:
            reencrypted = Stored(encrypt(decrypt(stored, context), context))
        except UnreadableError:
            failed += 1
            continue
        unchanged = model._base_manager.using(row._state.db).filter(pk=row.pk, **{field.name: stored})
        changed += unchanged.update(**{field.name: reencrypted})
    return changed, failed


def in_batches(rows: QuerySet[Row]) -> Iterator[Row]:
    """Yield the rows by primary key, reading some hundred at a time, so that the caller may change them. SQLite refuses
    to write while a query is still being read, as by `iterator`, once another connection has written."""
    rows = rows.order_by("pk")
    batch = list(rows[:_BATCH_SIZE])
    while batch:
        yield from batch
        batch = list(rows.filter(pk__gt=batch[-1].pk)[:_BATCH_SIZE])


def _outdated_files(storage: Any) -> Iterator[str]:
    for name in storage.stored_before(timezone.now()):
        try:
            with storage.open_stored(name) as file:
                if not encryption.file_has_newest_key(file.read(FILE_HEAD_BYTES)):
                    yield name
        except FileNotFoundError:
            # The file was removed since it was listed.
            continue


def _reencrypt_files(storage: Any) -> tuple[int, int]:
    """Reencrypt a storage's files. Return the numbers of changed and of unreadable files."""
    changed = 0
    failed = 0
    for name in _outdated_files(storage):
        try:
            with storage.open(name) as file:
                content = file.read()
        except FileNotFoundError:
            continue
        except UnreadableError:
            failed += 1
            continue
        storage.replace_stored(name, encryption.encrypt_file(content, name))
        changed += 1
    return changed, failed
