"""Paper: pages lay themselves out without containers, whose content Firefox does not print."""

import pytest

from tests.journeys.chromium.test_questions import started
from tests.journeys.conftest import OpenTab
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

_CONTAINERS = """() => [...document.querySelectorAll("*")]
  .filter((element) => getComputedStyle(element).containerType !== "normal")
  .map(({ className, tagName }) => className || tagName)"""


@pytest.mark.parametrize("page", ["", "check/", "shares/"], ids=["catalog", "check", "shares"])
def test_no_page_prints_its_content_in_a_container(page: str, open_tab: OpenTab) -> None:
    application, owner = started("bvi-limited-company")
    browser = open_tab(owner)
    browser.get(f"/applications/{application.reference}/{page}" if page else "/")
    assert "BODY" in browser.tab.evaluate(_CONTAINERS)
    browser.tab.emulate_media(media="print")
    assert browser.tab.evaluate(_CONTAINERS) == []
