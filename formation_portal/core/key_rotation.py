"""Encrypts everything anew under the newest key, while the portal serves (`manage.py rotate_keys`).

Each value is replaced only if it is still what was read, so that whatever is saved meanwhile stays. Processes that run
meet the new key within READ_AGAIN_SECONDS, or when they read the first value under it.
"""

import time
from collections.abc import Callable, Iterator
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.files.storage import storages
from django.db import router
from django.db.models import Model, QuerySet
from django.utils import timezone

from . import encryption
from .encrypted_fields import EncryptedField, Stored, encrypted_fields
from .encryption import FILE_HEAD_BYTES, READ_AGAIN_SECONDS, UnreadableError, decrypt, encrypt, key_ring
from .nodes import secret_store
from .nodes.secret_store import StoredSecret
from .storage import SERVICE_FILES

Say = Callable[[str], object]

_AT_ONCE = 500
_tasks: list[Callable[[], object]] = []


class RotationRefused(Exception):
    """Why keys are neither added nor dropped, in words for whoever runs the command."""


def rotation_task(task: Callable[[], object]) -> Callable[[], object]:
    """Declare what makes digests anew that were made under an earlier key: each time after all else."""
    _tasks.append(task)
    return task


def check_keys() -> None:
    """At the start of each process: raises ImproperlyConfigured where no key opens what the databases hold."""
    checked: set[str] = set()
    for model, field in _columns():
        if (alias := router.db_for_read(model)) in checked:
            continue
        filled = model._base_manager.using(alias).exclude(**{f"{field.name}__isnull": True}).exclude(**{field.name: ""})
        for stored in filled.values_list(field.name, flat=True)[:1]:
            checked.add(alias)
            if stored.partition(":")[0] not in key_ring().by_id:
                raise ImproperlyConfigured(
                    "FIELD_KEYS: none of them opens what is stored. Set SECRETS_KEY or FIELD_KEYS as on the other "
                    "nodes, or put field-keys of your backup into DATA_DIR."
                )


def add_key() -> None:
    """Put a new key before the others. Raises RotationRefused."""
    if settings.FIELD_KEYS:
        raise RotationRefused("FIELD_KEYS is set. Put a new key before the others there, start all processes anew")
    ring = encryption.read_ring_again()
    secret_store.replace(StoredSecret.FIELD_KEYS, f"{encryption.new_key()} {ring.text}")
    encryption.read_ring_again()


def drop_keys() -> int:
    """Drop every key but the newest; how many there were. Raises RotationRefused while anything needs one of them."""
    if settings.FIELD_KEYS:
        raise RotationRefused("FIELD_KEYS is set. Remove the older keys there")
    ring = encryption.read_ring_again()
    if left := sum(1 for _ in outdated()):
        raise RotationRefused(f"{left} columns or folders need an earlier key. Run rotate_keys --again")
    if time.time() - secret_store.changed_at(StoredSecret.FIELD_KEYS) < 2 * READ_AGAIN_SECONDS:
        raise RotationRefused(f"Wait {2 * READ_AGAIN_SECONDS:.0f} seconds, until every process has the newest key")
    for task in _tasks:
        task()
    secret_store.replace(StoredSecret.FIELD_KEYS, ring.text.split()[0])
    encryption.read_ring_again()
    return len(ring.by_id) - 1


def encrypt_anew(say: Say) -> int:
    """Everything that an earlier key has encrypted; how many values and files nobody can read."""
    unreadable = 0
    for model, field in _columns():
        changed, failed = _renew_column(model, field)
        unreadable += failed
        if changed or failed:
            say(_counted(f"{model._meta.label}.{field.name}", changed, failed))
    for alias in ("default", SERVICE_FILES):
        changed, failed = _renew_files(storages[alias])
        unreadable += failed
        if changed or failed:
            say(_counted(f"Files of {alias}", changed, failed))
    for task in _tasks:
        task()
    return unreadable


def _counted(what: str, changed: int, failed: int) -> str:
    return f"{what}: {changed} encrypted anew" + (f", {failed} unreadable" if failed else "")


def outdated() -> Iterator[str]:
    """The columns and storages that hold anything that an earlier key has encrypted, or none."""
    for model, field in _columns():
        if _older(model, field).exists():
            yield f"{model._meta.label}.{field.name}"
    for alias in ("default", SERVICE_FILES):
        if any(True for _ in _older_files(storages[alias])):
            yield f"files of {alias}"


def _columns() -> Iterator[tuple[type[Model], EncryptedField]]:
    return ((model, field) for model in apps.get_models() for field in encrypted_fields(model))


def _older(model: type[Model], field: EncryptedField) -> QuerySet[Any]:
    newest = {f"{field.name}__startswith": Stored(f"{key_ring().first.id}:")}
    rows = model._base_manager.using(router.db_for_write(model)).exclude(**{f"{field.name}__isnull": True})
    return rows.exclude(**newest).exclude(**{field.name: ""}).order_by("pk")


def _renew_column(model: type[Model], field: EncryptedField) -> tuple[int, int]:
    changed, failed, last = 0, 0, None
    older = _older(model, field).only("pk", field.name, *field.bound_to)
    while rows := list((older if last is None else older.filter(pk__gt=last))[:_AT_ONCE]):
        for row in rows:
            stored, context = row.__dict__[field.attname], field.context_of(row)
            try:
                renewed = Stored(encrypt(decrypt(stored, context), context))
            except UnreadableError:
                failed += 1
                continue
            there = model._base_manager.using(row._state.db).filter(pk=row.pk, **{field.name: stored})
            changed += there.update(**{field.name: renewed})
        last = rows[-1].pk
    return changed, failed


def _older_files(storage: Any) -> Iterator[str]:
    for name in storage.stored_before(timezone.now()):
        try:
            with storage.open_stored(name) as file:
                if not encryption.is_newest_file(file.read(FILE_HEAD_BYTES)):
                    yield name
        except FileNotFoundError:
            # Removed since it was listed.
            continue


def _renew_files(storage: Any) -> tuple[int, int]:
    changed = failed = 0
    for name in _older_files(storage):
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
