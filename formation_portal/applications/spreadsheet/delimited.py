"""Reads a CSV file, whichever program wrote it: encoding and delimiter are found by what makes sense of the file."""

import codecs
import csv
import io
import re
from collections.abc import Iterator

from .grid import CELL_AT_MOST, COLUMNS_AT_MOST, Grid, GridRow, IsHeading, Refusal, SheetRefused, grid_of

_DELIMITERS = ",;\t|"
_NAMED_DELIMITER = re.compile(r'"?sep=(.)"?\r?\n')
_NO_TEXT = re.compile("[\x00-\x08\x0e-\x1f]")
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
# Written before what a spreadsheet would take for a formula, and read as not being there.
TEXT_MARK = "'"
LOOKS_WORKED_OUT = ("=", "+", "-", "@", "\t", "\r")


def read(content: bytes, is_heading: IsHeading) -> Grid:
    """What the file says. Raises SheetRefused where it is no text, or can't be followed to its end."""
    text, remarks = _decoded(content)
    if _NO_TEXT.search(text):
        raise SheetRefused(Refusal.NO_SHEET)
    if not text.strip(f'{_DELIMITERS}" \r\n'):
        return grid_of(())
    named = _NAMED_DELIMITER.match(text)
    text = text[named.end() :] if named else text
    delimiter = named[1] if named else _delimiter(text, is_heading)
    return grid_of(_rows(text, delimiter), remarks)


def as_text(value: str) -> str:
    """A value as it is written, so that no spreadsheet takes it for a formula."""
    is_marked = value.startswith(TEXT_MARK) and value[1:].startswith((*LOOKS_WORKED_OUT, TEXT_MARK))
    return f"{TEXT_MARK}{value}" if is_marked or value.startswith(LOOKS_WORKED_OUT) else value


def _read_text(cell: str) -> str:
    is_marked = cell.startswith(TEXT_MARK) and cell[1:].startswith((*LOOKS_WORKED_OUT, TEXT_MARK))
    return cell[1:] if is_marked else cell


def _decoded(content: bytes) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The text. Without a mark it is UTF-8, or else what Windows writes in western Europe, which is said."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _decode(content, encoding), ()
    try:
        return content.decode("utf-8"), ()
    except UnicodeDecodeError:
        return _decode(content, "cp1252"), (("windows", ""),)


def _decode(content: bytes, encoding: str) -> str:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise SheetRefused(Refusal.LETTERS) from error


def _delimiter(text: str, is_heading: IsHeading) -> str:
    """The one that makes the most known headings of the first filled line; else the most cells."""

    def sense(delimiter: str) -> tuple[int, int]:
        try:
            first = next((row.cells for row in _rows(text, delimiter) if row.is_filled), ())
        except SheetRefused:
            return (0, 0)
        return (sum(map(is_heading, first)), len(first))

    return max(_DELIMITERS, key=sense)


def _rows(text: str, delimiter: str) -> Iterator[GridRow]:
    csv.field_size_limit(CELL_AT_MOST)
    records = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    number = 0
    try:
        for number, record in enumerate(records, start=1):
            yield _row(number, record)
    except csv.Error as error:
        raise SheetRefused(Refusal.QUOTATION, number=number + 1) from error


def _row(number: int, record: list[str]) -> GridRow:
    """A formula has no value in a file of text, and is never worked out: its cell is empty, and known as one."""
    if len(record) > COLUMNS_AT_MOST:
        raise SheetRefused(Refusal.COLUMNS, number=number)
    formulas = frozenset(place for place, cell in enumerate(record) if cell.startswith("="))
    cells = tuple("" if place in formulas else _read_text(cell) for place, cell in enumerate(record))
    return GridRow(number, cells, formulas)
