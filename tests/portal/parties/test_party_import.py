"""What an uploaded sheet says, row by row, and that only what is ticked is added, once."""

import errno
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.access import Right
from formation_portal.applications.draft import Draft
from formation_portal.applications.imports.models import PartyImport
from tests import factories
from tests.applications.imports.sample_sheets import ADA, HEADS, NOOR, as_csv, as_xlsx
from tests.markup import Markup
from tests.portal.pages import page_at, people_url, query_counts, sound
from tests.portal.sharing.test_access import let_in

pytestmark = pytest.mark.django_db(databases=["default", "service"])

BAD = (*NOOR[:6], "03/04/1990")


def url(draft: Draft, rest: str = "spreadsheet/") -> str:
    return people_url(draft, rest)


def upload(client: Client, draft: Draft, content: bytes, name: str = "people.csv") -> Any:
    return client.post(url(draft), {"sheet": SimpleUploadedFile(name, content)})


def sheet_of(client: Client, draft: Draft, *rows: Any) -> str:
    """Upload a sheet with these rows. Returns the address of its page."""
    return str(upload(client, draft, as_csv(HEADS, *rows))["Location"])


def people(draft: Draft) -> list[str]:
    return [row.label for row in factories.again(draft).parties]


def ticked(page: Markup) -> list[str]:
    return [box.attributes["value"] for box in page.all("input", name="row") if "checked" in box.attributes]


def test_each_problem_is_said_with_row_and_column_and_only_the_good_rows_are_added(
    as_owner: Client, draft: Draft
) -> None:
    sheet = sheet_of(as_owner, draft, ADA, BAD)
    page = page_at(as_owner, sheet)
    words = page.one("section", aria_labelledby="mend").text
    assert "Row 3, Date of birth: enter “Date of birth” with the month as a word" in words
    assert "(Noor Haddad)" in words
    assert len(page.all("input", name="row")) == 1
    tokens = [row["token"] for row in PartyImport.objects.get().sheet["rows"]]
    assert as_owner.post(sheet, {"row": tokens})["Location"] == sheet
    page = page_at(as_owner, sheet)
    assert page.one("div", id="messages").text.strip() == "1 person or company added."
    assert page.all("input", name="row") == []
    assert people(draft) == ["Ada Lovelace"]


def test_what_is_ticked_is_added_once(as_owner: Client, draft: Draft) -> None:
    sheet = sheet_of(as_owner, draft, ADA, NOOR)
    both = ticked(page_at(as_owner, sheet))
    as_owner.post(sheet, {"row": both[1:]})
    assert people(draft) == ["Noor Haddad"]
    assert as_owner.post(sheet, {"row": both})["Location"] == people_url(draft)
    assert as_owner.post(sheet, {"row": both})["Location"] == url(draft)
    assert people(draft) == ["Noor Haddad", "Ada Lovelace"]


def test_somebody_who_is_here_is_left_out_unless_the_owner_says_otherwise(
    as_owner: Client, draft: Draft, owner: Any
) -> None:
    services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
    sheet = sheet_of(as_owner, draft, (*ADA[:2], "yes", *ADA[3:]))
    page = page_at(as_owner, sheet)
    section = page.one("section", aria_labelledby="duplicates").text
    assert "Ada Lovelace, born 10\xa0December\xa01985, is already a director in this application." in section
    assert [option.text for option in page.all("option")] == [
        "Skip this row",
        "Add this row’s details to the first one",
        "Add as a different person",
    ]
    choice = page.one("select").attributes["name"]
    as_owner.post(sheet, {choice: ""})
    assert people(draft) == ["Ada Lovelace"]
    as_owner.post(sheet, {choice: "join"})
    [ada] = factories.again(draft).parties
    assert ada.roles == ("director", "shareholder")


def test_what_is_not_read_of_a_sheet_is_named(as_owner: Client, draft: Draft) -> None:
    content = as_csv((*HEADS[:5], "Shoe size"), (*ADA[:5], "39"), encoding="cp1252") + "é,".encode("cp1252")
    words = page_at(as_owner, upload(as_owner, draft, content)["Location"]).one("main").text
    assert "are not read: “Shoe size”." in words
    assert "missing these columns: “E-mail address (Person)”, “Date of birth”, “Is pep”" in words
    assert "not in UTF-8" in words


def test_a_sheet_can_be_deleted(as_owner: Client, draft: Draft) -> None:
    sheet = sheet_of(as_owner, draft, ADA)
    assert as_owner.get(f"{sheet}removal/")["Location"] == sheet
    assert as_owner.post(f"{sheet}removal/")["Location"] == people_url(draft)
    assert not PartyImport.objects.exists()
    assert as_owner.get(sheet)["Location"] == url(draft)


def test_who_may_only_read_sees_it_and_adds_nothing(
    as_owner: Client, as_other_customer: Client, draft: Draft, other_customer: Any
) -> None:
    sheet = sheet_of(as_owner, draft, ADA)
    rows = ticked(page_at(as_owner, sheet))
    let_in(draft, other_customer, Right.VIEW)
    assert page_at(as_other_customer, url(draft)).all("input", type="file") == []
    assert not [button for button in page_at(as_other_customer, sheet).all("button") if "Add" in button.text]
    for path in (sheet, f"{sheet}removal/", url(draft)):
        assert as_other_customer.post(path, {"row": rows}).status_code == 403
    assert people(draft) == []


@pytest.mark.parametrize("ending", ["xlsx", "csv"])
def test_the_files_are_downloads_that_nobody_keeps_on_the_way(as_owner: Client, draft: Draft, ending: str) -> None:
    answer = as_owner.get(url(draft, f"spreadsheet.{ending}"))
    assert answer["Content-Disposition"] == f'attachment; filename="{draft.application.reference}.{ending}"'
    assert (answer["Cache-Control"], answer["X-Content-Type-Options"]) == ("no-store", "nosniff")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (factories.PDF + b"\x00", "The file must be XLSX or CSV"),
        (as_csv((*HEADS, "Kind"), ADA), "Keep only one column called “Kind”"),
        (as_xlsx(HEADS), "Fill in at least one row"),
        (as_csv(HEADS, *([ADA] * 201)), "Upload at most 200 rows at a time. This spreadsheet has 201"),
        (b"PK\x03\x04nothing", "This file is damaged"),
    ],
)
def test_a_file_that_is_not_taken_is_said_at_its_control(
    as_owner: Client, draft: Draft, content: bytes, words: str
) -> None:
    page = sound(upload(as_owner, draft, content), 422)
    assert page.one("title").text.startswith("Error: ")
    link = page.one("a", href="#sheet").text
    assert link.startswith(words)
    assert link in page.one("p", id="sheet-error").text
    assert page.one("input", id="sheet").attributes["aria-invalid"] == "true"
    assert not PartyImport.objects.exists()


def test_a_full_disk_is_not_taken_for_a_file_that_cannot_be_read(
    as_owner: Client, draft: Draft, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("formation_portal.portal.parties.spreadsheet.read_sheet", refuse)
    as_owner.raise_request_exception = False
    assert upload(as_owner, draft, as_csv(HEADS, ADA)).status_code == 503


def test_a_sheet_that_waits_is_offered_again_and_another_takes_its_place(as_owner: Client, draft: Draft) -> None:
    first = upload(as_owner, draft, as_csv(HEADS, ADA), "first.csv")["Location"]
    page = page_at(as_owner, url(draft))
    assert "“first.csv”" in page.one("main").text
    assert page.all("a", href=first)
    second = sheet_of(as_owner, draft, NOOR)
    assert as_owner.get(first)["Location"] == url(draft)
    assert as_owner.get(second).status_code == 200


def test_the_pages_take_as_many_queries_for_fifty_rows_as_for_one(as_owner: Client, draft: Draft, owner: Any) -> None:
    services.add_party(draft, "person", ["director"], factories.ADA, by=owner)

    few = query_counts(as_owner, url(draft), sheet_of(as_owner, draft, ADA))
    rows = [(*NOOR[:3], f"No {number}", *NOOR[4:]) for number in range(50)]
    assert query_counts(as_owner, url(draft), sheet_of(as_owner, draft, *rows)) == few
    assert max(few) <= 11
