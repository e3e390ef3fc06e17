"""Reads an XLSX file: one visible sheet, each cell as the text that it shows. A formula is never worked out."""

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time
from decimal import Decimal
from io import BytesIO
from itertools import islice
from typing import Any

from openpyxl import load_workbook
from openpyxl.cell.read_only import EMPTY_CELL

from .archive import examined
from .grid import (
    CELL_AT_MOST,
    COLUMNS_AT_MOST,
    Grid,
    GridRow,
    IsHeading,
    Refusal,
    SheetRefused,
    grid_of,
    within_bounds,
)

# Below this row nobody fills in a sheet that is taken; empty rows cost time too.
_LAST_ROW = 20_000
# Below this row, and behind this sheet, nobody looks for headings.
_HEADINGS_WITHIN, _SHEETS_WITHIN = 100, 20
_ONLY_ZEROS = re.compile("0{1,20}")
# What a spreadsheet shows of a number at most, which is also what it keeps.
_DIGITS = 15


def read(content: bytes, is_heading: IsHeading) -> Grid:
    """What the first sheet with known headings says. Raises SheetRefused where the file can't be read."""
    signs = examined(content)
    merged = (("merged", ""),) if signs.has_merged_cells else ()
    with _opened(content, values=True) as values:
        sheet, remarks = _chosen(values, is_heading)
        if not signs.has_formulas:
            return grid_of(_rows(sheet), (*remarks, *merged))
        with _opened(content, values=False) as worked_out:
            rows = _with_formulas(_rows(sheet), _formulas(worked_out[sheet.title]))
            return grid_of(rows, (*remarks, *merged))


@contextmanager
def _opened(content: bytes, *, values: bool) -> Iterator[Any]:
    """The workbook, read row by row. The library stumbles over a malformed part in any of a dozen ways."""
    try:
        with warnings.catch_warnings():
            # It tells of parts that it leaves out; none of them is read here.
            warnings.simplefilter("ignore")
            book = load_workbook(BytesIO(content), read_only=True, data_only=values, keep_links=False)
            try:
                yield book
            finally:
                book.close()
    except SheetRefused:
        raise
    except Exception as error:
        raise SheetRefused(Refusal.DAMAGED) from error


def _chosen(book: Any, is_heading: IsHeading) -> tuple[Any, tuple[tuple[str, str], ...]]:
    """The visible sheet that begins with headings of the form, and which others are left alone."""
    visible = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
    if not visible:
        raise SheetRefused(Refusal.DAMAGED)
    fitting = [sheet for sheet in visible[:_SHEETS_WITHIN] if _has_headings(sheet, is_heading)]
    hidden = (("hidden", ""),) if len(visible) < len(book.worksheets) else ()
    others = (("first", fitting[0].title),) if len(fitting) > 1 else ()
    return (fitting or visible)[0], (*hidden, *others)


def _has_headings(sheet: Any, is_heading: IsHeading) -> bool:
    rows = within_bounds(islice(_rows(sheet), _HEADINGS_WITHIN))
    first = next((row.cells for row in rows if row.is_filled), ())
    return sum(map(is_heading, first)) > 1


def _rows(sheet: Any) -> Iterator[GridRow]:
    for number, row in _read_rows(sheet):
        places = [place for place, cell in enumerate(row) if cell is not EMPTY_CELL]
        filled = row[: places[-1] + 1] if places else ()
        yield GridRow(number, _without_tail(tuple(map(_shown, filled))))


def _read_rows(sheet: Any) -> Iterator[tuple[int, Any]]:
    # What a sheet says of its own size is often wrong.
    sheet.reset_dimensions()
    for number, row in enumerate(sheet.iter_rows(max_col=COLUMNS_AT_MOST), start=1):
        if number > _LAST_ROW:
            raise SheetRefused(Refusal.TOO_MANY)
        yield number, row


def _without_tail(cells: tuple[str, ...]) -> tuple[str, ...]:
    filled = [place for place, cell in enumerate(cells) if cell.strip()]
    return cells[: filled[-1] + 1] if filled else ()


def _formulas(sheet: Any) -> Iterator[frozenset[int]]:
    for _, row in _read_rows(sheet):
        yield frozenset(place for place, cell in enumerate(row) if cell is not EMPTY_CELL and cell.data_type == "f")


def _with_formulas(rows: Iterator[GridRow], formulas: Iterator[frozenset[int]]) -> Iterator[GridRow]:
    for row, places in zip(rows, formulas, strict=True):
        yield GridRow(row.number, row.cells, places)


def _shown(cell: Any) -> str:
    """What the cell shows, as far as it can be told without the program that draws it."""
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime):
        is_day = value.time() == time()
        return value.date().isoformat() if is_day else value.isoformat(sep=" ", timespec="seconds")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, int | float):
        return _figures(value, str(cell.number_format))
    if len(text := str(value)) > CELL_AT_MOST:
        raise SheetRefused(Refusal.TOO_MANY)
    return text.replace("\x00", "\ufffd")


def _figures(value: float, number_format: str) -> str:
    """A number without what only binary fractions add; as a share, or with leading zeros, where the format says so."""
    share = "%" in number_format
    exact = Decimal(f"{value:.{_DIGITS}g}") * (100 if share else 1)
    text = format(exact.normalize() if exact else Decimal(0), "f")
    if share:
        return f"{text}%"
    return text.zfill(len(number_format)) if _ONLY_ZEROS.fullmatch(number_format) else text
