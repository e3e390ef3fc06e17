"""The oldest browsers that are supported: Chromium without what came later."""

import pytest
from playwright.sync_api import Route

from tests.journeys.conftest import OpenTab
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
