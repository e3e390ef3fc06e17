"""The attestation of rows in other tables, so that rows altered, removed or slipped in later are found: the audit entry
of the action that writes a row holds the row's digest, keyed by AUDIT_KEY."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from typing import Any, TypeVar

from django.db import models

from formation_portal.core.encryption import UnreadableError

from .keyed_digests import keyed_digests

# Digests by the label of the model and the row's key, as in the detail of an entry.
Digests = dict[str, dict[str, str]]
AModel = TypeVar("AModel", bound=type[models.Model])

_CHUNK_SIZE = 2_000
_models: dict[str, type[models.Model]] = {}
_labels: dict[type[models.Model], str] = {}
_fields: dict[str, tuple[str, ...]] = {}
_not_every: set[str] = set()


def attested(*fields: str, every: bool = True, label: str = "") -> Callable[[AModel], AModel]:
    """Declare the fields of a model that entries attest, and whether `every` row has an entry.

    Never change the fields. A renamed model keeps its `label`, since it is part of the digests.
    """

    def register(model: AModel) -> AModel:
        name = label or model._meta.label_lower
        _models[name] = model
        _labels[model] = name
        _fields[name] = fields
        if not every:
            _not_every.add(name)
        return model

    return register


def digests(rows: Iterable[models.Model]) -> Digests:
    digests_by_label: Digests = {}
    for row in rows:
        digests_by_label.setdefault(label_of(row), {})[str(row.pk)] = _digests(row)[0]
    return digests_by_label


def keys_by_label(rows: Iterable[models.Model]) -> dict[str, list[str]]:
    """Return the keys of rows that are about to be erased, as in the detail of an entry."""
    keys: dict[str, list[str]] = {}
    for row in rows:
        keys.setdefault(label_of(row), []).append(str(row.pk))
    return keys


def altered_rows(label: str, expected: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the key and the fault of each row of a model that differs from its expected digest.

    Rows before the first attested row are left out.
    """
    missing = dict(expected)
    rows = _models[label]._default_manager.filter(pk__gte=min(map(int, expected))).order_by("pk")
    for row in rows.iterator(chunk_size=_CHUNK_SIZE):
        digest = missing.pop(str(row.pk), None)
        if digest is None and label in _not_every:
            continue
        if digest is None:
            yield str(row.pk), "was slipped in"
        elif digest not in _digests(row):
            yield str(row.pk), "was altered"
    for key in missing:
        yield key, "is gone"


def label_of(row: models.Model) -> str:
    """Return the label by which entries name the model of a row."""
    return _labels[row._meta.model]


def _digests(row: models.Model) -> list[str]:
    """Return the digest of a row under each key of AUDIT_KEY."""
    label = label_of(row)
    values = [label, row.pk]
    try:
        for name in _fields[label]:
            values.append(_as_json(getattr(row, name)))
    except UnreadableError:
        # A value that was written without the key fits no digest.
        return [""]
    content = json.dumps(values, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return [digest[:32] for digest in keyed_digests(content)]


def _as_json(value: Any) -> Any:
    if isinstance(value, datetime):
        value = value.astimezone(UTC)
    return value.isoformat() if isinstance(value, date) else value
