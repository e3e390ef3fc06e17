"""What an uploaded sheet says, row by row, and that only what is ticked is added, once."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.access import Right
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.imports.grid import Grid
from formation_portal.applications.imports.models import PartyImport
from formation_portal.applications.models import Application
from formation_portal.portal.parties.spreadsheet import import_context
from tests import factories
from tests.applications.imports.sample_sheets import ADA, HEADS, NOOR, as_csv
from tests.markup import Markup
from tests.portal.sharing.test_access import let_in

pytestmark = pytest.mark.django_db(databases=["default", "service"])

BAD = (*NOOR[:6], "03/04/1990")


def people(draft: Draft) -> list[str]:
    return [row.label for row in open_draft(Application.objects.get(pk=draft.application.pk)).parties]


def sound(response: Any) -> Markup:
    page = Markup(response.content.decode())
    assert page.faults == []
    assert page.unlabelled() == []
    return page


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


def test_an_address_that_is_none_is_a_problem_of_its_row(as_owner: Client, draft: Draft) -> None:
    index = HEADS.index("E-mail address (Person)")
    upload = Upload(as_owner, draft, (*ADA[:index], "ada at example", *ADA[index + 1 :]))
    assert "name@example.com" in upload.page.one("main").text
    assert upload.ticked["row"] == []


def test_what_is_still_needed_afterwards_is_told(as_owner: Client, draft: Draft) -> None:
    page = Upload(as_owner, draft, ADA).page
    assert "1 answer to complete afterwards: Is pep" in page.one("section", aria_labelledby="good").text


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


def test_nothing_ticked_adds_nothing_and_says_so(as_owner: Client, draft: Draft) -> None:
    sheet = Upload(as_owner, draft, ADA)
    sheet.press()
    assert message(sheet.page) == "Nothing was added."
    assert people(draft) == []


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
    [ada] = open_draft(Application.objects.get(pk=draft.application.pk)).parties
    assert ada.roles == ("director", "shareholder")


def test_somebody_else_of_that_name_is_added(as_owner: Client, draft: Draft, owner: Any) -> None:
    services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
    sheet = Upload(as_owner, draft, ADA)
    assert "Add this row’s details" not in sheet.page.one("main").text
    sheet.press(**{sheet.chosen: "apart"})
    assert people(draft) == ["Ada Lovelace", "Ada Lovelace"]


def test_uploading_the_same_sheet_again_duplicates_nobody(as_owner: Client, draft: Draft) -> None:
    first = Upload(as_owner, draft, ADA, NOOR)
    first.press(**first.ticked)
    second = Upload(as_owner, draft, ADA, NOOR)
    second.press(**second.ticked)
    assert people(draft) == ["Ada Lovelace", "Noor Haddad"]


def test_what_is_not_read_of_a_sheet_is_named(as_owner: Client, draft: Draft) -> None:
    people_url = f"/applications/{draft.application.reference}/people/"
    content = as_csv((*HEADS[:5], "Shoe size"), (*ADA[:5], "39"), encoding="cp1252") + "é,".encode("cp1252")
    file = SimpleUploadedFile("people.csv", content)
    page = sound(as_owner.get(as_owner.post(f"{people_url}spreadsheet/", {"sheet": file})["Location"]))
    words = page.one("main").text
    assert "are not read: “Shoe size”." in words
    assert "missing these columns: “E-mail address (Person)”, “Date of birth”, “Is pep”" in words
    assert "not in UTF-8" in words


def test_names_are_shown_as_they_are_and_never_as_markup(as_owner: Client, draft: Draft) -> None:
    sheet = Upload(as_owner, draft, (*ADA[:3], "<b>Ada</b>", "=x", *ADA[5:]), (*ADA[:3], "محمد", "", "", ""))
    page = sheet.page
    assert "<b>Ada</b>" in page.one("section", aria_labelledby="mend").text
    assert "محمد" in page.one("section", aria_labelledby="good").text


def test_a_sheet_can_be_deleted(as_owner: Client, draft: Draft) -> None:
    sheet = Upload(as_owner, draft, ADA)
    assert as_owner.get(f"{sheet.url}removal/")["Location"] == sheet.url
    assert as_owner.post(f"{sheet.url}removal/")["Location"] == sheet.people
    assert not PartyImport.objects.exists()
    assert as_owner.get(sheet.url)["Location"] == f"{sheet.people}spreadsheet/"


def test_a_sheet_whose_week_is_over_is_gone(as_owner: Client, draft: Draft) -> None:
    sheet = Upload(as_owner, draft, ADA)
    ticked = sheet.ticked
    PartyImport.objects.update(expires_at=timezone.now())
    assert sheet.press(**ticked)["Location"] == f"{sheet.people}spreadsheet/"
    assert "is no longer here" in message(sound(as_owner.get(f"{sheet.people}spreadsheet/")))
    assert people(draft) == []


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


def test_who_may_edit_adds_them(as_owner: Client, as_other_customer: Client, draft: Draft, other_customer: Any) -> None:
    sheet = Upload(as_owner, draft, ADA)
    let_in(draft, other_customer, Right.EDIT)
    as_other_customer.post(sheet.url, sheet.ticked)
    assert people(draft) == ["Ada Lovelace"]


def test_another_application_of_ones_own_does_not_have_it(as_owner: Client, draft: Draft, owner: Any) -> None:
    other = services.start(owner=owner, product=factories.product())
    sheet = Upload(as_owner, draft, ADA)
    elsewhere = sheet.url.replace(draft.application.reference, other.reference)
    assert as_owner.post(elsewhere, sheet.ticked)["Location"].endswith(f"{other.reference}/people/spreadsheet/")
    assert people(draft) == []


def test_a_sheet_of_an_application_that_was_closed_meanwhile_is_gone(
    as_owner: Client, complete: Draft, owner: Any
) -> None:
    sheet = Upload(as_owner, complete, NOOR)
    ticked = sheet.ticked
    services.submit(complete, by=owner)
    sheet.press(**ticked)
    assert people(complete) == ["Ada Lovelace"]


def test_what_is_to_be_known_of_a_sheet_is_said_above_its_rows(draft: Draft, owner: Any) -> None:
    remarks = (("windows", ""), ("merged", ""), ("hidden", ""), ("first", "Été & Co"))
    found = services.keep_import(draft, Grid(HEADS, (), remarks), name="people.xlsx", by=owner)
    assert import_context(draft, found, (), None)["remarks"][:4] == [
        "The file is not in UTF-8, so accents may be wrong. Check the names.",
        "Some cells are merged. We only read the first cell of each.",
        "Hidden sheets are not read.",
        "Only the sheet “Été & Co” is read.",
    ]
