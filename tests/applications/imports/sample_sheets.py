"""Sheets as people make them: of the small product's headings, in any kind of file."""

import csv
import io
import zipfile
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook

from formation_portal.applications.imports.grid import Grid, SheetRefused, normalized_heading
from formation_portal.applications.imports.uploads import read_sheet

HEADS = (
    "Kind",
    "Role: director",
    "Role: shareholder",
    "First name",
    "Last name",
    "E-mail address (Person)",
    "Date of birth",
)
ADA = ("Person", "Yes", "", "Ada", "Lovelace", "ada@example.com", "10 December 1985")
NOOR = ("Person", "Yes", "yes", "Noor", "Haddad", "noor@example.com", "1990-05-01")

KNOWN = {normalized_heading(heading) for heading in HEADS}
Row = Iterable[Any]


def read(content: bytes) -> Grid:
    """Read a file as the sheet of a small product."""
    return read_sheet(content, KNOWN, account=1)


def refusal(content: bytes) -> str:
    """Return the words with which a file is refused."""
    with pytest.raises(SheetRefused) as refused:
        read(content)
    return refused.value.message


def as_csv(*rows: Row, delimiter: str = ",", encoding: str = "utf-8") -> bytes:
    """The rows as a file of text."""
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter).writerows(rows)
    return text.getvalue().encode(encoding)


def as_xlsx(*rows: Row, change: Callable[[Any, Any], object] | None = None) -> bytes:
    """The rows as a workbook; `change` is handed the workbook and its sheet before they are saved."""
    book = Workbook()
    sheet: Any = book.active
    for row in rows:
        sheet.append(tuple(row))
    if change:
        change(book, sheet)
    return saved(book)


def saved(book: Any) -> bytes:
    """The workbook as a file."""
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def opened(content: bytes) -> Any:
    """The workbook that a file holds."""
    return load_workbook(io.BytesIO(content))


def with_part(content: bytes, name: str, change: Callable[[bytes], bytes], **how: Any) -> bytes:
    """The archive with one of its parts changed."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.infolist():
            body = old.read(part)
            new.writestr(part.filename, change(body) if part.filename == name else body, **how)
    return file.getvalue()


def inserted(content: bytes, tag: bytes, more: bytes, *, name: str = "xl/worksheets/sheet1.xml", **how: Any) -> bytes:
    """The workbook with more before a tag of one of its parts."""
    return with_part(content, name, lambda body: body.replace(tag, more + tag), **how)


def with_values(content: bytes, values: dict[str, str]) -> bytes:
    """The workbook with what its formulas came to when a program last saved it, by cell: type and value."""

    def put(body: bytes) -> bytes:
        for cell, value in values.items():
            start = body.index(f'<c r="{cell}"'.encode())
            end = body.index(b"</c>", start)
            kept = body[start:end].partition(b"<v")[0].replace(b"<c ", b'<c t="str" ')
            body = body[:start] + kept + f"<v>{value}</v>".encode() + body[end:]
        return body

    return with_part(content, "xl/worksheets/sheet1.xml", put)
