"""Whatever file is uploaded becomes rows of texts, or is refused with what to do."""

import io
import zipfile
from datetime import date, datetime
from functools import partial
from typing import Any

import pytest

from formation_portal.applications.imports import grid, readers
from formation_portal.applications.imports.grid import MAX_ROWS, Grid

from .sample_sheets import ADA, HEADS, NOOR, as_csv, as_xlsx, inserted, read, refusal, with_part, with_values


def texts(found: Grid) -> list[tuple[str, ...]]:
    return [row.cells for row in found.rows]


@pytest.mark.parametrize(
    ("encoding", "delimiter"),
    [("cp1252", ","), ("utf-8", ";"), ("utf-8-sig", "\t"), ("utf-16", "|"), ("utf-16-le", ",")],
)
def test_text_is_read_in_any_encoding_and_with_any_delimiter(delimiter: str, encoding: str) -> None:
    row = (*ADA[:3], "Zoë", "Ó Súilleabháin", "zoe@example.com; or, so", "3.4.1985")
    content = as_csv(HEADS, row, delimiter=delimiter, encoding=encoding)
    content = b"\xff\xfe" + content if encoding == "utf-16-le" else content
    found = read(content)
    assert (found.headings, texts(found)) == (HEADS, [row])
    assert [code for code, _ in found.remarks] == (["windows"] if encoding == "cp1252" else [])


def test_a_delimiter_is_found_where_every_cell_is_quoted() -> None:
    rows = [";".join(f'"{cell}"' for cell in row) for row in (("Our, people",), HEADS, ADA)]
    assert texts(read("\n".join(rows).encode())) == [ADA]


@pytest.mark.parametrize("make", [as_csv, as_xlsx])
def test_empty_rows_are_left_out_and_the_others_keep_their_numbers(make: Any) -> None:
    found = read(make(("",), HEADS, ADA, (), ("", "  "), NOOR))
    assert [row.number for row in found.rows] == [3, 6]


def test_a_quote_that_is_never_closed_is_said_by_its_row() -> None:
    assert "Correct row 3" in refusal(as_csv(HEADS, ADA) + b'Person,"Yes\n' + as_csv(NOOR))


def test_a_cell_that_is_too_long_is_not_only_taken_for_a_missing_quote() -> None:
    words = "Shorten the cells of row 3, or correct its quotation marks"
    assert refusal(as_csv(HEADS, ADA, ("x" * 40_001,))) == words


def many(count: int) -> bytes:
    """A workbook of so many rows of three cells, made faster than a library makes it."""
    row = b'<row r="%d"><c t="b"><v>1</v></c><c t="b"><v>1</v></c><c t="b"><v>1</v></c></row>'
    return inserted(as_xlsx(HEADS), b"</sheetData>", b"".join(row % number for number in range(2, count + 2)))


@pytest.mark.parametrize("content", [as_csv(HEADS, *([ADA] * 10_000)), many(10_000)], ids=["csv", "xlsx"])
def test_ten_thousand_rows_are_refused_with_both_numbers(content: bytes) -> None:
    words = refusal(content)
    assert words == f"Upload at most {MAX_ROWS} rows at a time. This spreadsheet has 10,000"


def test_a_file_that_is_too_large_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "5\u00a0MB or smaller" in refusal(b"," * (grid.MAX_BYTES + 1))


def test_numbers_and_dates_are_read_as_the_cell_shows_them() -> None:
    def formats(_: Any, sheet: Any) -> None:
        sheet["C2"].number_format = "00000"
        sheet["D2"].number_format = "0%"

    row = (1.0, 41_728_8000, 6300, 0.25, 0.1 + 0.2, True, date(1985, 3, 27), datetime(1985, 3, 27, 14, 30), 1e14)
    [found] = texts(read(as_xlsx(HEADS, row, change=formats)))
    assert found[:6] == ("1", "417288000", "06300", "25%", "0.3", "TRUE")
    assert found[6:] == ("1985-03-27", "1985-03-27 14:30:00", "100000000000000")


def test_a_number_of_which_the_sheet_lacks_digits_is_read_as_a_shortened_one() -> None:
    [cells] = texts(read(as_xlsx(HEADS, (1_234_567_890_123_456, 1e15, 123_456_789_012_345, "1234567890123456"))))
    assert cells == ("1.23456789012346E+15", "1E+15", "123456789012345", "1234567890123456")


@pytest.mark.parametrize("make", [as_csv, as_xlsx, partial(as_csv, delimiter=";")])
def test_titles_above_the_headings_are_left_out(make: Any) -> None:
    titles = (("Directors, shareholders, and owners",), ("Kind",), ("Date of birth", "of each"), ())
    found = read(make(*titles, HEADS, ADA, NOOR))
    assert (found.headings, texts(found)) == (HEADS, [ADA, NOOR])
    assert [row.number for row in found.rows] == [6, 7]


def test_the_sheet_with_rows_below_its_headings_is_read() -> None:
    def move(book: Any, sheet: Any) -> None:
        cover, moved = book.create_sheet("Cover", 0), book.create_sheet("Moved")
        for row in (("Larkfield",), ("Its people",)):
            cover.append(row)
        for row in (("Our people",), HEADS, NOOR):
            moved.append(row)

    found = read(as_xlsx(HEADS, change=move))
    assert (texts(found), found.remarks) == ([NOOR], ())
    found = read(as_xlsx(HEADS, ADA, change=move))
    assert (texts(found), found.remarks) == ([ADA], (("first", "Sheet"),))


def test_without_such_a_sheet_the_headings_or_the_first_filled_sheet_are_judged() -> None:
    def add(book: Any, sheet: Any, *, place: int) -> None:
        cover = book.create_sheet("Cover", place)
        for row in (("Larkfield",), ("Its people",)):
            cover.append(row)

    assert "below the headings" in refusal(as_xlsx(HEADS, change=partial(add, place=0)))
    assert read(as_xlsx(change=partial(add, place=1))).headings == ("Larkfield",)


def test_a_formula_is_read_as_its_cell_shows_it_and_is_known_for_one() -> None:
    content = as_xlsx(HEADS, ("Person", "Yes", "", '=UPPER("ada")', "=B2", *ADA[5:]))
    found = read(with_values(content, {"D2": "ADA"}))
    assert (found.rows[0].cells[3:5], found.rows[0].formulas) == (("ADA", ""), {3, 4})
    found = read(as_csv(HEADS, ("Person", "Yes", "", "=1+1", '=HYPERLINK("http://x")')))
    assert (found.rows[0].cells[3:], found.rows[0].formulas) == (("", ""), {3, 4}), "a file of text shows nothing"


def test_hidden_sheets_are_not_read_and_merged_cells_count_for_the_first_and_both_are_said() -> None:
    def hide(book: Any, sheet: Any) -> None:
        sheet.sheet_state = "hidden"
        shown = book.create_sheet("Shown")
        for row in (HEADS, NOOR, ("",) * 6 + ("x",)):
            shown.append(row)
        shown.merge_cells("A2:A3")

    found = read(as_xlsx(HEADS, ADA, change=hide))
    assert [row.cells[0] for row in found.rows] == ["Person", ""]
    assert texts(found)[0] == NOOR
    assert {*found.remarks} == {("hidden", ""), ("merged", "")}


def test_a_file_whose_sheets_are_all_hidden_is_told_so() -> None:
    content = with_part(
        as_xlsx(HEADS, ADA), "xl/workbook.xml", lambda body: body.replace(b'state="visible"', b'state="hidden"')
    )
    assert refusal(content) == "All sheets of this file are hidden. Show one, then upload the file"


def test_an_xlsx_that_is_damaged_is_refused() -> None:
    whole = as_xlsx(HEADS, ADA)
    assert "damaged" in refusal(whole[: len(whole) // 2])
    assert "damaged" in refusal(with_part(whole, "xl/workbook.xml", lambda _: b"<not"))
    assert "damaged" in refusal(with_part(whole, "xl/worksheets/sheet1.xml", lambda body: body[:-90]))


def test_a_document_of_another_kind_is_refused() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as other:
        other.writestr("[Content_Types].xml", "<Types/>")
        other.writestr("word/document.xml", "<w/>")
    assert "must be XLSX or CSV" in refusal(file.getvalue())
    with zipfile.ZipFile(file, "a") as other:
        other.writestr("content.xml", "<x/>")
    assert "as XLSX or CSV" in refusal(file.getvalue())


def test_a_sheet_with_a_password_is_refused_and_told_from_an_old_one() -> None:
    old = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 500
    assert "without a password" in refusal(old + "EncryptedPackage".encode("utf-16-le"))
    assert "older type of file" in refusal(old)
    encrypted = bytearray(as_xlsx(HEADS, ADA))
    encrypted[encrypted.index(b"PK\x01\x02") + 8] |= 1
    assert "without a password" in refusal(bytes(encrypted))


@pytest.mark.parametrize("name", ["xl/sharedStrings.xml", "xl/media/picture.png"])
def test_a_bomb_is_refused_before_it_unfolds(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.BytesIO(as_xlsx(HEADS, ADA))
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("xl/more.xml" if name.endswith("xml") else name, b"0" * 40_000_000)
    assert len(file.getvalue()) < 60_000
    monkeypatch.setattr(readers.ZipFile, "open", lambda *_, **__: pytest.fail("it was unfolded"))
    assert "too complex" in refusal(file.getvalue())


def test_a_sheet_of_many_tiny_parts_is_refused_before_it_is_read() -> None:
    tags = with_part(as_xlsx(HEADS, ADA), "xl/styles.xml", lambda _: b"<a/>" * 700_000)
    assert "too complex" in refusal(tags)
    row = b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    content = inserted(as_xlsx(HEADS, ADA), b"</sheetData>", row)
    assert refusal(content) == "Delete everything below row 20,000. We read no further"


def test_what_declares_entities_is_refused() -> None:
    declared = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa">]>'
    for body in (declared, declared.decode().encode("utf-16-le")):
        content = with_part(as_xlsx(HEADS, ADA), "xl/styles.xml", lambda old, new=body: new + old)  # type: ignore[misc]
        assert "damaged" in refusal(content)
