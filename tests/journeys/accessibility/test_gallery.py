"""The gallery puts up no barrier, in either theme and at either width."""

import pytest

from tests.journeys.accessibility.barriers import barriers
from tests.journeys.conftest import OpenTab
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]


def test_the_gallery_puts_up_no_barrier(open_tab: OpenTab) -> None:
    browser = open_tab(None)
    browser.tab.goto(f"{browser.base}/gallery/")
    assert browser.tab.get_by_role("heading", name="Gallery").is_visible()
    assert list(barriers(browser.tab)) == []
