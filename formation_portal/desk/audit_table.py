"""The audit as CSV: the columns as they are hashed, and nothing more, so no person's name."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.db.models import QuerySet

from formation_portal.audit.models import COLUMNS, Entry

_AT_ONCE = 2_000


def rows(entries: QuerySet[Entry]) -> Iterator[Sequence[Any]]:
    """One by one, some thousands in memory at a time. `at` is the moment as people write it, in UTC."""
    yield ("at", *COLUMNS)
    for entry in entries.iterator(chunk_size=_AT_ONCE):
        yield (entry.at.isoformat(), *(getattr(entry, name) for name in COLUMNS))
