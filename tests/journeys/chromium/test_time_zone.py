"""A reader far from the operator, whose zone in the tests is Chatham."""

import pytest
from playwright.sync_api import expect

from tests.journeys.conftest import OpenTab
from tests.journeys.drafts import address_of, complete_draft
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]


@pytest.mark.parametrize(("has_script", "zone"), [(True, "Tokyo time"), (False, "Chatham time")])
def test_the_second_page_has_the_time_of_the_readers_browser(open_tab: OpenTab, has_script: bool, zone: str) -> None:
    draft = complete_draft()
    browser = open_tab(draft.application.owner, has_script=has_script, zone="Asia/Tokyo")
    browser.get(address_of(draft))
    expect(browser.tab.locator("footer")).to_contain_text("Times are in Chatham time.")
    browser.tab.reload()
    expect(browser.tab.locator("footer")).to_contain_text(f"Times are in {zone}.")
