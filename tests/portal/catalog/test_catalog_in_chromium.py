"""The catalog's filter with script: results, count and address follow a choice, and the focus stays where it is."""

import pytest
from playwright.sync_api import expect

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

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]


def test_a_choice_narrows_the_list_in_place(open_tab: OpenTab) -> None:
    browser = open_tab(None)
    tab = browser.tab
    browser.get("/")
    tab.get_by_label("Country").focus()
    tab.get_by_label("Country").select_option("bvi")
    expect(tab.locator("#catalog-results tbody tr")).to_have_count(1)
    expect(tab.locator("#catalog-count")).to_have_text("1 of 32 company types")
    expect(tab.locator("#announcer")).to_have_text("1 of 32 company types")
    expect(tab.get_by_label("Country")).to_be_focused()
    assert tab.url.endswith("/?country=bvi")
    assert browser.faults == []


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


@pytest.mark.parametrize("has_script", [True, False])
def test_the_filter_that_helps_most_is_removed_by_its_link(open_tab: OpenTab, has_script: bool) -> None:
    browser = open_tab(None, has_script=has_script)
    tab = browser.tab
    browser.get("/?country=bvi&type=Foundation")
    link = tab.get_by_role("link", name="Without “")
    fitting = int((link.text_content() or "").split("”, ")[1].split()[0])
    link.click()
    expect(tab.locator("#catalog-results tbody tr")).to_have_count(fitting)
    expect(tab.get_by_label("Type")).to_have_value("Foundation" if "type" in tab.url else "")


def test_the_button_does_the_same_without_script(open_tab: OpenTab) -> None:
    tab = (browser := open_tab(None, has_script=False)).tab
    browser.get("/")
    tab.get_by_label("Type").select_option("Foundation")
    tab.get_by_role("button", name="Apply").click()
    expect(tab.locator("#catalog-count")).to_contain_text("of 32 company types")
    assert 0 < tab.locator("#catalog-results tbody tr").count() < 32


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
