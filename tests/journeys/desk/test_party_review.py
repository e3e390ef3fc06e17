"""A party under review by keyboard alone: ticks stay while one leafs through a document, and a clean party is quick."""

import json
import re

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from formation_portal.audit.models import AuditAction, Entry
from formation_portal.reviews.models import Check, Query
from tests.journeys.conftest import OpenTab, new_user
from tests.journeys.page_states.party_review import in_review
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]


def press(tab: Tab, *keys: str) -> None:
    """Once the page has its keys."""
    tab.wait_for_load_state("load")
    for key in keys:
        tab.keyboard.press(key)


@pytest.mark.long
def test_a_person_is_checked_by_keys_and_a_clean_company_takes_three(open_tab: OpenTab) -> None:
    draft, browser = in_review(new_user()), open_tab(new_user(is_agent=True))
    tab, root = browser.tab, f"/desk/{draft.application.reference}/parties"
    tab.goto(f"{browser.base}{root}/ada/")
    press(tab, "?", "Escape", "1", "3", "]")
    expect(tab.get_by_role("region", name="Page 2 of 3")).to_be_visible()
    expect(tab.locator("#announcer")).to_have_text("Passport, page 2 of 3, 100 percent.")
    press(tab, "+")
    expect(tab).to_have_url(re.compile("page=2&zoom=150$"))
    press(tab, "t")
    expect(tab).to_have_url(re.compile("page=2&zoom=150&turn=90$"))
    expect(tab.get_by_role("img", name="Page 2 of 3, rotated 90°")).to_be_visible()
    expect(tab.get_by_role("checkbox", name="First name")).to_be_checked()
    looked = tab.url
    press(tab, "4", "r")
    expect(tab.locator("#fact-4").get_by_label("Reason")).to_be_focused()
    press(tab, "Tab")
    tab.keyboard.type("1a]n")
    tab.locator("#fact-4").get_by_role("button", name="Save query").press("Enter")
    expect(tab.locator("#fact-4")).to_contain_text("1a]n")
    expect(tab).to_have_url(re.compile(f"^{re.escape(looked)}#at:"))
    expect(tab.get_by_role("checkbox", name="First name")).to_be_checked()
    press(tab, "a")
    expect(tab.get_by_role("button", name="Accept all remaining")).to_be_focused()
    press(tab, "Enter")
    tab.get_by_role("button", name="Accept without opening").press("Enter")
    expect(tab.locator("#messages .message").filter(has_text="7 facts accepted.")).to_be_focused()
    press(tab, "n")
    expect(tab.get_by_role("heading", level=1)).to_have_text("Ingrid Solheim")
    press(tab, "n")
    expect(tab.get_by_role("heading", level=1)).to_have_text("Kestrel Capital B.V.")
    press(tab, "a", "Enter")
    expect(tab.get_by_text("3 facts accepted.")).to_be_visible()
    press(tab, "n")
    expect(tab.get_by_role("heading", level=1)).to_have_text("Ingrid Solheim")
    assert Check.objects.count() == 10
    assert [one.text for one in Query.objects.all()] == ["1a]n"]
    entries = [json.loads(one.detail) for one in Entry.objects.filter(deed=AuditAction.LOOK)]
    assert {1, 2} <= {one.get("page") for one in entries}
