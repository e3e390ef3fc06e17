"""A sheet is downloaded, filled in, uploaded and taken over in a browser, with script, without, and by keyboard."""

from pathlib import Path
from typing import Any

import pytest

from formation_portal.applications import saving
from formation_portal.applications.drafts import open_draft
from formation_portal.applications.models import Application
from tests.applications import made
from tests.applications.spreadsheet.sheets import ADA, HEADS, NOOR, as_csv, opened, saved
from tests.journeys.browser import TabBrowser
from tests.journeys.conftest import OpenTab, chromium, new_user, open_tab, shelf, site
from tests.needed import has_chromium, needed

__all__ = ["chromium", "open_tab", "shelf", "site"]

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]


@pytest.fixture
def application(site: str) -> Application:
    return saving.start(owner=new_user(), product=made.product())


def people(application: Application) -> list[str]:
    return [row.label for row in open_draft(Application.objects.get(pk=application.pk)).parties]


def put(browser: TabBrowser, content: bytes, name: str) -> None:
    file: Any = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    browser.tab.get_by_label("The filled-in sheet").set_input_files(file)


@pytest.mark.parametrize("has_script", [True, False], ids=["with-script", "without-script"])
def test_the_sheet_comes_back_and_its_good_rows_are_added(
    application: Application, open_tab: OpenTab, has_script: bool, tmp_path: Path
) -> None:
    browser = open_tab(application.owner, has_script=has_script, width=320)
    tab = browser.tab
    browser.get(f"/applications/{application.reference}/people/")
    tab.get_by_role("link", name="Add many at once from a spreadsheet").click()
    with tab.expect_download() as download:
        tab.get_by_role("link", name="Download for Excel or LibreOffice").click()
    download.value.save_as(tmp_path / "sheet.xlsx")
    book = opened((tmp_path / "sheet.xlsx").read_bytes())
    place = {str(cell.value).rstrip(" *"): cell.column for cell in book.worksheets[0][1]}
    for number, line in enumerate((ADA, (*NOOR[:6], "3/4/1990")), start=2):
        for heading, text in zip(HEADS, line, strict=True):
            book.worksheets[0].cell(number, place[heading]).value = text
    put(browser, saved(book), "people.xlsx")
    browser.press(tab.get_by_role("button", name="Upload and look at it"))
    assert tab.get_by_text("Row 3, Date of birth: enter").is_visible()
    assert people(application) == []
    browser.press(tab.get_by_role("button", name="Add the ticked rows"))
    assert "1 person or company is added." in tab.locator("#messages").inner_text()
    assert people(application) == ["Ada Lovelace"]
    assert not browser.faults


def test_it_is_all_done_by_keyboard(application: Application, open_tab: OpenTab) -> None:
    browser = open_tab(application.owner)
    tab = browser.tab
    browser.get(f"/applications/{application.reference}/people/spreadsheet/")
    put(browser, as_csv(HEADS, ADA, NOOR), "people.csv")
    tab.get_by_label("The filled-in sheet").focus()
    tab.keyboard.press("Tab")
    with tab.expect_navigation():
        tab.keyboard.press("Enter")
    while tab.evaluate("document.activeElement.type") != "checkbox":
        tab.keyboard.press("Tab")
    tab.keyboard.press("Space")
    for _ in range(2):
        tab.keyboard.press("Tab")
    with tab.expect_navigation():
        tab.keyboard.press("Enter")
    assert people(application) == ["Noor Haddad"]
