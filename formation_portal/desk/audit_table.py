"""The audit as CSV: the columns as they are hashed, and nothing more, so no person's name."""

import csv
from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

from formation_portal.audit.models import COLUMNS, Entry

_AT_ONCE = 2_000
# With these a spreadsheet would take a text for a formula.
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


class _Line:
    """What the writer writes to: hands the line back."""

    def write(self, line: str) -> str:
        return line


def lines(entries: QuerySet[Entry]) -> Iterator[str]:
    """Line by line, some thousands of entries in memory at a time. `at` is the moment as people write it, in UTC."""
    writer = csv.writer(_Line())
    yield writer.writerow(("at", *COLUMNS))
    for entry in entries.iterator(chunk_size=_AT_ONCE):
        yield writer.writerow((entry.at.isoformat(), *(_plain(getattr(entry, name)) for name in COLUMNS)))


def _plain(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULAS) else value
