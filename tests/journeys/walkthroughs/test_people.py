"""People: known ones take a role, removed ones are restored, duplicates are merged, a spreadsheet adds many."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from tests import factories
from tests.applications.imports.sample_sheets import ADA, HEADS, NOOR, opened, saved
from tests.journeys.walkthroughs.conftest import OpenAs
from tests.journeys.walkthroughs.drafts import address_of, new_draft, reloaded
from tests.journeys.walkthroughs.modes import in_every_mode, in_every_mode_and_one_always
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]


def people(draft: Draft) -> list[str]:
    return [row.label for row in reloaded(draft).parties]


@in_every_mode_and_one_always
def test_a_known_person_takes_a_role_in_one_press_is_removed_and_restored(open_as: OpenAs, site: str) -> None:
    other_application = new_draft()
    user: Any = other_application.application.owner
    services.add_party(other_application, "person", ["director"], factories.ADA, by=user)
    draft = new_draft(user)
    ida = open_as(user, f"{address_of(draft)}people/")
    ida.follow("Use Ada Lovelace as Directors")
    ida.expect_text("Ada Lovelace is now a director. We filled in 4 answers")
    ida.follow("Use Ada Lovelace as Shareholders")
    assert sorted(reloaded(draft).parties[0].roles) == ["director", "shareholder"]
    ida.follow("Remove Ada Lovelace")
    ida.expect_text("Also removed")
    ida.follow("Remove")
    assert reloaded(draft).parties == ()
    ida.follow("Restore Ada Lovelace")
    ida.expect_text("Ada Lovelace was restored")
    ida.visit_all_controls()
    assert reloaded(draft).parties[0].raw["person.email"] == "ada@example.com"


@in_every_mode
def test_one_adds_oneself_in_one_press(open_as: OpenAs) -> None:
    draft = new_draft()
    ida = open_as(draft.application.owner, f"{address_of(draft)}people/")
    ida.follow("Add yourself (Ida Lund) as Directors")
    ida.follow("Edit Ida Lund")
    expect(ida.tab.get_by_label("First name")).to_have_value("Ida")
    expect(ida.tab.get_by_label("Last name")).to_have_value("Lund")


@in_every_mode
def test_one_adds_oneself_with_the_name_filled_in(open_as: OpenAs) -> None:
    draft = new_draft()
    ida = open_as(draft.application.owner, f"{address_of(draft)}people/")
    ida.follow("Add someone new as Directors")
    ida.choose_radio("Who are you adding", "A person")
    ida.follow("Continue")
    ida.check("Shareholder")
    ida.check("This is me")
    ida.follow("Add and continue")
    expect(ida.tab.get_by_label("First name")).to_have_value("Ida")
    ida.fill("Last name", "Lund-Holm")
    for part, text in (("Day", "3"), ("Month", "May"), ("Year", "1990")):
        ida.fill(f"Date of birth {part}", text)
    ida.follow("Save and come back later")
    [row] = reloaded(draft).parties
    assert sorted(row.roles) == ["director", "shareholder"]
    assert row.label == "Ida Lund-Holm"
    assert row.raw["person.date_of_birth"] == {"day": "3", "month": "May", "year": "1990"}


@in_every_mode
def test_whoever_is_here_twice_becomes_one(open_as: OpenAs) -> None:
    draft = new_draft()
    user: Any = draft.application.owner
    services.add_party(draft, "person", ["director"], factories.ADA, by=user)
    again = services.add_party(draft, "person", ["shareholder"], {}, by=user)
    ida = open_as(user, f"{address_of(draft)}people/{again.token}/")
    for words, text in (
        ("First name", "Ada"),
        ("Last name", "Lovelace"),
        ("E-mail", "second@example.com"),
        ("Date of birth Day", "10"),
        ("Date of birth Month", "12"),
        ("Date of birth Year", "1985"),
    ):
        ida.fill(words, text)
    ida.follow("Save and continue")
    ida.expect_text("is already a director in this application.")
    assert len(reloaded(draft).parties) == 2
    ida.follow("Give Ada Lovelace this role too")
    [ada] = reloaded(draft).parties
    assert ada.roles == ("director", "shareholder")
    assert ada.raw["person.email"] == "ada@example.com"
    ida.expect_text("Removed")


@in_every_mode
def test_a_spreadsheet_is_downloaded_filled_in_corrected_and_confirmed(open_as: OpenAs, tmp_path: Path) -> None:
    draft = new_draft()
    ida = open_as(draft.application.owner, f"{address_of(draft)}people/")
    ida.follow("Add several people from a spreadsheet")
    ida.download("Download for Excel or LibreOffice").save_as(tmp_path / "sheet.xlsx")
    empty = (tmp_path / "sheet.xlsx").read_bytes()

    ida.choose_file("Your completed spreadsheet", spreadsheet(empty, ADA, (*NOOR[:6], "3/4/1990")))
    ida.follow("Upload and check")
    ida.expect_text("Row 3, Date of birth: enter")
    assert people(draft) == []
    ida.follow("Add the selected rows")
    ida.expect_text("1 person or company added.")
    assert people(draft) == ["Ada Lovelace"]

    ida.go(f"{address_of(draft)}people/spreadsheet/")
    ida.choose_file("Your completed spreadsheet", spreadsheet(empty, ADA, NOOR))
    ida.follow("Upload and check")
    ida.expect_text("Already added?")
    ida.visit_all_controls()
    ida.follow("Add the selected rows")
    assert people(draft) == ["Ada Lovelace", "Noor Haddad"]


def spreadsheet(empty: bytes, *lines: Any) -> Any:
    """The sheet with these lines, as a file to choose."""
    book = opened(empty)
    place = {str(cell.value).rstrip(" *"): cell.column for cell in book.worksheets[0][1]}
    for number, line in enumerate(lines, start=2):
        for heading, text in zip(HEADS, line, strict=True):
            book.worksheets[0].cell(number, place[heading]).value = text
    return {"name": "people.xlsx", "mimeType": "application/octet-stream", "buffer": saved(book)}
