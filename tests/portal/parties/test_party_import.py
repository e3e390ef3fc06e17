"""What an uploaded sheet says, row by row, and that only what is ticked is added, once."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.access import Right
from formation_portal.applications.draft import Draft
from formation_portal.applications.imports.models import PartyImport
from tests import factories
from tests.applications.imports.sample_sheets import ADA, HEADS, NOOR, as_csv
from tests.markup import Markup
from tests.portal.pages import sound
from tests.portal.sharing.test_access import let_in

pytestmark = pytest.mark.django_db(databases=["default", "service"])

BAD = (*NOOR[:6], "03/04/1990")


def people(draft: Draft) -> list[str]:
    return [row.label for row in factories.again(draft).parties]


def main(response: Any) -> str:
    return sound(response).one("main").text


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


def test_each_problem_is_said_with_row_and_column_and_its_row_cannot_be_ticked(as_owner: Client, draft: Draft) -> None:
    page = Upload(as_owner, draft, ADA, BAD).page
    words = page.one("section", aria_labelledby="mend").text
    assert "Row 3, Date of birth: enter “Date of birth” with the month as a word" in words
    assert "(Noor Haddad)" in words
    assert len(page.all("input", name="row")) == 1
    assert "1 of 2 rows can be added" in page.one("main").text


def test_the_good_rows_are_added_and_the_others_stay_to_be_mended(as_owner: Client, draft: Draft) -> None:
    sheet = Upload(as_owner, draft, ADA, BAD)
    answer = sheet.press(**sheet.ticked)
    assert answer["Location"] == sheet.url
    page = sheet.page
    assert message(page) == "1 person or company added."
    assert "1 row from this spreadsheet has already been added" in page.one("main").text
    assert "Nothing is added" not in page.one("main").text
    assert page.one("a", href=sheet.people).text == "Continue to “People”"
    assert page.all("input", name="row") == []
    assert people(draft) == ["Ada Lovelace"]


def test_pressing_twice_adds_once(as_owner: Client, draft: Draft) -> None:
    sheet = Upload(as_owner, draft, ADA, NOOR)
    ticked = sheet.ticked
    assert sheet.press(**ticked)["Location"] == sheet.people
    assert sheet.press(**ticked)["Location"] == f"{sheet.people}spreadsheet/"
    assert people(draft) == ["Ada Lovelace", "Noor Haddad"]


def test_what_is_not_ticked_is_not_added(as_owner: Client, draft: Draft) -> None:
    sheet = Upload(as_owner, draft, ADA, NOOR)
    sheet.press(row=sheet.ticked["row"][1:])
    assert people(draft) == ["Noor Haddad"]
    assert message(sheet.page) == "1 person or company added."


def test_a_row_with_problems_is_not_added_whoever_posts_it(as_owner: Client, draft: Draft) -> None:
    sheet = Upload(as_owner, draft, ADA, BAD)
    tokens = [row["token"] for row in PartyImport.objects.get().sheet["rows"]]
    sheet.press(row=tokens)
    assert people(draft) == ["Ada Lovelace"]


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
