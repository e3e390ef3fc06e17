"""At the workbench choices are live: questions, needs and calls follow them, and what was typed stays."""

import json

import pytest
from playwright.sync_api import expect

from tests import factories
from tests.journeys.conftest import OpenTab, new_user
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]


def test_a_choice_shows_its_questions_and_a_role_asks_its_own(open_tab: OpenTab) -> None:
    browser = open_tab(new_user(is_agent=True))
    tab = browser.tab
    tab.goto(f"{browser.base}/workbench/")
    tab.get_by_label("Schema, or an item of a catalog").fill(json.dumps(factories.ITEM))
    tab.get_by_role("button", name="Show").click()
    needs, calls = tab.locator("#needs-section"), tab.locator("#calls-section")
    expect(tab.get_by_text("No faults and no warnings.")).to_be_visible()
    tab.get_by_label("Name", exact=True).fill("Larkfield Holdings")
    expect(tab.get_by_label("Goods")).to_be_hidden()
    tab.get_by_label("Trading").check()
    expect(tab.get_by_label("Goods")).to_be_visible()
    expect(needs).to_contain_text("Enter “Goods”")
    expect(needs).not_to_contain_text("Enter “Name”")
    expect(calls).to_contain_text('"name": "Larkfield Holdings"')
    expect(calls).to_contain_text('"xy.activity": "Trading"')

    # A manager is asked for only now: the role says so, and somebody can be added to it.
    expect(tab.locator("#roles")).to_contain_text("None needed")
    tab.get_by_role("button", name="Add person as Shareholders").click()
    expect(tab.get_by_label("Trading")).to_be_checked()
    tab.get_by_label("First name").fill("Ada")
    expect(tab.locator("#trial").get_by_text("Appointed by")).to_have_count(0)
    tab.get_by_role("checkbox", name="Directors").check()
    expect(tab.locator("#trial").get_by_text("Appointed by")).to_be_visible()
    expect(tab.get_by_label("First name")).to_have_value("Ada")
    expect(needs).to_contain_text("Ada: upload “Passport”")
    tab.get_by_role("checkbox", name="Passport").first.check()
    expect(needs).not_to_contain_text("Ada: upload “Passport”")
