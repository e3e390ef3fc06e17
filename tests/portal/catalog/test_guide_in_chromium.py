"""The guide with script: the shortlist follows each answer, and the focus stays at it."""

import pytest
from playwright.sync_api import expect

from tests.journeys.conftest import OpenTab, open_tab, site
from tests.needed import has_chromium, needed

__all__ = ["open_tab", "site"]

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]


def test_each_answer_changes_the_shortlist_in_place(open_tab: OpenTab) -> None:
    browser = open_tab(None, width=320)
    tab = browser.tab
    browser.get("/")
    tab.get_by_role("link", name="Which is right for me?").click()
    where = tab.get_by_role("group", name="Where should it be registered?")
    where.get_by_label("Caribbean").check()
    expect(tab.locator("#guide-results .task")).to_have_count(5)
    expect(tab.locator("#announcer")).to_have_text("6 company types match all your answers")
    tab.get_by_role("group", name="What do you want to form?").get_by_label("Foundation").check()
    expect(tab.locator("#guide-results .task")).to_have_count(1)
    assert tab.url.endswith("/guide/?form=Foundation&region=Caribbean")
    expect(where.get_by_label("Caribbean")).to_be_checked()
    assert tab.evaluate("document.documentElement.scrollWidth") == 320
    tab.go_back()
    expect(tab.locator("h1")).to_have_text("Companies and foundations you can form")
    assert browser.faults == []


def test_the_button_does_the_same_without_script(open_tab: OpenTab) -> None:
    browser = open_tab(None, has_script=False)
    tab = browser.tab
    browser.get("/guide/")
    tab.get_by_role("group", name="Where should it be registered?").get_by_label("Caribbean").check()
    tab.get_by_role("button", name="Show my shortlist").click()
    expect(tab.locator("#guide-results .task")).to_have_count(5)
    assert tab.url.endswith("/guide/?region=Caribbean#guide-results")
