"""Small files that unfold into much, and what they may cost before they are refused."""

import io
import struct
import tracemalloc
import zipfile
import zlib
from typing import Any

import pytest

from formation_portal.applications.imports import uploads
from formation_portal.applications.imports.grid import (
    MAX_CELL,
    MAX_CHARACTERS,
    GridRow,
    SheetRefusal,
    SheetRefused,
    grid_of,
    within_bounds,
)
from formation_portal.applications.imports.readers import check_archive

from . import sample_sheets
from .conftest import KNOWN, read, refusal
from .sample_sheets import ADA, HEADS, as_csv, as_xlsx

_SHEET, _TYPES, _STRINGS = "xl/worksheets/sheet1.xml", "[Content_Types].xml", "xl/sharedStrings.xml"
_PACKED = {"compress_type": zipfile.ZIP_DEFLATED}
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_STRINGS_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"


def lying_about_its_size(content: bytes, *, holds: int, says: int) -> bytes:
    """The archive with one more part, whose entry says less than it unfolds into."""
    file = io.BytesIO(content)
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/more.xml", b"0" * holds)
    made = bytearray(file.getvalue())
    entry = made.rindex(b"PK\x01\x02")
    made[entry + 16 : entry + 20] = struct.pack("<I", zlib.crc32(b"0" * says))
    made[entry + 24 : entry + 28] = struct.pack("<I", says)
    return bytes(made)


def sharing(text: str, *, rows: int, cells: int) -> bytes:
    """A workbook that keeps a text once, and has it in many cells."""
    row = b"<row>" + b'<c t="s"><v>0</v></c>' * cells + b"</row>"
    there = f'<Override PartName="/{_STRINGS}" ContentType="{_STRINGS_TYPE}"/></Types>'.encode()
    content = sample_sheets.with_part(as_xlsx(HEADS), _TYPES, lambda body: body.replace(b"</Types>", there))
    content = sample_sheets.with_part(
        content, _SHEET, lambda body: body.replace(b"</sheetData>", row * rows + b"</sheetData>")
    )
    file = io.BytesIO(content)
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_STRINGS, f'<sst xmlns="{_MAIN}"><si><t xml:space="preserve">{text}</t></si></sst>')
    return file.getvalue()


def test_a_part_that_is_longer_than_it_says_is_refused_before_it_has_unfolded() -> None:
    content = lying_about_its_size(as_xlsx(HEADS, ADA), holds=40_000_000, says=100)
    tracemalloc.start()
    try:
        with pytest.raises(SheetRefused) as refused:
            check_archive(content)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert refused.value.why is SheetRefusal.DAMAGED
    assert peak < 5_000_000


@pytest.mark.parametrize(
    "mark_up",
    [b"<!--" + b"-" * 20_000_000 + b"-->", b"<x" + b" a" * 100_000 + b"/>", b"<!--" + b"x" * 20_000],
    ids=["a comment", "a tag", "a comment without an end"],
)
def test_mark_up_that_the_parser_takes_minutes_for_is_refused_without_parsing(mark_up: bytes) -> None:
    """A comment of 33 kB on the wire cost 94 seconds of processor time."""
    content = sample_sheets.with_part(
        as_xlsx(HEADS, ADA), _SHEET, lambda body: body.replace(b"<sheetData>", mark_up + b"<sheetData>"), **_PACKED
    )
    with pytest.raises(SheetRefused) as refused:
        check_archive(content)
    assert refused.value.why is SheetRefusal.TOO_MUCH_BESIDE
    assert "too complex" in refusal(content)


def test_a_sheet_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "_TASK", f"{__name__}:without_end")
    monkeypatch.setattr(
        uploads.sandbox.run_task, "__kwdefaults__", {**uploads.sandbox.run_task.__kwdefaults__, "seconds": 1}
    )
    assert refusal(as_csv(HEADS, ADA)) == "This file takes too long to read. Save it as CSV, then upload it"


def without_end(content: bytes, *, headings: list[str]) -> bytes:
    """A task that never ends."""
    while True:
        pass


def test_an_account_has_one_sheet_read_at_a_time() -> None:
    with uploads._one_at_a_time(1):
        assert "still reading another spreadsheet" in refusal(as_csv(HEADS, ADA))
        assert len(uploads.read_sheet(as_csv(HEADS, ADA), KNOWN, account=2).rows) == 1
    assert len(read(as_csv(HEADS, ADA)).rows) == 1


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"{",
        b"[]",
        b'{"headings": 1}',
        b'{"refused": "made-up", "values": {}}',
        b'{"refused": "quotation", "values": {}}',
        b'{"refused": "quotation", "values": {"number": "{0:>999999999}"}}',
        b'{"headings": [], "rows": [{"number": 1}], "remarks": []}',
    ],
)
def test_what_the_sandbox_answers_is_never_believed(answer: bytes) -> None:
    with pytest.raises(SheetRefused) as refused:
        uploads._grid(answer)
    assert refused.value.why is SheetRefusal.TOO_HEAVY


def test_a_text_counts_in_every_cell_that_holds_it() -> None:
    assert "far more" in refusal(sharing("x" * 30_000, rows=10, cells=10))
    assert len(read(sharing("x" * 3_000, rows=10, cells=10)).rows) == 10


def test_rows_past_the_limit_are_counted_without_being_kept() -> None:
    tracemalloc.start()
    try:
        with pytest.raises(SheetRefused) as refused:
            grid_of(GridRow(number, ("x",)) for number in range(10_000))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert refused.value.values == {"count": 9_999}
    assert peak < 200_000


def test_all_cells_together_may_be_as_long_as_the_bound_and_no_longer() -> None:
    rows = [GridRow(1, ("x" * 1_000, "y" * (MAX_CHARACTERS - 1_001))), GridRow(2, ("z",))]
    assert list(within_bounds(rows)) == rows
    with pytest.raises(SheetRefused) as refused:
        list(within_bounds([*rows, GridRow(3, ("", "a"))]))
    assert refused.value.why is SheetRefusal.TOO_MANY


@pytest.mark.parametrize(
    ("part", "end", "one"),
    [
        ("xl/styles.xml", b"</cellXfs>", b"<xf/>"),
        ("xl/workbook.xml", b"</workbook>", b'<definedName name="a">1</definedName>'),
        ("docProps/app.xml", b"</Properties>", b"<x:c-like/>"),
    ],
)
def test_a_workbook_with_too_much_beside_its_cells_is_refused(part: str, end: bytes, one: bytes) -> None:
    content = sample_sheets.with_part(as_xlsx(HEADS, ADA), part, lambda body: body.replace(end, one * 30_000 + end))
    assert "too complex" in refusal(content)


@pytest.mark.parametrize("text", ["x", " "])
def test_a_cell_holds_no_more_than_any_program_lets_it(text: str) -> None:
    assert "far more" in refusal(sharing(text * (MAX_CELL + 1), rows=1, cells=1))


def test_zeros_before_a_number_are_as_many_as_a_number_can_have() -> None:
    def write(_: Any, sheet: Any) -> None:
        for column, zeros in enumerate((5, 5_000), start=1):
            sheet.cell(2, column, 7).number_format = "0" * zeros

    assert read(as_xlsx(HEADS, change=write)).rows[0].cells == ("00007", "7")
