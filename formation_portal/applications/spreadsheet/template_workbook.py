"""The empty sheet as XLSX: a sheet to fill in, one that explains each column, and one with the lists to choose from."""

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

from openpyxl import Workbook
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation

from formation_portal.contract.field import Choice
from formation_portal.contract.language import say

from ..drafts import Draft
from .explaining import explanation, titles
from .grid import ROWS_AT_MOST
from .template import TemplateColumn, template_columns

_BOLD = Font(bold=True)
_TINT = PatternFill("solid", start_color="FFDDECEE")
_WRAPPED = Alignment(wrap_text=True, vertical="top")
_WIDTHS = (28, 34, 26, 60, 60)
# As it is typed: no zero is dropped in front, and nothing is taken for a date or a formula.
_TEXT_FORMAT = "@"
_LAST_ROW = ROWS_AT_MOST + 1

Lists = Mapping[tuple[Choice, ...], str]


def xlsx_template(draft: Draft) -> bytes:
    """The workbook."""
    found = template_columns(draft)
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = say("People and companies")
    _explain(book.create_sheet(say("Explanations")), draft, found)
    lists = _list(book.create_sheet(say("Allowed answers")), found)
    _lay_out(sheet, found, lists)
    file = BytesIO()
    book.save(file)
    return file.getvalue()


def _lay_out(sheet: Any, found: Sequence[TemplateColumn], lists: Lists) -> None:
    sheet.freeze_panes = "A2"
    for place, one in enumerate(found, start=1):
        letter = get_column_letter(place)
        _write(sheet, 1, place, one.column.marked, is_heading=True)
        sheet.column_dimensions[letter].width = max(14, min(30, len(one.column.marked) + 3))
        sheet.column_dimensions[letter].number_format = _TEXT_FORMAT
        if one.choices:
            offer = DataValidation("list", formula1=lists[one.choices], allow_blank=True)
            # Where several can be chosen, or anything may be typed, the list only helps.
            offer.showErrorMessage = not one.takes_others
            offer.add(f"{letter}2:{letter}{_LAST_ROW}")
            sheet.add_data_validation(offer)


def _explain(sheet: Any, draft: Draft, found: Sequence[TemplateColumn]) -> None:
    rows = [titles(), *(explanation(draft.schema, one).cells for one in found)]
    for number, row in enumerate(rows, start=1):
        for place, text in enumerate(row, start=1):
            _write(sheet, number, place, text, is_heading=number == 1)
    for place, width in enumerate(_WIDTHS, start=1):
        sheet.column_dimensions[get_column_letter(place)].width = width
    sheet.freeze_panes = "B2"


def _list(sheet: Any, found: Sequence[TemplateColumn]) -> dict[tuple[Choice, ...], str]:
    """Each list once, under the heading of the first column that it is for; where each stands."""
    first = {one.choices: one.column.heading for one in reversed(found) if one.choices}
    lists: dict[tuple[Choice, ...], str] = {}
    for place, choices in enumerate(reversed(first), start=1):
        letter = get_column_letter(place)
        _write(sheet, 1, place, first[choices], is_heading=True)
        for number, choice in enumerate(choices, start=2):
            _write(sheet, number, place, choice.label)
        sheet.column_dimensions[letter].width = 30
        title = sheet.title.replace("'", "''")
        lists[choices] = f"'{title}'!${letter}$2:${letter}${len(choices) + 1}"
    sheet.freeze_panes = "A2"
    return lists


def _write(sheet: Any, row: int, column: int, text: str, *, is_heading: bool = False) -> None:
    """A text, whatever it begins with: nothing that we write is ever worked out."""
    cell = sheet.cell(row, column)
    cell.value = ILLEGAL_CHARACTERS_RE.sub("", text)
    cell.data_type = "s"
    cell.quotePrefix = True
    cell.alignment = _WRAPPED
    if is_heading:
        cell.font, cell.fill = _BOLD, _TINT
