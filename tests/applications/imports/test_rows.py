"""What each row comes to: who it would be, what speaks against it, and who is there already."""

from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.imports.grid import SheetRefused
from formation_portal.applications.imports.rows import SheetRow
from formation_portal.applications.imports.uploads import check_headings, missing_headings, unknown_headings
from tests import factories
from tests.applications.conftest import Upload

from .sample_sheets import ADA, HEADS, NOOR, as_csv

pytestmark = pytest.mark.django_db

COMPANY = ("Role: director", "Name (Company)", "Registration number (Company)", "Country (Company)", "Kind")
LTD = ("x", "Kite Ltd", "HE 1", "Cyprus", "company")


def rows(draft: Draft, upload: Upload, *lines: Any, heads: Any = HEADS) -> tuple[SheetRow, ...]:
    return services.import_rows(draft, upload(as_csv(heads, *lines)))


def one(draft: Draft, upload: Upload, line: Any, heads: Any = HEADS) -> SheetRow:
    [row] = rows(draft, upload, line, heads=heads)
    return row


def changed(line: tuple[str, ...], **values: str) -> tuple[str, ...]:
    names = ("kind", "director", "shareholder", "first", "last", "email", "born")
    return tuple(values.get(name, text) for name, text in zip(names, line, strict=True))


def test_a_row_is_read_as_its_page_would_have_posted_it(draft: Draft, upload: Upload) -> None:
    row = one(draft, upload, ADA)
    assert row.problems == row.notes == []
    assert (row.number, row.party.label) == (2, "Ada Lovelace")
    assert (row.party.kind, row.party.roles) == ("person", ("director",))
    answers = {name: answer for name, answer in factories.ADA.items() if name != "xy.person.is_pep"}
    assert row.party.raw == answers | {"person.date_of_birth": {"day": "10", "month": "December", "year": "1985"}}
    assert row.missing == ("Is pep",)
    company = {"corporate.name": "Kite Ltd", "corporate.registration_number": "HE 1", "corporate.country": "CY"}
    assert one(draft, upload, LTD, COMPANY).party.raw == company


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"born": "03/04/1985"}, ("Date of birth", "two dates")),
        ({"born": "31 February 1985"}, ("Date of birth", "as a real date")),
        ({"born": "1 January 2099"}, ("Date of birth", "in the past")),
        ({"kind": ""}, ("Kind", "Person, Company")),
        ({"kind": "Robot"}, ("Kind", "Person, Company")),
        ({"kind": "Foundation"}, ("Kind", "Person, Company")),
        ({"director": "perhaps"}, ("Role: director", "Type Yes")),
        ({"director": ""}, ("Roles", "at least one role")),
        ({"first": "", "last": ""}, ("First name", "Enter a name")),
        ({"first": "#REF!"}, ("First name", "#REF!")),
        ({"first": "=A1"}, ("First name", "can’t work out formulas")),
        ({"first": "x" * 600}, ("First name", "500 characters")),
        ({"first": "A\x01"}, ("First name", "characters that we can’t save")),
    ],
)
def test_each_problem_is_said_with_its_column(
    draft: Draft, upload: Upload, values: dict[str, str], problem: tuple[str, str]
) -> None:
    found = one(draft, upload, changed(ADA, **values)).problems
    assert [(heading, problem[1] in text) for heading, text in found] == [(problem[0], True)]


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("X", ""),
        ("Sukarno", ""),
        ("Seán", "O’Brien-d'Arcy"),
        ("明", "李"),
        ("محمد", "علي"),
        ("-", "@"),
        ("'t", "Hooft"),
    ],
)
def test_names_are_taken_unchanged(draft: Draft, upload: Upload, first: str, last: str) -> None:
    row = one(draft, upload, changed(ADA, first=first, last=last))
    assert row.problems == []
    assert row.party.raw["person.first_name"] == first
    assert row.party.raw.get("person.last_name", "") == last


def test_a_class_of_shares_is_found_by_its_name(draft: Draft, upload: Upload, owner: Any) -> None:
    ordinary = factories.new_share_class(draft, factories.ORDINARY, by=owner)
    heads = (*HEADS, "Appointed by")
    row, other = rows(draft, upload, (*ADA, " ordinary"), (*NOOR, "Preferred"), heads=heads)
    assert row.party.raw["xy.person.appointed_by"] == ordinary.token
    assert other.problems == [("Appointed by", "Choose one of these: Ordinary")]


def test_a_class_of_shares_is_refused_where_there_is_none(draft: Draft, upload: Upload) -> None:
    row = one(draft, upload, (*ADA, "Ordinary"), (*HEADS, "Appointed by"))
    assert row.problems == [("Appointed by", "Leave this empty. This application has no share classes yet")]


def test_somebody_of_the_same_name_and_birth_is_here_already_or_in_a_row_above(
    draft: Draft, upload: Upload, owner: Any
) -> None:
    lines = (NOOR, changed(NOOR, director="?"), changed(NOOR, shareholder=""))
    first, bad, second = rows(draft, upload, *lines)
    assert (first.match, second.match.row, second.adds_to_match) == (None, 2, False)
    assert bad.problems
    ada = services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
    lines = (changed(ADA, first=" ADA", email="new@example.com"), changed(ADA, born="1.1.1990"))
    same, other = rows(draft, upload, *lines)
    assert (same.match.party.token, same.match.row) == (ada.token, None)
    assert other.match is None


@pytest.mark.parametrize(
    ("heads", "words"),
    [
        (("Kind", "Vorname"), "Add the missing role columns: “Role: director”, “Role: shareholder”"),
        (HEADS[1:], "Add the missing column “Kind”"),
        ((*HEADS, "first  NAME *"), "Keep only one column called “First name”. Columns D and H have the same heading"),
        (("Vorname", "Nachname"), "Keep the headings in the first row"),
    ],
)
def test_headings_that_leave_a_doubt_are_refused_by_name(draft: Draft, heads: tuple[str, ...], words: str) -> None:
    with pytest.raises(SheetRefused) as refused:
        check_headings(draft, heads)
    assert refused.value.message.startswith(words)


def test_headings_that_are_not_known_and_those_that_are_missing_are_named(draft: Draft) -> None:
    heads = (*HEADS[:4], "Shoe size", "")
    check_headings(draft, heads)
    assert unknown_headings(draft.schema, heads) == ("Shoe size",)
    needed = missing_headings(draft, heads, kinds={"person"})
    assert needed == ("Last name", "E-mail address (Person)", "Date of birth", "Is pep")
    assert missing_headings(draft, heads, kinds={"corporate"}) == ("Name (Company)",)
