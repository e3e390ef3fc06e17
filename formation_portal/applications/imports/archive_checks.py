"""Checks an XLSX file before it is parsed: it is an archive, and a small one may unpack to gigabytes."""

import re
import zlib
from copy import copy
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from .grid import SheetRefusal, SheetRefused

# A sheet of MAX_ROWS rows, filled to the last cell, stays below both.
MAX_UNPACKED_BYTES = 30_000_000
MAX_TAGS = 600_000
# Styles, names and whatever else is not a cell: each becomes an object before the first cell is read.
MAX_OTHER_TAGS = 20_000
MAX_PARTS = 1_000

_PASSWORD_FLAG = 0x1
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s/>]")
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\s")
# The parser needs the square of the length of a comment or tag; no program writes either so long.
_LONGEST_MARK_UP = 10_000
_COMMENT, _TAG = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL), re.compile(rb"<[^<>]{%d}" % _LONGEST_MARK_UP)
# Tags other than those of rows, cells and their text.
_OTHER_TAG = re.compile(rb"<(?![/?!]|(?:\w+:)?(?:row|c|f|v|is|si|t)[\s/>])")
# No program writes a DOCTYPE into a sheet, and its entities can expand without end.
_DECLARED = tuple("<!DOCTYPE".encode(encoding) for encoding in ("ascii", "utf-16-le", "utf-16-be"))


def check_archive(content: bytes) -> tuple[bool, bool]:
    """Check the archive within bounds of memory and time: whether it has formulas, and merged cells.

    Raises SheetRefused.
    """
    try:
        with ZipFile(BytesIO(content)) as archive:
            parts = archive.infolist()
            _refuse_other_kinds(archive, parts)
            return _check_parts(archive, parts)
    except (BadZipFile, zlib.error, NotImplementedError, EOFError, OSError, RuntimeError, ValueError) as error:
        raise SheetRefused(SheetRefusal.DAMAGED) from error


def _refuse_other_kinds(archive: ZipFile, parts: list[ZipInfo]) -> None:
    names = {part.filename for part in parts}
    if any(part.flag_bits & _PASSWORD_FLAG for part in parts):
        raise SheetRefused(SheetRefusal.PASSWORD)
    if "xl/workbook.bin" in names or "content.xml" in names:
        raise SheetRefused(SheetRefusal.OTHER_KIND)
    if "[Content_Types].xml" not in names or not any(name.startswith("xl/") for name in names):
        raise SheetRefused(SheetRefusal.NO_SHEET)
    unfolded = sum(part.file_size for part in parts)
    if len(parts) > MAX_PARTS or unfolded > MAX_UNPACKED_BYTES:
        raise SheetRefused(SheetRefusal.TOO_MANY)
    if any(part.compress_type not in (ZIP_STORED, ZIP_DEFLATED) for part in parts):
        raise SheetRefused(SheetRefusal.DAMAGED)


def _check_parts(archive: ZipFile, parts: list[ZipInfo]) -> tuple[bool, bool]:
    """Check each part by itself."""
    tags, others, has_formulas, has_merged_cells = 0, 0, False, False
    for part in parts:
        body = _unpacked(archive, part)
        tags += body.count(b"<")
        if tags > MAX_TAGS:
            raise SheetRefused(SheetRefusal.TOO_MANY)
        others += sum(1 for _ in _OTHER_TAG.finditer(body))
        if others > MAX_OTHER_TAGS:
            raise SheetRefused(SheetRefusal.TOO_MUCH_BESIDE)
        if _TAG.search(body) or any(len(one[0]) > _LONGEST_MARK_UP for one in _COMMENT.finditer(body)):
            raise SheetRefused(SheetRefusal.TOO_MUCH_BESIDE)
        if any(declared in body for declared in _DECLARED):
            raise SheetRefused(SheetRefusal.DAMAGED)
        has_formulas = has_formulas or bool(_FORMULA.search(body))
        has_merged_cells = has_merged_cells or bool(_MERGED.search(body))
    return has_formulas, has_merged_cells


def _unpacked(archive: ZipFile, part: ZipInfo) -> bytes:
    """The unpacked part. Raises SheetRefused where it is longer than its declared size.

    `ZipFile` cuts a part to its declared size, so one byte more is asked for.
    """
    longer = copy(part)
    longer.file_size += 1
    with archive.open(longer) as opened:
        body = opened.read(longer.file_size)
    if len(body) != part.file_size:
        raise SheetRefused(SheetRefusal.DAMAGED)
    return body
