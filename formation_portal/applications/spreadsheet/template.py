"""What stands in the empty sheet of an application, and the sheet as CSV; `template_workbook` writes the XLSX.

It lists nobody who is here already. A sheet goes from hand to hand, and whoever gets it needs nobody else's passport
number; whoever is in it and here is recognised when it comes back.
"""

import csv
import io
from dataclasses import dataclass

from formation_portal.contract.field import Choice
from formation_portal.contract.language import say

from ..drafts import Draft
from .columns import KIND, Column, columns, kind_choices
from .delimited import as_text

# With a mark, since the program that most people open it with reads it as something else without.
_ENCODING = "utf-8-sig"


@dataclass(frozen=True, slots=True)
class TemplateColumn:
    """A column that can be filled at present, with what can be chosen in it; `takes_others` where more may be typed."""

    column: Column
    choices: tuple[Choice, ...]
    takes_others: bool


def template_columns(draft: Draft) -> tuple[TemplateColumn, ...]:
    """The columns of the roles that are asked as the draft stands."""
    asked = {section.key for section in draft.schema.role_sections if draft.standing.section(section).active}
    return tuple(
        TemplateColumn(column, _choices(draft, column), takes_others=bool(column.spec and column.spec.many))
        for column in columns(draft.schema)
        if _is_asked(draft, column, asked)
    )


def _is_asked(draft: Draft, column: Column, asked: set[str]) -> bool:
    if column.key == KIND:
        return True
    if column.role:
        return any(section.role == column.role and section.key in asked for section in draft.schema.role_sections)
    # A class of shares can be named once there is one.
    is_answerable = bool(draft.share_classes) or not (column.spec and column.spec.refers_to_share_class)
    return is_answerable and any(one.section.key in asked for one in column.askings)


def _choices(draft: Draft, column: Column) -> tuple[Choice, ...]:
    if column.key == KIND:
        return kind_choices(section for section in draft.schema.role_sections if draft.standing.section(section).active)
    if column.role:
        return (Choice("true", say("Yes")),)
    if column.spec is None:
        return ()
    if column.spec.refers_to_share_class:
        return tuple(Choice(row.token, row.label) for row in draft.share_classes)
    return column.spec.cell_choices(column.part)


def csv_template(draft: Draft) -> bytes:
    """The headings, as CSV."""
    text = io.StringIO(newline="")
    csv.writer(text).writerow([as_text(one.column.marked) for one in template_columns(draft)])
    return text.getvalue().encode(_ENCODING)
