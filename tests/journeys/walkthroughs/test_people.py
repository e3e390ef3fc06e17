"""People once: known ones take a role, removed ones come back, doubles become one, and a sheet brings many."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from tests.applications import factories
from tests.applications.imports.sample_sheets import ADA, HEADS, NOOR, opened, saved
from tests.journeys.walkthroughs.conftest import Sit
from tests.journeys.walkthroughs.drafts import begun, now, root
from tests.journeys.walkthroughs.modes import in_every_way, in_every_way_and_one_always
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]


def people(draft: Draft) -> list[str]:
    return [row.label for row in now(draft).parties]


@in_every_way_and_one_always
def test_a_known_person_takes_a_role_in_one_press_is_removed_and_restored(sit: Sit, site: str) -> None:
    elsewhere = begun()
    user: Any = elsewhere.application.owner
    services.add_party(elsewhere, "person", ["director"], factories.ADA, by=user)
    draft = begun(user)
    ida = sit(user, f"{root(draft)}people/")
    ida.follow("Use Ada Lovelace as Directors")
    ida.see("Ada Lovelace is now a director. We filled in 4 answers")
    ida.follow("Use Ada Lovelace as Shareholders")
    assert sorted(now(draft).parties[0].roles) == ["director", "shareholder"]
    ida.follow("Remove Ada Lovelace")
    ida.see("Also removed")
    ida.follow("Remove")
    assert now(draft).parties == ()
    ida.follow("Restore Ada Lovelace")
    ida.see("Ada Lovelace was restored")
    ida.look_around()
    assert now(draft).parties[0].raw["person.email"] == "ada@example.com"


@in_every_way
def test_one_adds_oneself_in_one_press(sit: Sit) -> None:
    draft = begun()
    ida = sit(draft.application.owner, f"{root(draft)}people/")
    ida.follow("Add yourself (Ida Lund) as Directors")
    ida.follow("Edit Ida Lund")
    expect(ida.tab.get_by_label("First name")).to_have_value("Ida")
    expect(ida.tab.get_by_label("Last name")).to_have_value("Lund")


@in_every_way
def test_one_adds_oneself_with_the_name_filled_in(sit: Sit) -> None:
    draft = begun()
    ida = sit(draft.application.owner, f"{root(draft)}people/")
    ida.follow("Add someone new as Directors")
    ida.answer("Who are you adding", "A person")
    ida.follow("Continue")
    ida.tick("Shareholder")
    ida.tick("This is me")
    ida.follow("Add and continue")
    expect(ida.tab.get_by_label("First name")).to_have_value("Ida")
    ida.field("Last name", "Lund-Holm")
    for part, text in (("Day", "3"), ("Month", "May"), ("Year", "1990")):
        ida.field(f"Date of birth {part}", text)
    ida.follow("Save and come back later")
    [row] = now(draft).parties
    assert sorted(row.roles) == ["director", "shareholder"]
    assert row.label == "Ida Lund-Holm"
    assert row.raw["person.date_of_birth"] == {"day": "3", "month": "May", "year": "1990"}


@in_every_way
def test_whoever_is_here_twice_becomes_one(sit: Sit) -> None:
    draft = begun()
    user: Any = draft.application.owner
    services.add_party(draft, "person", ["director"], factories.ADA, by=user)
    again = services.add_party(draft, "person", ["shareholder"], {}, by=user)
    ida = sit(user, f"{root(draft)}people/{again.token}/")
    for words, text in (
        ("First name", "Ada"),
        ("Last name", "Lovelace"),
        ("E-mail", "second@example.com"),
        ("Date of birth Day", "10"),
        ("Date of birth Month", "12"),
        ("Date of birth Year", "1985"),
    ):
        ida.field(words, text)
    ida.follow("Save and continue")
    ida.see("is already a director in this application.")
    assert len(now(draft).parties) == 2
    ida.follow("Give Ada Lovelace this role too")
    [ada] = now(draft).parties
    assert ada.roles == ("director", "shareholder")
    assert ada.raw["person.email"] == "ada@example.com"
    ida.see("Removed")


@in_every_way
def test_a_sheet_is_downloaded_filled_in_mended_and_confirmed(sit: Sit, tmp_path: Path) -> None:
    draft = begun()
    ida = sit(draft.application.owner, f"{root(draft)}people/")
    ida.follow("Add several people from a spreadsheet")
    ida.download("Download for Excel or LibreOffice").save_as(tmp_path / "sheet.xlsx")
    empty = (tmp_path / "sheet.xlsx").read_bytes()

    ida.choose_file("Your completed spreadsheet", sheet(empty, ADA, (*NOOR[:6], "3/4/1990")))
    ida.follow("Upload and check")
    ida.see("Row 3, Date of birth: enter")
    assert people(draft) == []
    ida.follow("Add the selected rows")
    ida.see("1 person or company added.")
    assert people(draft) == ["Ada Lovelace"]

    ida.go(f"{root(draft)}people/spreadsheet/")
    ida.choose_file("Your completed spreadsheet", sheet(empty, ADA, NOOR))
    ida.follow("Upload and check")
    ida.see("Already added?")
    ida.look_around()
    ida.follow("Add the selected rows")
    assert people(draft) == ["Ada Lovelace", "Noor Haddad"]


def sheet(empty: bytes, *lines: Any) -> Any:
    """The sheet with these lines, as a file to choose."""
    book = opened(empty)
    place = {str(cell.value).rstrip(" *"): cell.column for cell in book.worksheets[0][1]}
    for number, line in enumerate(lines, start=2):
        for heading, text in zip(HEADS, line, strict=True):
            book.worksheets[0].cell(number, place[heading]).value = text
    return {"name": "people.xlsx", "mimeType": "application/octet-stream", "buffer": saved(book)}
