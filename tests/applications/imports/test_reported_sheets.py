"""Sheets from public bug reports of other programs, each with its source: a repository and an issue of GitHub."""

from datetime import datetime
from typing import Any

import pytest
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.utils.datetime import CALENDAR_MAC_1904

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.imports.grid import SheetRefused
from formation_portal.applications.imports.uploads import check_headings
from tests.applications.conftest import Upload

from .sample_sheets import ADA, HEADS, as_csv, as_xlsx, read, refusal, with_part

RICH_NAME = CellRichText("Love", TextBlock(InlineFont(b=True), "lace"))
SHEET = "xl/worksheets/sheet1.xml"


def in_1904(book: Any, _: Any) -> None:
    book.epoch = CALENDAR_MAC_1904


def linked(_: Any, sheet: Any) -> None:
    sheet["F2"].hyperlink = "mailto:ada@example.com"
    sheet["F2"].value = "ada@example.com"


def formatted_below(_: Any, sheet: Any) -> None:
    for number in range(3, 1_000):
        sheet.cell(number, 1).number_format = "0.00"


def ended_far_below(body: bytes) -> bytes:
    return body.replace(b"</sheetData>", b'<row r="1048576"><c r="A1048576" s="0"/></row></sheetData>')


def strict(body: bytes) -> bytes:
    return body.replace(
        b"http://schemas.openxmlformats.org/spreadsheetml/2006", b"http://purl.oclc.org/ooxml/spreadsheetml"
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"\xef\xbb\xbf" + as_csv(HEADS, ADA), id="dotCMS/core #36508"),
        pytest.param(b"sep=;\r\n" + as_csv(HEADS, ADA, delimiter=";"), id="rap2hpoutre/fast-excel #327"),
        pytest.param(as_csv((*HEADS, ""), (*ADA, "")), id="deephaven/deephaven-core #1800"),
        pytest.param(as_csv(("",), ("", *HEADS), ("", *ADA)), id="pcreux/csv-importer #54"),
        pytest.param(as_csv(("\ufeff\u200bKind", *HEADS[1:]), ADA), id="opengovsg/postmangovsg #88"),
        pytest.param(as_xlsx([head.replace(" ", "\n") for head in HEADS], ADA), id="mganss/ExcelMapper #16"),
        pytest.param(
            as_xlsx([head.replace(" ", "_x000D_\n") for head in HEADS], ADA), id="doy/spreadsheet-parsexlsx #81"
        ),
        pytest.param(as_xlsx(HEADS, (*ADA[:4], "Lovelace_x000D_", *ADA[5:])), id="exceljs/exceljs #584"),
        pytest.param(as_xlsx(HEADS, (*ADA[:4], RICH_NAME, *ADA[5:])), id="datagrok-ai/public #3620"),
        pytest.param(as_xlsx(HEADS, ADA, change=linked), id="SpartnerNL/Laravel-Excel #817"),
        pytest.param(as_xlsx(HEADS, ADA, change=formatted_below), id="django-import-export #2028"),
        pytest.param(
            as_xlsx(HEADS, (*ADA[:6], datetime(1985, 12, 10)), change=in_1904), id="miraisolutions/xlconnect #32"
        ),
    ],
)
def test_a_sheet_is_read_as_its_author_sees_it(draft: Draft, upload: Upload, content: bytes) -> None:
    [row] = services.import_rows(draft, upload(content))
    assert row.problems == row.notes == []
    assert row.party is not None
    assert row.party.label == "Ada Lovelace"
    assert row.party.record.answers.values["person.date_of_birth"] == datetime(1985, 12, 10).date()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        # ExcelDataReader/ExcelDataReader #498
        (with_part(as_xlsx(HEADS, ADA), "xl/workbook.xml", strict), "save it as “Excel Workbook (.xlsx)”"),
        # python-excel/xlrd #350, wireservice/csvkit #847
        (b"<div>\r\n\t<table><tr><td>Kind</td></tr></table></div>", "Save the spreadsheet as XLSX or CSV"),
        (b"MIME-Version: 1.0\r\nContent-Type: multipart/related\r\n\r\n", "Save the spreadsheet as XLSX or CSV"),
        # dimagi/commcare-hq #22486
        (with_part(as_xlsx(HEADS, ADA), SHEET, ended_far_below), "Delete everything below row 20,000"),
    ],
)
def test_a_sheet_is_refused_with_the_true_cause(content: bytes, words: str) -> None:
    assert words in refusal(content)


@pytest.mark.django_db
def test_two_columns_of_one_name_are_refused(draft: Draft) -> None:
    # fureweb-com/public-google-sheets-parser #56
    headings = read(as_csv((*HEADS, "First name"), (*ADA, "Bob"))).headings
    with pytest.raises(SheetRefused, match="Keep only one column called “First name”"):
        check_headings(draft, headings)
