"""The catalog's filter and the guide with script: what is listed follows a choice, and the focus stays."""

import re

import pytest
from playwright.sync_api import Route, expect

from tests.journeys.conftest import OpenTab, open_tab, site
from tests.needed import has_chromium, needed

__all__ = ["open_tab", "site"]

# Everything that a listener hears from the announcer, in its order.
_LISTEN = """() => {
  window.said = [];
  const announcer = document.getElementById("announcer");
  new MutationObserver(() => announcer.textContent.trim() && window.said.push(announcer.textContent.trim()))
    .observe(announcer, { childList: true, characterData: true, subtree: true });
}"""

# A catalog that something filters.
_FILTERED = re.compile(r"/\?")

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]


def test_each_change_is_announced_once(open_tab: OpenTab) -> None:
    browser = open_tab(None)
    tab = browser.tab
    browser.get("/")
    tab.evaluate(_LISTEN)
    tab.get_by_label("Country").select_option("bvi")
    expect(tab.locator("#announcer")).to_have_text("1 of 32 company types")
    tab.get_by_label("Type").select_option("Foundation")
    expect(tab.locator("#announcer")).to_contain_text("0 of 32 company types. Without “")
    assert [words[:10] for words in tab.evaluate("() => window.said")] == ["1 of 32 co", "0 of 32 co"]
    assert tab.url.endswith("/?country=bvi&type=Foundation")


def test_typing_narrows_the_list_and_makes_one_step_to_go_back_over(open_tab: OpenTab) -> None:
    browser = open_tab(None)
    tab = browser.tab
    browser.get("/")
    tab.get_by_label("Region").select_option("Caribbean")
    expect(tab.locator("#catalog-count")).to_have_text("6 of 32 company types")
    tab.get_by_label("Search").press_sequentially("found")
    expect(tab.locator("#catalog-count")).to_have_text("1 of 32 company types")
    expect(tab.get_by_label("Search")).to_be_focused()
    expect(tab.get_by_label("Search")).to_have_value("found")
    assert tab.url.endswith("/?search=found&region=Caribbean")
    tab.get_by_label("Region").focus()
    browser.settle()
    assert tab.get_by_label("Region").evaluate("list => list.selectedOptions[0].textContent.trim()") == "Caribbean (1)"
    assert tab.get_by_label("Type").evaluate("list => list.options[2].textContent.trim()") == "Foundations (1)"
    tab.go_back()
    expect(tab.locator("#catalog-count")).to_have_text("32 of 32 company types")
    assert browser.faults == []


@pytest.mark.long
def test_a_tick_that_is_made_while_a_filter_is_answered_is_kept(open_tab: OpenTab) -> None:
    browser = open_tab(None)
    tab = browser.tab
    browser.get("/")
    held: list[Route] = []
    tab.route(_FILTERED, lambda route: held.append(route))
    with tab.expect_request(_FILTERED):
        tab.get_by_label("Type").select_option("Corporation")
    tab.get_by_role("checkbox", name="Texas LLC").check()
    held[0].continue_()
    expect(tab.locator("#catalog-results tbody tr")).not_to_have_count(32)
    expect(tab.get_by_role("checkbox", name="Texas LLC")).to_be_checked()


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
