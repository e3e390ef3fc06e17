"""What entries attest of rows in other tables, so that one that is altered, removed or slipped in later is found.

A model whose rows say what somebody did or decided is `attested`, with the fields that matter. The entry of the deed
that writes a row then carries the row's digest. It is keyed (AUDIT_KEY): whoever can write to the database alone makes
no digest that fits, and once a draft is deleted nobody can find out by trying what an entry was the digest of.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from typing import Any, TypeVar

from django.db import models

from formation_portal.core.encryption import UnreadableError

from .keyed_digests import keyed_digests

# Digests by the label of the model and the row's key, as an entry's detail keeps them.
Digests = dict[str, dict[str, str]]
AModel = TypeVar("AModel", bound=type[models.Model])

_CHUNK_SIZE = 2_000
_models: dict[str, type[models.Model]] = {}
_fields: dict[str, tuple[str, ...]] = {}
_not_every: set[str] = set()


def attested(*fields: str, every: bool = True, label: str = "") -> Callable[[AModel], AModel]:
    """Declare which fields of a model entries attest, and whether `every` row has an entry. The fields never change:
    what is added later is attested by no entry of before. A model that is renamed keeps the `label` that it had, since
    the digests hold it."""

    def register(model: AModel) -> AModel:
        name = label or model._meta.label_lower
        _models[name], _fields[name] = model, fields
        if not every:
            _not_every.add(name)
        return model

    return register


def digests(rows: Iterable[models.Model]) -> Digests:
    """The digest of each row as it stands in memory, which is as it was saved."""
    found: Digests = {}
    for row in rows:
        found.setdefault(label_of(row), {})[str(row.pk)] = _digests(row)[0]
    return found


def keys_by_label(rows: Iterable[models.Model]) -> dict[str, list[str]]:
    """The keys of rows that are about to be erased, as an entry's detail names them."""
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(label_of(row), []).append(str(row.pk))
    return found


def altered_rows(label: str, expected: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The keys of the model's rows that are not as they were attested, each with what is wrong.

    Rows older than the first attested one were written before there were digests, and are left out.
    """
    missing = dict(expected)
    for row in _rows(label, min(map(int, expected))):
        digest = missing.pop(str(row.pk), None)
        if digest is None and label in _not_every:
            continue
        if digest is None:
            yield str(row.pk), "was slipped in"
        elif digest not in _digests(row):
            yield str(row.pk), "was altered"
    for key in missing:
        yield key, "is gone"


def _rows(label: str, first: int) -> Iterator[models.Model]:
    found = _models[label]._default_manager.filter(pk__gte=first).order_by("pk")
    return iter(found.iterator(chunk_size=_CHUNK_SIZE))


def label_of(row: models.Model) -> str:
    """The label by which entries name the model of a row, whatever the model is called now."""
    return next(label for label, model in _models.items() if isinstance(row, model))


def _digests(row: models.Model) -> list[str]:
    """Return the digest of a row under each key of AUDIT_KEY."""
    label = label_of(row)
    try:
        said = [label, row.pk, *(_as_json(getattr(row, name)) for name in _fields[label])]
    except UnreadableError:
        # Whoever changed it had no key: it is no row's digest.
        return [""]
    content = json.dumps(said, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return [digest[:32] for digest in keyed_digests(content)]


def _as_json(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    return value.isoformat() if isinstance(value, date) else value
