"""Read a CSV or XLSX file into a grid, in the sandbox. An XLSX file may unpack to gigabytes, so it is checked first."""

import codecs
import csv
import io
import json
import re
import warnings
import zlib
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from copy import copy
from datetime import date, datetime, time
from decimal import Decimal
from io import BytesIO
from itertools import islice
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from openpyxl import load_workbook
from openpyxl.cell.read_only import EMPTY_CELL

from .grid import (
    HEADINGS_WITHIN,
    MAX_CELL,
    MAX_COLUMNS,
    Grid,
    GridRow,
    SheetRefusal,
    SheetRefused,
    count_headings,
    from_csv,
    grid_of,
    index_of_headings,
    within_bounds,
)

# A sheet of MAX_ROWS rows, filled to the last cell, stays below both limits.
MAX_UNPACKED_BYTES = 30_000_000
MAX_TAGS = 600_000
# Styles, names and other tags outside cells: each becomes an object before the first cell is read.
MAX_OTHER_TAGS = 20_000
MAX_PARTS = 1_000

_PASSWORD_FLAG = 0x1
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s/>]")
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\s")
# The parser's time grows with the square of a comment's or tag's length; no program writes any this long.
_LONGEST_MARK_UP = 10_000
_COMMENT, _TAG = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL), re.compile(rb"<[^<>]{%d}" % _LONGEST_MARK_UP)
# Tags other than those of rows, cells and their text.
_OTHER_TAG = re.compile(rb"<(?![/?!]|(?:\w+:)?(?:row|c|f|v|is|si|t)[\s/>])")
_WORKBOOK, _STRICT = "xl/workbook.xml", b"http://purl.oclc.org/ooxml/"
# A control character, which XML lacks, or an underscore before such a text.
_ESCAPED = re.compile("_x(00[01][0-9A-Fa-f]|005[Ff])_")
# No program writes a DOCTYPE into a sheet, and its entities can expand without end.
_DECLARED = tuple("<!DOCTYPE".encode(encoding) for encoding in ("ascii", "utf-16-le", "utf-16-be"))

_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
# A web page or e-mail with a table, which programs save under the ending of a spreadsheet.
_WEB_PAGES = (b"<", b"MIME-Version:")
# A PDF, a JPEG, a PNG.
_OTHER_FILES = (b"%PDF-", b"\xff\xd8\xff", b"\x89PNG")
_ZIP = b"PK"
_DELIMITERS = ",;\t|"
_NAMED_DELIMITER = re.compile(r'"?sep=(.)"?\r?\n')
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
# Below this row a sheet is refused; empty rows cost time too.
_LAST_ROW_READ = 20_000
# The number of sheets that are searched for headings.
_SHEETS_WITHIN = 20
_ONLY_ZEROS = re.compile("0{1,20}")
# The significant digits that a spreadsheet stores.
_DIGITS = 15


def read_file(content: bytes, *, headings: Collection[str]) -> bytes:
    """Return the grid as JSON, or the refusal with the values of its text. `headings` are known ones, normalized."""
    try:
        answer = _read(content, frozenset(headings)).as_json()
    except SheetRefused as refused:
        answer = {"refused": refused.why, "values": refused.values}
    except MemoryError:
        answer = {"refused": SheetRefusal.TOO_HEAVY, "values": {}}
    return json.dumps(answer).encode()


def _read(content: bytes, headings: Collection[str]) -> Grid:
    if content.startswith(_OLD_OFFICE):
        raise SheetRefused(SheetRefusal.PASSWORD if _ENCRYPTED in content else SheetRefusal.OLD_KIND)
    if content.startswith(_OTHER_FILES):
        raise SheetRefused(SheetRefusal.NO_SHEET)
    if content[:100].lstrip(codecs.BOM_UTF8 + b" \t\r\n").startswith(_WEB_PAGES):
        raise SheetRefused(SheetRefusal.OTHER_KIND)
    if content.startswith(_ZIP):
        return read_xlsx(content, headings)
    return read_csv(content, headings)


def read_csv(content: bytes, headings: Collection[str]) -> Grid:
    """Read a CSV file of any program. Raises SheetRefused if it is not text or has a broken quote."""
    text, remarks = _csv_text(content)
    if "\x00" in text:
        raise SheetRefused(SheetRefusal.NO_SHEET)
    if not text.strip(f'{_DELIMITERS}" \r\n'):
        return grid_of((), headings)
    if named := _NAMED_DELIMITER.match(text):
        return grid_of(_csv_rows(text[named.end() :], named[1]), headings, remarks)
    return grid_of(_csv_rows(text, _delimiter(text, headings)), headings, remarks)


def _csv_text(content: bytes) -> tuple[str, list[tuple[str, str]]]:
    """Return the decoded text and remarks. Without a byte order mark try UTF-8, then Windows-1252 with a remark."""
    encodings = [encoding for mark, encoding in _MARKS if content.startswith(mark)]
    for encoding in encodings or ("utf-8", "cp1252"):
        with suppress(UnicodeDecodeError):
            return content.decode(encoding), [("windows", "")] if encoding == "cp1252" else []
    raise SheetRefused(SheetRefusal.LETTERS)


def _delimiter(text: str, headings: Collection[str]) -> str:
    """Return the delimiter that splits the row of headings into the most known headings, then the most cells."""
    best, most = _DELIMITERS[0], (0, 0)
    for delimiter in _DELIMITERS:
        top = _top_rows(_up_to_refusal(_csv_rows(text, delimiter)))
        if not top:
            continue
        cells = top[index_of_headings(top, headings)].cells
        counts = (count_headings(cells, headings), len(cells))
        if counts > most:
            best, most = delimiter, counts
    return best


def _top_rows(rows: Iterable[GridRow]) -> list[GridRow]:
    """Return the filled ones of the rows that are searched for headings."""
    return [row for row in islice(rows, HEADINGS_WITHIN) if row.is_filled]


def _up_to_refusal(rows: Iterator[GridRow]) -> Iterator[GridRow]:
    with suppress(SheetRefused):
        yield from rows


def _csv_rows(text: str, delimiter: str) -> Iterator[GridRow]:
    csv.field_size_limit(MAX_CELL)
    records = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    number = 0
    try:
        for number, record in enumerate(records, start=1):
            if len(record) > MAX_COLUMNS:
                raise SheetRefused(SheetRefusal.COLUMNS, number=number)
            # CSV holds no result of a formula, so the cell is read as empty.
            formulas = frozenset(place for place, cell in enumerate(record) if cell.startswith("="))
            cells = ("" if place in formulas else from_csv(cell) for place, cell in enumerate(record))
            yield GridRow(number, tuple(cells), formulas)
    except csv.Error as error:
        # The parser's text is the only sign of the limit.
        why = SheetRefusal.LONG_CSV_CELL if "limit" in str(error) else SheetRefusal.QUOTATION
        raise SheetRefused(why, number=number + 1) from error


def read_xlsx(content: bytes, headings: Collection[str]) -> Grid:
    """Read the sheet with the headings of the form as the texts it shows, without evaluating formulas."""
    has_formulas, has_merged_cells = check_archive(content)
    with _open_workbook(content, values=True) as values:
        sheet, remarks = _chosen_sheet(values, headings)
        if has_merged_cells:
            remarks.append(("merged", ""))
        if not has_formulas:
            return grid_of(_sheet_rows(sheet), headings, remarks)
        with _open_workbook(content, values=False) as with_formulas:
            return grid_of(_with_formulas(_sheet_rows(sheet), with_formulas[sheet.title]), headings, remarks)


def check_archive(content: bytes) -> tuple[bool, bool]:
    """Check the archive with little memory and time. Return whether it has formulas, and merged cells."""
    try:
        with ZipFile(BytesIO(content)) as archive:
            _refuse_other_kinds(archive.infolist())
            return _check_parts(archive)
    except (BadZipFile, zlib.error, NotImplementedError, EOFError, OSError, RuntimeError, ValueError) as error:
        raise SheetRefused(SheetRefusal.DAMAGED) from error


def _refuse_other_kinds(parts: list[ZipInfo]) -> None:
    names = [part.filename for part in parts]
    if any(part.flag_bits & _PASSWORD_FLAG for part in parts):
        raise SheetRefused(SheetRefusal.PASSWORD)
    if "xl/workbook.bin" in names or "content.xml" in names:
        raise SheetRefused(SheetRefusal.OTHER_KIND)
    if "[Content_Types].xml" not in names or not any(name.startswith("xl/") for name in names):
        raise SheetRefused(SheetRefusal.NO_SHEET)
    if sum(part.file_size for part in parts if _has_cells(part)) > MAX_UNPACKED_BYTES:
        raise SheetRefused(SheetRefusal.TOO_MANY)
    if len(parts) > MAX_PARTS or sum(part.file_size for part in parts) > MAX_UNPACKED_BYTES:
        raise SheetRefused(SheetRefusal.TOO_MUCH_BESIDE)


def _has_cells(part: ZipInfo) -> bool:
    """Tell whether a part grows with the rows of the sheets: a sheet, or the texts of all sheets."""
    return part.filename.startswith(("xl/worksheets/", "xl/sharedStrings"))


def _check_parts(archive: ZipFile) -> tuple[bool, bool]:
    tags = others = 0
    has_formulas = has_merged_cells = False
    for part in archive.infolist():
        body = _unpacked(archive, part)
        tags += body.count(b"<")
        if tags > MAX_TAGS:
            raise SheetRefused(SheetRefusal.TOO_MANY if _has_cells(part) else SheetRefusal.TOO_MUCH_BESIDE)
        others += sum(1 for _ in _OTHER_TAG.finditer(body))
        if others > MAX_OTHER_TAGS:
            raise SheetRefused(SheetRefusal.TOO_MUCH_BESIDE)
        if _TAG.search(body) or any(len(match[0]) > _LONGEST_MARK_UP for match in _COMMENT.finditer(body)):
            raise SheetRefused(SheetRefusal.TOO_MUCH_BESIDE)
        if part.filename == _WORKBOOK and _STRICT in body:
            raise SheetRefused(SheetRefusal.STRICT)
        if any(declared in body for declared in _DECLARED):
            raise SheetRefused(SheetRefusal.DAMAGED)
        has_formulas = has_formulas or bool(_FORMULA.search(body))
        has_merged_cells = has_merged_cells or bool(_MERGED.search(body))
    return has_formulas, has_merged_cells


def _unpacked(archive: ZipFile, part: ZipInfo) -> bytes:
    """Unpack a part, asking for a byte more than declared. `ZipFile` would cut a longer part, which must be refused."""
    if part.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise SheetRefused(SheetRefusal.DAMAGED)
    longer = copy(part)
    longer.file_size += 1
    with archive.open(longer) as opened:
        body = opened.read(longer.file_size)
    if len(body) != part.file_size:
        raise SheetRefused(SheetRefusal.DAMAGED)
    return body


@contextmanager
def _open_workbook(content: bytes, *, values: bool) -> Iterator[Any]:
    """Open a workbook for reading by rows. The library raises a dozen kinds of error for malformed parts."""
    try:
        with warnings.catch_warnings():
            # The library warns of parts that it skips; none of them is read here.
            warnings.simplefilter("ignore")
            book = load_workbook(BytesIO(content), read_only=True, data_only=values, keep_links=False)
            try:
                yield book
            finally:
                book.close()
    except SheetRefused:
        raise
    except Exception as error:
        raise SheetRefused(SheetRefusal.DAMAGED) from error


def _chosen_sheet(book: Any, headings: Collection[str]) -> tuple[Any, list[tuple[str, str]]]:
    """Return the first visible sheet with rows below the form's headings, else with headings, else with rows.

    Also return remarks on the sheets that are not read.
    """
    visible = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
    if not visible:
        raise SheetRefused(SheetRefusal.HIDDEN)
    filled, headed, fitting = [], [], []
    for sheet in visible[:_SHEETS_WITHIN]:
        top = _top_rows(within_bounds(_sheet_rows(sheet)))
        if not top:
            continue
        filled.append(sheet)
        index = index_of_headings(top, headings)
        if count_headings(top[index].cells, headings) > 1:
            headed.append(sheet)
            if len(top) > index + 1:
                fitting.append(sheet)
    remarks = []
    if len(visible) < len(book.worksheets):
        remarks.append(("hidden", ""))
    if len(fitting) > 1:
        remarks.append(("first", fitting[0].title))
    return (fitting or headed or filled or visible)[0], remarks


def _sheet_rows(sheet: Any) -> Iterator[GridRow]:
    for number, row in _read_rows(sheet):
        cells = list(map(_shown_text, row))
        if any(len(text) > MAX_CELL for text in cells):
            raise SheetRefused(SheetRefusal.LONG_CELL, number=number, limit=MAX_CELL)
        while cells and not cells[-1].strip():
            cells.pop()
        yield GridRow(number, tuple(cells))


def _read_rows(sheet: Any) -> Iterator[tuple[int, list[Any]]]:
    # The declared size of a sheet is often wrong.
    sheet.reset_dimensions()
    for number, row in enumerate(sheet.iter_rows(max_col=MAX_COLUMNS), start=1):
        if number > _LAST_ROW_READ:
            raise SheetRefused(SheetRefusal.TOO_FAR_BELOW, limit=_LAST_ROW_READ)
        cells = list(row)
        while cells and cells[-1] is EMPTY_CELL:
            cells.pop()
        yield number, cells


def _with_formulas(rows: Iterator[GridRow], sheet: Any) -> Iterator[GridRow]:
    """Add to each row the indexes of its formulas, read from the same sheet opened without values."""
    for row, (_, cells) in zip(rows, _read_rows(sheet), strict=True):
        is_formula = (place for place, cell in enumerate(cells) if cell is not EMPTY_CELL and cell.data_type == "f")
        yield GridRow(row.number, row.cells, frozenset(is_formula))


def _shown_text(cell: Any) -> str:
    """Return the text that a cell shows, judging by its value and format."""
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="seconds")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, int | float):
        return _number_text(value, str(cell.number_format))
    return _ESCAPED.sub(lambda escaped: chr(int(escaped[1], 16)), str(value)).replace("\x00", "\ufffd")


def _number_text(value: float, number_format: str) -> str:
    """Write a number without binary rounding; as a percentage, or with leading zeros, if its format has them."""
    share = "%" in number_format
    exact = Decimal(f"{value:.{_DIGITS}g}") * (100 if share else 1)
    if exact.adjusted() >= _DIGITS:
        # Digits are missing, so it is written like 1.23E+15.
        return str(exact.normalize())
    text = format(exact.normalize() if exact else Decimal(0), "f")
    if share:
        return f"{text}%"
    return text.zfill(len(number_format)) if _ONLY_ZEROS.fullmatch(number_format) else text
