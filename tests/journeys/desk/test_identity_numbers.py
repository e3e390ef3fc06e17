"""Numbers are shown and hidden by one key, and nothing else on the page is lost by it."""

import json

import pytest
from playwright.sync_api import expect

from formation_portal.audit.models import AuditAction, Entry
from tests.desk.identity_numbers import LONG, SHORT, submitted_with_numbers
from tests.journeys.conftest import OpenTab, new_user
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]


def test_a_key_shows_numbers_and_a_clean_party_takes_four(open_tab: OpenTab) -> None:
    draft, browser = submitted_with_numbers(new_user()), open_tab(new_user(is_agent=True))
    tab, address = browser.tab, f"{browser.base}/desk/{draft.application.reference}/parties/ada/"
    tab.goto(f"{address}?zoom=150")
    tab.wait_for_load_state("load")
    tab.keyboard.press("?")
    expect(tab.get_by_role("dialog", name="Keyboard shortcuts")).to_contain_text("Ask about this fact")
    for key in ("Escape", "1", "r"):
        tab.keyboard.press(key)
    words = tab.locator("#fact-1").get_by_label("To the customer")
    words.fill("half a sentence")
    tab.locator("h1").click()
    tab.keyboard.press("v")
    expect(tab.locator("#announcer")).to_have_text("Numbers shown. Recorded in the audit log.")
    expect(tab.get_by_text(LONG)).to_be_visible()
    expect(tab.get_by_text(SHORT)).to_be_visible()
    expect(tab.get_by_role("checkbox", name="Roles")).to_be_checked()
    expect(words).to_have_value("half a sentence")
    expect(tab).to_have_url(f"{address}?zoom=150")
    tab.keyboard.press("v")
    expect(tab.get_by_text(LONG)).to_have_count(0)
    expect(words).to_have_value("half a sentence")
    tab.goto(address)
    tab.wait_for_load_state("load")
    tab.keyboard.press("o")
    tab.wait_for_url("**open=1**")
    tab.wait_for_load_state("load")
    tab.keyboard.press("v")
    expect(tab.get_by_text(LONG)).to_be_visible()
    tab.keyboard.press("a")
    tab.keyboard.press("Enter")
    expect(tab.locator("#messages")).to_contain_text("9 facts accepted.")
    expect(tab.locator("h1")).to_have_text("Unnamed company")
    shown = Entry.objects.filter(action=AuditAction.REVEAL)
    assert [json.loads(one.detail)["fields"] for one in shown] == [["person.passport_number", "person.tax_number"]] * 2
