"""What each row comes to: who it would be, what speaks against it, and who is there already."""

from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.imports.columns import keys_by_heading
from formation_portal.applications.imports.grid import SheetRefused
from formation_portal.applications.imports.rows import SheetRow
from formation_portal.applications.imports.uploads import (
    check_headings,
    missing_headings,
    read_sheet,
    unknown_headings,
)
from tests import factories
from tests.applications.conftest import Upload
from tests.contract.builders import question, role

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


QUESTIONS = (
    question("home", "address", label="Home"),
    question("paid", "currency_amount", label="Paid", allowed_currencies=["CHF", "EUR"]),
    question("weight", "number", label="Weight"),
    question("passport", label="Passport"),
)
ANSWERS = {
    "Kind": "Person",
    "First name": "Ada",
    "Last name": "Lovelace",
    "Home: Street and number": "1 Main St",
    "Home: Town or city": "Leeds",
    "Home: Postcode": "",
    "Home: Country": "UK",
    "Paid: Amount": "20.000,50 CHF",
    "Paid: Currency": "chf",
    "Weight": "",
    "Passport": "",
}


def row_of(owner: Any, **values: str) -> SheetRow:
    """Return the row of a director who is asked an address, an amount, a number and a passport."""
    schema = {**factories.SCHEMA, "sections": [role("director", *QUESTIONS)]}
    draft = factories.new_draft(owner, schema=schema)
    content = as_csv(tuple(ANSWERS), tuple((ANSWERS | values).values()))
    grid = read_sheet(content, keys_by_heading(draft.schema), account=owner.pk)
    [row] = services.import_rows(draft, services.keep_import(draft, grid, name="people.csv", by=owner))
    return row


def test_a_row_is_read_as_people_write_it(owner: Any) -> None:
    row = row_of(owner)
    assert (row.problems, row.notes) == ([], [])
    assert row.party.raw["xx.home"] == {"street1": "1 Main St", "city": "Leeds", "country": "GB"}
    assert row.party.raw["xx.paid"] == {"amount": "20,000.50", "currency": "CHF"}


@pytest.mark.parametrize(
    ("values", "heading", "words"),
    [
        ({"Home: Country": "Atlantis"}, "Home: Country", "from the list"),
        ({"Home: Town or city": ""}, "Home: Town or city", "Enter the town"),
        ({"Home: Postcode": "x" * 501}, "Home: Postcode", "500 characters"),
        ({"Paid: Amount": "20", "Paid: Currency": "GBP"}, "Paid: Currency", "Choose the currency"),
        ({"Paid: Amount": "20.000"}, "Paid: Amount", "fewer decimals"),
        ({"Passport": "1.23457E+11"}, "Passport", "has changed this number"),
        ({"Passport": "1,23457e+15"}, "Passport", "has changed this number"),
        ({"Weight": "1E-05"}, "Weight", "has changed this number"),
    ],
)
def test_a_problem_is_said_once_with_the_column_it_is_in(
    owner: Any, values: dict[str, str], heading: str, words: str
) -> None:
    problems = row_of(owner, **values).problems
    assert [(name, words in text) for name, text in problems] == [(heading, True)]


@pytest.mark.parametrize(
    ("values", "notes"),
    [
        ({"Passport": "1234567890123450"}, [("Passport", "Check the last digits")]),
        ({"Weight": "1.234"}, [("Weight", "We read this as 1.234, with three decimals")]),
        ({"Passport": "1234567890123456", "Weight": "1.23"}, []),
        ({"Passport": "12E4"}, []),
    ],
)
def test_a_number_that_may_be_another_is_taken_with_a_note(
    owner: Any, values: dict[str, str], notes: list[tuple[str, str]]
) -> None:
    row = row_of(owner, **values)
    assert row.problems == []
    assert [heading for heading, _ in row.notes] == [heading for heading, _ in notes]
    assert all(text.startswith(words) for (_, text), (_, words) in zip(row.notes, notes, strict=True))


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("X", ""),
        ("Sukarno", ""),
        ("Seán", "O’Brien-d'Arcy"),
        ("明", "李"),
        ("محمد", "علي"),
        ("_", "@"),
        ("'t", "Hooft"),
    ],
)
def test_names_are_taken_unchanged(draft: Draft, upload: Upload, first: str, last: str) -> None:
    row = one(draft, upload, changed(ADA, first=first, last=last))
    assert row.problems == []
    assert row.party.raw["person.first_name"] == first
    assert row.party.raw.get("person.last_name", "") == last


def test_a_dash_is_read_as_the_tick_for_one_name_only(draft: Draft, upload: Upload) -> None:
    row = one(draft, upload, changed(ADA, first="-", last="Sukarno"))
    assert (row.problems, row.missing) == ([], ("Is pep",))
    assert row.party is not None
    assert row.party.raw["person.first_name"] == {"one_name": "true"}
    assert row.party.label == "Sukarno"


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
