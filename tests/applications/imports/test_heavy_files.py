"""Small files that unfold into much, and what they may cost before they are refused."""

import io
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from typing import Any
from unittest.mock import Mock

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

from .sample_sheets import ADA, HEADS, KNOWN, as_csv, as_xlsx, inserted, read, refusal

_STRINGS = "xl/sharedStrings.xml"
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
    there = f'<Override PartName="/{_STRINGS}" ContentType="{_STRINGS_TYPE}"/>'.encode()
    content = inserted(as_xlsx(HEADS), b"</Types>", there, name="[Content_Types].xml")
    content = inserted(content, b"</sheetData>", row * rows)
    file = io.BytesIO(content)
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_STRINGS, f'<sst xmlns="{_MAIN}"><si><t xml:space="preserve">{text}</t></si></sst>')
    return file.getvalue()


def refused_within(memory: int, read: Callable[[], object]) -> SheetRefused:
    """Return with what a file is refused, which takes no more bytes of memory."""
    tracemalloc.start()
    try:
        with pytest.raises(SheetRefused) as refused:
            read()
        assert tracemalloc.get_traced_memory()[1] < memory
    finally:
        tracemalloc.stop()
    return refused.value


def test_a_part_that_is_longer_than_it_says_is_refused_before_it_has_unfolded() -> None:
    content = lying_about_its_size(as_xlsx(HEADS, ADA), holds=40_000_000, says=100)
    assert refused_within(5_000_000, lambda: check_archive(content)).why is SheetRefusal.DAMAGED


@pytest.mark.parametrize(
    ("mark_up", "is_refused"),
    [
        (b"<!--" + b"-" * 20_000_000 + b"-->", True),
        (b"<x" + b" a" * 100_000 + b"/>", True),
        (b"<!--" + b"x" * 20_000, True),
        (b"<!--" + b"x>" * 5_000 + b"-->", True),
        (b"<!--" + b"x>" * 5_000, True),
        (b"<!--" + b"x>" * 4_996 + b"-->", False),
        (b"<!-- made by hand -->", False),
    ],
)
def test_mark_up_that_the_parser_takes_minutes_for_is_refused_without_parsing(mark_up: bytes, is_refused: bool) -> None:
    """A comment of 33 kB on the wire cost 94 seconds of processor time."""
    content = inserted(as_xlsx(HEADS, ADA), b"<sheetData>", mark_up, **_PACKED)
    if not is_refused:
        assert check_archive(content) == (False, False)
        return
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
    while True:
        pass


def test_an_account_has_one_sheet_read_at_a_time() -> None:
    with uploads._one_at_a_time(1):
        assert "still reading another spreadsheet" in refusal(as_csv(HEADS, ADA))
        assert len(uploads.read_sheet(as_csv(HEADS, ADA), KNOWN, account=2).rows) == 1
    assert len(read(as_csv(HEADS, ADA)).rows) == 1


def test_a_busy_server_is_not_taken_for_another_sheet_of_the_same_person(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads.sandbox, "run_task", Mock(side_effect=uploads.sandbox.SandboxBusy))
    assert (
        refusal(as_csv(HEADS, ADA))
        == "We are reading too many files at the moment. Wait a moment, then upload this one again"
    )


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


@pytest.mark.parametrize(
    ("text", "rows", "cells", "words"),
    [
        ("x" * 30_000, 10, 10, "This spreadsheet has too much text"),
        ("x" * (MAX_CELL + 1), 1, 1, "Shorten the cells of row 2 to 40,000 characters or fewer"),
        (" " * (MAX_CELL + 1), 1, 1, "Shorten the cells of row 2 to 40,000 characters or fewer"),
    ],
)
def test_a_text_counts_in_every_cell_that_holds_it_and_no_cell_holds_more_than_any_program_lets_it(
    text: str, rows: int, cells: int, words: str
) -> None:
    assert refusal(sharing(text, rows=rows, cells=cells)).startswith(words)


def test_a_text_in_many_cells_is_read_within_the_bound_of_all_cells() -> None:
    assert len(read(sharing("x" * 3_000, rows=10, cells=10)).rows) == 10


def test_rows_past_the_limit_are_counted_without_being_kept() -> None:
    rows = (GridRow(number, ("x",)) for number in range(10_000))
    assert refused_within(200_000, lambda: grid_of(rows, KNOWN)).values == {"count": 9_999}


def test_all_cells_together_may_be_as_long_as_the_bound_and_no_longer() -> None:
    rows = [GridRow(1, ("x" * 1_000, "y" * (MAX_CHARACTERS - 1_001))), GridRow(2, ("z",))]
    assert list(within_bounds(rows)) == rows
    with pytest.raises(SheetRefused) as refused:
        list(within_bounds([*rows, GridRow(3, ("", "a"))]))
    assert refused.value.why is SheetRefusal.TOO_MUCH_TEXT


@pytest.mark.parametrize(
    ("part", "end", "one"),
    [
        ("xl/styles.xml", b"</cellXfs>", b"<xf/>"),
        ("xl/workbook.xml", b"</workbook>", b'<definedName name="a">1</definedName>'),
        ("docProps/app.xml", b"</Properties>", b"<x:c-like/>"),
    ],
)
def test_a_workbook_with_too_much_beside_its_cells_is_refused(part: str, end: bytes, one: bytes) -> None:
    assert "too complex" in refusal(inserted(as_xlsx(HEADS, ADA), end, one * 30_000, name=part))


def test_zeros_before_a_number_are_as_many_as_a_number_can_have() -> None:
    def write(_: Any, sheet: Any) -> None:
        for column, zeros in enumerate((5, 5_000), start=1):
            sheet.cell(2, column, 7).number_format = "0" * zeros

    assert read(as_xlsx(HEADS, change=write)).rows[0].cells == ("00007", "7")
