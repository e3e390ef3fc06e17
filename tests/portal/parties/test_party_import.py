"""What an uploaded sheet says, row by row, and that only what is ticked is added, once."""

import errno
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext

from formation_portal.applications import services
from formation_portal.applications.access import Right
from formation_portal.applications.draft import Draft
from formation_portal.applications.imports.models import PartyImport
from tests import factories
from tests.applications.imports.sample_sheets import ADA, HEADS, NOOR, as_csv, as_xlsx, opened, saved
from tests.markup import Markup
from tests.portal.pages import sound
from tests.portal.sharing.test_access import let_in

pytestmark = pytest.mark.django_db(databases=["default", "service"])

BAD = (*NOOR[:6], "03/04/1990")


def people(draft: Draft) -> list[str]:
    return [row.label for row in factories.again(draft).parties]


def message(page: Markup) -> str:
    return page.one("div", id="messages").text.strip()


class Upload:
    """A sheet that is kept, and its page as somebody sees it."""

    def __init__(self, client: Client, draft: Draft, *rows: Any) -> None:
        self.client = client
        self.people = f"/applications/{draft.application.reference}/people/"
        file = SimpleUploadedFile("people.csv", as_csv(HEADS, *rows))
        self.url = client.post(f"{self.people}spreadsheet/", {"sheet": file})["Location"]

    @property
    def page(self) -> Markup:
        return sound(self.client.get(self.url))

    @property
    def ticked(self) -> dict[str, list[str]]:
        return {
            "row": [
                one.attributes["value"] for one in self.page.all("input", name="row") if "checked" in one.attributes
            ]
        }

    @property
    def chosen(self) -> str:
        return self.page.one("select").attributes["name"]

    def press(self, **post: Any) -> Any:
        return self.client.post(self.url, post)


def test_each_problem_is_said_with_row_and_column_and_only_the_good_rows_are_added(
    as_owner: Client, draft: Draft
) -> None:
    sheet = Upload(as_owner, draft, ADA, BAD)
    page = sheet.page
    words = page.one("section", aria_labelledby="mend").text
    assert "Row 3, Date of birth: enter “Date of birth” with the month as a word" in words
    assert "(Noor Haddad)" in words
    assert len(page.all("input", name="row")) == 1
    tokens = [row["token"] for row in PartyImport.objects.get().sheet["rows"]]
    assert sheet.press(row=tokens)["Location"] == sheet.url
    page = sheet.page
    assert message(page) == "1 person or company added."
    assert page.all("input", name="row") == []
    assert people(draft) == ["Ada Lovelace"]


def test_what_is_ticked_is_added_once(as_owner: Client, draft: Draft) -> None:
    sheet = Upload(as_owner, draft, ADA, NOOR)
    ticked = sheet.ticked
    sheet.press(row=ticked["row"][1:])
    assert people(draft) == ["Noor Haddad"]
    assert sheet.press(**ticked)["Location"] == sheet.people
    assert sheet.press(**ticked)["Location"] == f"{sheet.people}spreadsheet/"
    assert people(draft) == ["Noor Haddad", "Ada Lovelace"]


def test_whoever_is_here_is_left_out_unless_somebody_says_otherwise(as_owner: Client, draft: Draft, owner: Any) -> None:
    services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
    sheet = Upload(as_owner, draft, (*ADA[:2], "yes", *ADA[3:]))
    section = sheet.page.one("section", aria_labelledby="duplicates").text
    assert "Ada Lovelace, born 10\xa0December\xa01985, is already a director in this application." in section
    assert [one.text for one in sheet.page.all("option")] == [
        "Skip this row",
        "Add this row’s details to the first one",
        "Add as a different person",
    ]
    sheet.press(**{sheet.chosen: ""})
    assert people(draft) == ["Ada Lovelace"]
    sheet.press(**{sheet.chosen: "join"})
    [ada] = factories.again(draft).parties
    assert ada.roles == ("director", "shareholder")


def test_what_is_not_read_of_a_sheet_is_named(as_owner: Client, draft: Draft) -> None:
    people_url = f"/applications/{draft.application.reference}/people/"
    content = as_csv((*HEADS[:5], "Shoe size"), (*ADA[:5], "39"), encoding="cp1252") + "é,".encode("cp1252")
    file = SimpleUploadedFile("people.csv", content)
    page = sound(as_owner.get(as_owner.post(f"{people_url}spreadsheet/", {"sheet": file})["Location"]))
    words = page.one("main").text
    assert "are not read: “Shoe size”." in words
    assert "missing these columns: “E-mail address (Person)”, “Date of birth”, “Is pep”" in words
    assert "not in UTF-8" in words


def test_a_sheet_can_be_deleted(as_owner: Client, draft: Draft) -> None:
    sheet = Upload(as_owner, draft, ADA)
    assert as_owner.get(f"{sheet.url}removal/")["Location"] == sheet.url
    assert as_owner.post(f"{sheet.url}removal/")["Location"] == sheet.people
    assert not PartyImport.objects.exists()
    assert as_owner.get(sheet.url)["Location"] == f"{sheet.people}spreadsheet/"


def test_who_may_only_read_sees_it_and_adds_nothing(
    as_owner: Client, as_other_customer: Client, draft: Draft, other_customer: Any
) -> None:
    sheet = Upload(as_owner, draft, ADA)
    ticked = sheet.ticked
    let_in(draft, other_customer, Right.VIEW)
    assert sound(as_other_customer.get(f"{sheet.people}spreadsheet/")).all("input", type="file") == []
    assert [one for one in sound(as_other_customer.get(sheet.url)).all("button") if "Add" in one.text] == []
    for path in (sheet.url, f"{sheet.url}removal/", f"{sheet.people}spreadsheet/"):
        assert as_other_customer.post(path, ticked).status_code == 403
    assert people(draft) == []


def test_a_sheet_of_an_application_that_was_closed_meanwhile_is_gone(
    as_owner: Client, complete: Draft, owner: Any
) -> None:
    sheet = Upload(as_owner, complete, NOOR)
    ticked = sheet.ticked
    services.submit(complete, by=owner)
    sheet.press(**ticked)
    assert people(complete) == ["Ada Lovelace"]


def url(draft: Draft, rest: str = "spreadsheet/") -> str:
    return f"/applications/{draft.application.reference}/people/{rest}"


def upload(client: Client, draft: Draft, content: bytes, name: str = "people.csv") -> Any:
    return client.post(url(draft), {"sheet": SimpleUploadedFile(name, content)})


def refusal(response: Any) -> str:
    page = sound(response, 422)
    assert page.one("title").text.startswith("Error: ")
    [link] = [one for one in page.all("a") if one.attributes.get("href") == "#sheet"]
    control = page.one("input", id="sheet")
    assert control.attributes["aria-invalid"] == "true"
    assert link.text in page.one("p", id="sheet-error").text
    return link.text


@pytest.mark.parametrize("ending", ["xlsx", "csv"])
def test_the_files_are_downloads_that_nobody_keeps_on_the_way(as_owner: Client, draft: Draft, ending: str) -> None:
    answer = as_owner.get(url(draft, f"spreadsheet.{ending}"))
    assert answer["Content-Disposition"] == f'attachment; filename="{draft.application.reference}.{ending}"'
    assert (answer["Cache-Control"], answer["X-Content-Type-Options"]) == ("no-store", "nosniff")


def test_a_downloaded_sheet_that_is_filled_in_is_understood(as_owner: Client, draft: Draft) -> None:
    book = opened(as_owner.get(url(draft, "spreadsheet.xlsx")).content)
    sheet = book.worksheets[0]
    row = {heading.rstrip(" *"): value for heading, value in zip(HEADS, ADA, strict=True)}
    sheet.append([row.get(cell.value.rstrip(" *"), "") for cell in sheet[1]])
    answer = upload(as_owner, draft, saved(book), "people.xlsx")
    assert answer.status_code == 302
    page = sound(as_owner.get(answer["Location"]))
    assert "Ada Lovelace" in page.one("main").text
    assert "1 of 1 row can be added" in page.one("main").text


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
    assert refusal(upload(as_owner, draft, content)).startswith(words)
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
    first = upload(as_owner, draft, as_csv(HEADS, ADA), "first.csv")
    page = sound(as_owner.get(url(draft)))
    assert "“first.csv”" in page.one("main").text
    assert first["Location"] in [one.attributes.get("href") for one in page.all("a")]
    second = upload(as_owner, draft, as_csv(HEADS, NOOR))
    assert as_owner.get(first["Location"])["Location"] == url(draft)
    assert as_owner.get(second["Location"]).status_code == 200


def test_a_closed_application_takes_no_sheet(as_owner: Client, submitted: Draft) -> None:
    assert sound(as_owner.get(url(submitted))).all("input", type="file") == []
    assert upload(as_owner, submitted, as_csv(HEADS, ADA)).status_code == 409
    assert not PartyImport.objects.exists()


def test_the_pages_take_as_many_queries_for_fifty_rows_as_for_one(as_owner: Client, draft: Draft, owner: Any) -> None:
    services.add_party(draft, "person", ["director"], factories.ADA, by=owner)

    def cost(*rows: Any) -> list[int]:
        address = upload(as_owner, draft, as_csv(HEADS, *rows))["Location"]
        counts = []
        for path in (url(draft), address):
            with CaptureQueriesContext(connections["default"]) as seen:
                assert as_owner.get(path).status_code == 200
            counts.append(len(seen))
        return counts

    as_owner.get(url(draft))  # Notes in the session that the address is confirmed.
    few = cost(ADA)
    assert cost(*[(*NOOR[:3], f"No {number}", *NOOR[4:]) for number in range(50)]) == few
    assert max(few) <= 11
