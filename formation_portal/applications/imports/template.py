"""The empty sheet for an application's parties, as CSV, or as XLSX with explanations and lists of allowed answers."""

import csv
import io
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

from django.utils.translation import gettext
from openpyxl import Workbook
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation

from formation_portal.contract import canonical
from formation_portal.contract.fields.base import Choice
from formation_portal.contract.localisation import colon, in_quotes
from formation_portal.contract.reasons import only_if
from formation_portal.contract.rules import find_field
from formation_portal.contract.schema import FormSchema

from ..draft import Draft
from .columns import KIND, Column, columns, kind_choices
from .grid import MAX_ROWS, as_csv

# With a byte order mark, without which Excel reads another encoding.
_ENCODING = "utf-8-sig"
# Longer lists are in a separate sheet.
_MAX_CHOICES_INLINE = 8
_BOLD = Font(bold=True)
_TINT = PatternFill("solid", start_color="FFDDECEE")
_WRAPPED = Alignment(wrap_text=True, vertical="top")
_WIDTHS = (28, 34, 26, 60, 60)
# Text, so that leading zeros stay and nothing becomes a date or a formula.
_TEXT_FORMAT = "@"
_LAST_ROW = MAX_ROWS + 1

# Each column with its choices.
ColumnChoices = Sequence[tuple[Column, tuple[Choice, ...]]]


def template_columns(draft: Draft) -> tuple[Column, ...]:
    """Return the columns of the party's kind, of the active roles, and of their questions.

    Questions about a share class are left out while there is none.
    """
    sections = draft.active_role_sections
    roles = {section.role for section in sections}
    fillable: list[Column] = []
    for column in columns(draft.schema):
        is_asked = column.role in roles or any(place.section in sections for place in column.asked_in)
        is_reference = column.spec is not None and column.spec.refers_to_share_class
        if column.key == KIND or (is_asked and (draft.share_classes or not is_reference)):
            fillable.append(column)
    return tuple(fillable)


def _choices(draft: Draft, column: Column) -> tuple[Choice, ...]:
    if column.key == KIND:
        return kind_choices(draft.active_role_sections)
    if column.role:
        return (Choice("true", gettext("Yes")),)
    if column.spec is None:
        return ()
    if column.spec.refers_to_share_class:
        return draft.share_class_choices
    return column.spec.cell_choices(column.part)


def csv_template(draft: Draft) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text).writerow([as_csv(column.marked) for column in template_columns(draft)])
    return text.getvalue().encode(_ENCODING)


def xlsx_template(draft: Draft) -> bytes:
    """Write the empty sheet as XLSX: one sheet to fill in, one of explanations, one of lists."""
    offers = [(column, _choices(draft, column)) for column in template_columns(draft)]
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = gettext("People and companies")
    _write_explanations(book.create_sheet(gettext("Explanations")), draft.schema, offers)
    lists = _write_lists(book.create_sheet(gettext("Allowed answers")), offers)
    _fill_sheet(sheet, offers, lists)
    file = BytesIO()
    book.save(file)
    return file.getvalue()


def _fill_sheet(sheet: Any, offers: ColumnChoices, lists: Mapping[tuple[Choice, ...], str]) -> None:
    sheet.freeze_panes = "A2"
    for place, (column, choices) in enumerate(offers, start=1):
        letter = get_column_letter(place)
        _write_text(sheet, 1, place, column.marked, is_heading=True)
        sheet.column_dimensions[letter].width = max(14, min(30, len(column.marked) + 3))
        sheet.column_dimensions[letter].number_format = _TEXT_FORMAT
        if choices:
            offer = DataValidation("list", formula1=lists[choices], allow_blank=True)
            # If several can be chosen, or other text may be typed, the list only suggests.
            offer.showErrorMessage = not (column.spec and column.spec.many)
            offer.add(f"{letter}2:{letter}{_LAST_ROW}")
            sheet.add_data_validation(offer)


def _write_explanations(sheet: Any, schema: FormSchema, offers: ColumnChoices) -> None:
    heads = (gettext("Column"), gettext("Who it is for"), gettext("Required"), gettext("What to type"))
    rows = [(*heads, gettext("Allowed answers"))]
    for column, choices in offers:
        allowed = "; ".join(choice.label for choice in choices)
        if len(choices) > _MAX_CHOICES_INLINE:
            allowed = gettext("See the list under “{title}”").format(title=gettext("Allowed answers"))
        hint = ""
        if column.role:
            hint = gettext("Yes if they have this role. If not, leave it empty.")
        elif column.spec is not None:
            hint = " ".join(filter(None, (column.spec.help, column.spec.cell_hint and gettext(column.spec.cell_hint))))
        rows.append((column.heading, _who_is_asked(column), _needed(schema, column), hint, allowed))
    for number, row in enumerate(rows, start=1):
        for place, text in enumerate(row, start=1):
            _write_text(sheet, number, place, text, is_heading=number == 1)
    for place, width in enumerate(_WIDTHS, start=1):
        sheet.column_dimensions[get_column_letter(place)].width = width
    sheet.freeze_panes = "B2"


def _who_is_asked(column: Column) -> str:
    """Write the roles by kind, like "Person: director, shareholder. Company: director"."""
    roles: dict[str, list[str]] = {}
    for place in column.asked_in:
        roles.setdefault(place.kind, []).append(canonical.role_word(place.section.role or ""))
    sentences = [canonical.kind_title(kind) + colon() + ", ".join(dict.fromkeys(roles[kind])) for kind in roles]
    return ". ".join(sentences) or gettext("Everyone")


def _needed(schema: FormSchema, column: Column) -> str:
    if column.key == KIND:
        return gettext("Yes")
    if column.role:
        return gettext("At least one role")
    if column.is_needed:
        return gettext("Before you submit")
    conditions: dict[str, None] = {}
    for place in column.asked_in:
        rule = place.spec.depends_on
        if rule is None or not place.spec.required or column.part in place.spec.optional_parts:
            continue
        deciding = find_field(schema, rule, place.section, place.kind, None)
        if deciding and (condition := only_if(rule, deciding.spec)):
            conditions[condition] = None
    return ". ".join(conditions) or gettext("No")


def _write_lists(sheet: Any, offers: ColumnChoices) -> dict[tuple[Choice, ...], str]:
    """Write each list once, under the heading of the first column that has it; return the lists' cell ranges."""
    first = {choices: column.heading for column, choices in reversed(offers) if choices}
    lists: dict[tuple[Choice, ...], str] = {}
    for place, choices in enumerate(reversed(first), start=1):
        letter = get_column_letter(place)
        # In quotes, so that it is not taken for the heading of a column to fill in.
        _write_text(sheet, 1, place, in_quotes(first[choices]), is_heading=True)
        for number, choice in enumerate(choices, start=2):
            _write_text(sheet, number, place, choice.label)
        sheet.column_dimensions[letter].width = 30
        title = sheet.title.replace("'", "''")
        lists[choices] = f"'{title}'!${letter}$2:${letter}${len(choices) + 1}"
    sheet.freeze_panes = "A2"
    return lists


def _write_text(sheet: Any, row: int, column: int, text: str, *, is_heading: bool = False) -> None:
    """Write a cell as text that is never read as a formula, however it begins."""
    cell = sheet.cell(row, column)
    cell.value = ILLEGAL_CHARACTERS_RE.sub("", text)
    cell.data_type = "s"
    cell.quotePrefix = True
    cell.alignment = _WRAPPED
    if is_heading:
        cell.font, cell.fill = _BOLD, _TINT
