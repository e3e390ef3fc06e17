"""The oldest browsers that are supported: Chromium without what came later."""

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import Route, expect

from tests.journeys.conftest import OpenTab, new_user
from tests.journeys.page_states.party_review import in_review
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

PAPER, INK = "rgb(243, 246, 246)", "rgb(20, 34, 43)"
_GROUND = (
    "() => { const { backgroundColor, color } = getComputedStyle(document.body); return [backgroundColor, color]; }"
)


def without_light_dark(route: Route) -> None:
    """Give the browser a function of another name."""
    response = route.fetch()
    route.fulfill(response=response, body=response.text().replace("light-dark(", "not-known("))


def test_a_browser_without_light_dark_gets_the_light_colours(open_tab: OpenTab) -> None:
    browser = open_tab(None, scheme="dark")
    browser.tab.route("**/*.css", without_light_dark)
    browser.tab.goto(f"{browser.base}/help/")
    assert browser.tab.evaluate(_GROUND) == [PAPER, INK]


def test_shortcuts_work_in_a_browser_that_cannot_tell_what_is_visible(open_tab: OpenTab) -> None:
    draft, browser = in_review(new_user()), open_tab(new_user(is_agent=True))
    tab: Tab = browser.tab
    tab.add_init_script("delete Element.prototype.checkVisibility")
    tab.goto(f"{browser.base}/desk/{draft.application.reference}/parties/kestrel/")
    for key in ("?", "Escape", "o"):
        tab.keyboard.press(key)
    expect(tab.locator("#viewer img")).to_be_visible()
    assert browser.faults == []
