"""Ticking products in the catalog and seeing them side by side, with script and without, wide and narrow."""

import re

import pytest
from playwright.sync_api import Route, expect

from tests.journeys.conftest import OpenTab, open_tab, site
from tests.needed import has_chromium, needed

__all__ = ["open_tab", "site"]

pytestmark = [pytest.mark.long, pytest.mark.browser, needed("Chromium", has_chromium())]

# A catalog that something filters.
_FILTERED = re.compile(r"/\?")


@pytest.mark.parametrize("has_script", [True, False])
def test_ticks_are_still_there_after_looking_at_a_product(open_tab: OpenTab, has_script: bool) -> None:
    browser = open_tab(None, has_script=has_script)
    tab = browser.tab
    browser.get("/")
    tab.get_by_role("checkbox", name="Texas LLC").check()
    tab.get_by_role("link", name="Wyoming LLC").click()
    expect(tab.locator("h1")).to_have_text("Wyoming LLC")
    tab.go_back()
    expect(tab.get_by_role("checkbox", name="Texas LLC")).to_be_checked()
    expect(tab.get_by_role("checkbox", checked=True)).to_have_count(1)


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


def test_by_keyboard_alone_what_has_the_focus_is_not_covered(open_tab: OpenTab) -> None:
    browser = open_tab(None)
    tab = browser.tab
    browser.get("/")
    boxes = tab.get_by_role("checkbox")
    boxes.first.focus()
    tab.keyboard.press("Space")
    for _ in range(24):
        tab.keyboard.press("Tab")
        assert tab.evaluate(_IS_IN_SIGHT), tab.evaluate("() => document.activeElement.outerHTML")
    tab.keyboard.press("Space")
    tab.get_by_role("button", name="Compare").press("Enter")
    expect(tab.get_by_role("table")).to_be_visible()


# The middle of what has the focus is what one would press there, and nothing that lies over it.
_IS_IN_SIGHT = """() => {
  const box = document.activeElement.getBoundingClientRect();
  const there = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return document.activeElement.closest("tr")?.contains(there) ?? document.activeElement.contains(there);
}"""
