"""The empty sheet: what stands in it, what can be chosen, and that nothing of it is ever worked out."""

import csv
import io
from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.imports.columns import keys_by_heading
from formation_portal.applications.imports.grid import normalized_heading
from formation_portal.applications.imports.template import csv_template, xlsx_template
from formation_portal.applications.imports.uploads import check_headings, read_sheet
from tests import factories
from tests.applications.test_many_parties import item_of

from .sample_sheets import opened, saved

pytestmark = pytest.mark.django_db


def offered(book: Any, heading: str) -> list[str]:
    """What a cell below the heading lets one choose."""
    sheet = book.worksheets[0]
    letter = next(cell.column_letter for cell in sheet[1] if cell.value == heading)
    rule = next(one for one in sheet.data_validations.dataValidation if f"{letter}2" in str(one.sqref))
    title, _, cells = rule.formula1.rpartition("!")
    return [cell.value for (cell,) in book[title.strip("'")][cells.replace("$", "")]]


def test_what_can_be_chosen_is_offered_and_each_column_is_explained(draft: Draft) -> None:
    book = opened(xlsx_template(draft))
    assert offered(book, "Kind *") == ["Person", "Company"]
    assert offered(book, "Role: director") == ["Yes"]
    assert offered(book, "Is pep *") == ["Yes", "No"]
    assert "Switzerland" in offered(book, "Registered address: Country (Company)")
    rows = {row[0]: row[1:] for row in book["Explanations"].iter_rows(values_only=True)}
    assert rows["Date of birth"][:2] == ("Person: director, shareholder", "Before you submit")
    assert "like 27 March 1985" in rows["Date of birth"][2]
    assert rows["Pep office"][1] == "Only if you answer Yes to “Is pep”"
    assert rows["Is pep"][3] == "Yes; No"
    assert "See the list" in rows["Registered address: Country (Company)"][3]


def test_nothing_that_is_written_out_is_ever_worked_out(owner: Any) -> None:
    labels = ("=1+1", "+41", "-", "@SUM(A1)", "\tx", "'=x", '=HYPERLINK("http://x","y")')
    fields = [
        factories.field(f"odd{number}", "select", label=label, help=label, options=[label, "Plain"])
        for number, label in enumerate(labels)
    ]
    section = {"scope": "role:director", "title": "Directors", "person_fields": fields}
    draft = factories.new_draft(owner, schema={**factories.SCHEMA, "sections": [section]})
    book = opened(xlsx_template(draft))
    cells = [cell for sheet in book for row in sheet for cell in row if cell.value]
    assert {cell.data_type for cell in cells} == {"s"}
    assert all(cell.quotePrefix for cell in cells)
    [line] = csv.reader(io.StringIO(csv_template(draft).decode("utf-8-sig")))
    assert not [text for text in line if text.startswith(("=", "+", "-", "@", "\t", "\r"))]
    answers = b"Person,Yes,A,B,c@example.com" + b",Plain" * len(labels) + b"\n"
    found = read_sheet(csv_template(draft) + answers, keys_by_heading(draft.schema), account=1)
    plain_labels = [normalized_heading(label) for label in labels]
    assert [normalized_heading(heading) for heading in found.headings[-len(labels) :]] == plain_labels


@pytest.mark.parametrize("slug", ["caymans-foundation-company", "malta-ltd"])
def test_the_sheet_of_a_product_is_understood_when_it_comes_back(owner: Any, slug: str) -> None:
    draft = open_draft(services.start(owner=owner, product=item_of(slug)))
    known, book = keys_by_heading(draft.schema), opened(xlsx_template(draft))
    book.worksheets[0].append(["Person"])
    found = read_sheet(saved(book), known, account=1)
    assert found.remarks == ()
    check_headings(draft, found.headings)
    assert all(normalized_heading(heading) in known for heading in found.headings)
