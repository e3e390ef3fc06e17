"""A file's headings and rows as texts, and the reasons to refuse a file. The sandbox imports this without Django."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, islice
from typing import Any

from formation_portal.contract.fields.cleaning import clean_line
from formation_portal.contract.fields.spreadsheet import fold
from formation_portal.contract.localisation import format_number, gettext, gettext_noop

# Follows the heading of a required column.
NEEDED_MARK = "*"
# All rows are validated and shown on one page, and added in one transaction.
MAX_ROWS = 200
MAX_COLUMNS = 1_000
MAX_BYTES = 5_000_000
# Characters of one cell; an unclosed quote would otherwise take in the rest of the file.
MAX_CELL = 40_000
# Characters of all cells: in a small workbook, many cells can share one stored text.
MAX_CHARACTERS = 2_000_000
# The number of rows that are searched for headings.
HEADINGS_WITHIN = 100


def normalized_heading(heading: str) -> str:
    """Clean a heading, normalize its case, and drop the mark of required columns."""
    return fold(clean_line(heading).rstrip(NEEDED_MARK))


# Written before a value that a spreadsheet would take for a formula, and dropped when it is read.
_TEXT_MARK = "'"
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def as_csv(value: str) -> str:
    """Write a value for CSV, with a mark if a spreadsheet would take it for a formula."""
    return f"{_TEXT_MARK}{value}" if _is_marked(value) or value.startswith(_FORMULA_STARTS) else value


def from_csv(cell: str) -> str:
    return cell[1:] if _is_marked(cell) else cell


def _is_marked(text: str) -> bool:
    return text.startswith(_TEXT_MARK) and text[1:].startswith((*_FORMULA_STARTS, _TEXT_MARK))


class SheetRefusal(StrEnum):
    """The reasons to refuse a file, with advice on how to correct it. The sandbox returns them too."""

    TOO_LARGE = gettext_noop("The file must be {limit}\u00a0MB or smaller")
    TOO_MANY = gettext_noop(
        "Upload at most {most} rows at a time. This spreadsheet has far more. If most are empty, copy the others into a"
        " new spreadsheet"
    )
    TOO_MANY_ROWS = gettext_noop("Upload at most {most} rows at a time. This spreadsheet has {count}")
    TOO_FAR_BELOW = gettext_noop("Delete everything below row {limit}. We read no further")
    TOO_MUCH_TEXT = gettext_noop("This spreadsheet has too much text. Shorten its cells, then upload it")
    LONG_CELL = gettext_noop("Shorten the cells of row {number} to {limit} characters or fewer")
    LONG_CSV_CELL = gettext_noop("Shorten the cells of row {number}, or correct its quotation marks")
    TOO_MUCH_BESIDE = gettext_noop("This file is too complex. Save it as CSV, then upload it")
    TOO_HEAVY = gettext_noop("This file takes too long to read. Save it as CSV, then upload it")
    BUSY = gettext_noop("We are still reading another spreadsheet of yours. Wait a moment, then upload this one again")
    ALL_BUSY = gettext_noop("We are reading too many files at the moment. Wait a moment, then upload this one again")
    HIDDEN = gettext_noop("All sheets of this file are hidden. Show one, then upload the file")
    EMPTY = gettext_noop("This spreadsheet is empty. Fill it in, then upload it")
    NO_ROWS = gettext_noop("Fill in at least one row below the headings")
    PASSWORD = gettext_noop("This file is protected. Save it without a password, then upload it")
    OLD_KIND = gettext_noop("This is an older type of file. Save it as XLSX or CSV, then upload it")
    OTHER_KIND = gettext_noop("Save the spreadsheet as XLSX or CSV, then upload it")
    STRICT = gettext_noop(
        "This file is a Strict Open XML Spreadsheet. In Excel save it as “Excel Workbook (.xlsx)”, then upload it"
    )
    NO_SHEET = gettext_noop("The file must be XLSX or CSV")
    DAMAGED = gettext_noop("This file is damaged or is not an XLSX file. Save it again as XLSX, then upload it")
    LETTERS = gettext_noop("We can’t read the text in this file. Save it as CSV in UTF-8, then upload it")
    QUOTATION = gettext_noop("Correct row {number}. A quotation mark is missing or in the wrong place")
    COLUMNS = gettext_noop("Row {number} has too many columns. Remove some")


class SheetRefused(Exception):
    """The refusal of a file. `why` is a SheetRefusal with `values` for its text, or a text in the reader's language."""

    def __init__(self, why: SheetRefusal | str, **values: int) -> None:
        super().__init__(why)
        self.why = why
        self.values = values

    @property
    def message(self) -> str:
        if not isinstance(self.why, SheetRefusal):
            return self.why
        numbers = {name: format_number(value) for name, value in self.values.items()}
        return gettext(self.why, most=format_number(MAX_ROWS), **numbers)


@dataclass(frozen=True, slots=True)
class GridRow:
    """A row by its number in the sheet; `formulas` are the indexes of cells with a formula."""

    number: int
    cells: tuple[str, ...]
    formulas: frozenset[int] = frozenset()

    @property
    def is_filled(self) -> bool:
        return bool(self.formulas) or any(cell.strip() for cell in self.cells)


@dataclass(frozen=True, slots=True)
class Grid:
    """The headings and the filled rows below. `remarks` on the file are pairs of a code and a detail."""

    headings: tuple[str, ...]
    rows: tuple[GridRow, ...]
    remarks: tuple[tuple[str, str], ...] = ()

    def as_json(self) -> dict[str, Any]:
        rows = [{"number": row.number, "cells": row.cells, "formulas": sorted(row.formulas)} for row in self.rows]
        return {"headings": self.headings, "rows": rows, "remarks": self.remarks}

    @classmethod
    def from_json(cls, answer: Any) -> "Grid":
        """Read the grid that the sandbox returned. Raises ValueError, TypeError or KeyError for anything else."""
        return cls(
            headings=tuple(map(str, answer["headings"])),
            rows=tuple(
                GridRow(int(row["number"]), tuple(map(str, row["cells"])), frozenset(map(int, row["formulas"])))
                for row in answer["rows"][:MAX_ROWS]
            ),
            remarks=tuple((str(code), str(detail)) for code, detail in answer["remarks"]),
        )


def count_headings(cells: Iterable[str], headings: Collection[str]) -> int:
    return sum(normalized_heading(cell) in headings for cell in cells)


def index_of_headings(filled: Sequence[GridRow], headings: Collection[str]) -> int:
    """Return the index of the first row with two known headings, below any titles; 0 if there is none."""
    for index, row in enumerate(filled):
        if count_headings(row.cells, headings) > 1:
            return index
    return 0


def grid_of(rows: Iterable[GridRow], headings: Collection[str], remarks: Iterable[tuple[str, str]] = ()) -> Grid:
    """Make a grid of the row of headings and the rows below. Raises SheetRefused for no or too many of them."""
    filled = (row for row in within_bounds(rows) if row.is_filled)
    top = list(islice(filled, HEADINGS_WITHIN))
    if not top:
        raise SheetRefused(SheetRefusal.EMPTY)
    index = index_of_headings(top, headings)
    rest = chain(top[index + 1 :], filled)
    below = list(islice(rest, MAX_ROWS))
    if not below:
        raise SheetRefused(SheetRefusal.NO_ROWS)
    # Rows past the limit are counted, not kept.
    if more := sum(1 for _ in rest):
        raise SheetRefused(SheetRefusal.TOO_MANY_ROWS, count=MAX_ROWS + more)
    return Grid(top[index].cells, tuple(below), tuple(remarks))


def within_bounds(rows: Iterable[GridRow]) -> Iterator[GridRow]:
    """Yield the rows. Raises SheetRefused once they hold more than MAX_CHARACTERS."""
    characters = 0
    for count, row in enumerate(rows):
        characters += sum(map(len, row.cells))
        if characters > MAX_CHARACTERS:
            raise SheetRefused(SheetRefusal.TOO_MANY if count > MAX_ROWS else SheetRefusal.TOO_MUCH_TEXT)
        yield row
