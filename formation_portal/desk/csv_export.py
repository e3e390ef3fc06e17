"""A table as CSV, line by line, in which no spreadsheet finds a formula."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.http import StreamingHttpResponse

from formation_portal.ui.downloads import as_attachment

# With these a spreadsheet would take a text for a formula.
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


class _Line:
    """What the writer writes to: hands the line back."""

    def write(self, line: str) -> str:
        return line


def csv_lines(rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """Each row as a line, as soon as it is there."""
    writer = csv.writer(_Line())
    for row in rows:
        yield writer.writerow([_without_formula(value) for value in row])


def csv_response(rows: Iterable[Sequence[Any]], *, name: str) -> StreamingHttpResponse:
    """A file for its reader alone, which nobody keeps on the way."""
    answer = StreamingHttpResponse(csv_lines(rows), content_type="text/csv")
    return as_attachment(answer, name=f"{name}.csv")


def _without_formula(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULAS) else value
