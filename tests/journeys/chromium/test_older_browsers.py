"""The oldest browsers that are supported: Chromium without what came later."""

import re

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import Route, expect

from tests.journeys.browser import open_page
from tests.journeys.conftest import OpenTab, new_user
from tests.journeys.page_states.party_review import in_review
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

PAPER, INK = "rgb(243, 246, 246)", "rgb(20, 34, 43)"
_GROUND = (
    "() => { const { backgroundColor, color } = getComputedStyle(document.body); return [backgroundColor, color]; }"
)


def without_light_dark(route: Route) -> None:
    """Give the browser a function of another name, and pages that may hold any style."""
    response = route.fetch()
    headers = {name: value for name, value in response.headers.items() if name != "content-security-policy"}
    route.fulfill(response=response, headers=headers, body=response.text().replace("light-dark(", "not-known("))


@pytest.mark.parametrize("is_first_visit", [True, False])
def test_a_browser_without_light_dark_gets_the_light_colours(open_tab: OpenTab, is_first_visit: bool) -> None:
    browser = open_tab(None, scheme="dark")
    browser.tab.route(re.compile(r"/(\?|$)|\.css$"), without_light_dark)
    open_page(browser.tab, f"{browser.base}/help/")
    if not is_first_visit:
        browser.tab.get_by_role("link", name="Catalog").click()
        browser.tab.wait_for_url("**/")
    assert browser.tab.evaluate(_GROUND) == [PAPER, INK]


def test_shortcuts_work_in_a_browser_that_cannot_tell_what_is_visible(open_tab: OpenTab) -> None:
    draft, browser = in_review(new_user()), open_tab(new_user(is_agent=True))
    tab: Tab = browser.tab
    tab.add_init_script("delete Element.prototype.checkVisibility")
    open_page(tab, f"{browser.base}/desk/{draft.application.reference}/parties/kestrel/")
    for key in ("?", "Escape", "o"):
        tab.keyboard.press(key)
    expect(tab.locator("#paper img")).to_be_visible()
    assert browser.faults == []
