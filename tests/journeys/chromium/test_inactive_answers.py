"""What a choice makes inactive is listed beside it, and one press undoes it; nothing typed is lost on the way."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from formation_portal.applications import services
from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from tests.journeys.accessibility.barriers import barriers
from tests.journeys.browser import TabBrowser
from tests.journeys.chromium.test_questions import started
from tests.journeys.conftest import OpenTab
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

SAYS = re.compile(r"^\s*No longer needed because of this answer: 1 section and 1 person.")


def managed(label: str) -> tuple[Application, Any, str]:
    """A company with a manager: its owner, and the address of the page that asks who runs it."""
    application, owner = started("delaware-llc")
    draft = open_draft(application)
    spec = next(spec for spec in draft.schema.entity_fields if spec.label == label)
    section = next(one for one in draft.schema.entity_sections if spec in one.fields)
    ruled = next(one for one in draft.schema.role_sections if one.depends_on)
    assert ruled.depends_on is not None
    services.save_section(draft, section, {spec.name: ruled.depends_on.value}, version=0, by=owner)
    services.add_party(draft, "person", [str(ruled.role)], {"person.first_name": "Ada"}, by=owner)
    return application, owner, f"/applications/{application.reference}/sections/{section.key}/"


def question(tab: Tab) -> Any:
    return tab.get_by_role("radiogroup", name="Who runs the company?")


def choose_members(browser: TabBrowser) -> None:
    question(browser.tab).get_by_role("radio", checked=False).first.check()


def test_the_line_stands_at_the_control_and_undo_keeps_what_was_typed(open_tab: OpenTab, site: str) -> None:
    _, owner, address = managed("Who runs the company?")
    browser = open_tab(owner)
    browser.get(address)
    tab = browser.tab
    chosen = question(tab).get_by_role("radio", checked=True).get_attribute("value")
    choose_members(browser)
    line = tab.locator(".inactive")
    expect(line).to_have_text(SAYS)
    expect(tab.locator("#announcer")).to_have_text(SAYS)
    assert line.locator("xpath=ancestor::*[contains(@class, 'field')]").get_by_role("radiogroup").count() == 1
    assert list(barriers(tab)) == []
    tab.get_by_label("Amount", exact=True).fill("12345")
    with tab.expect_navigation():
        line.get_by_role("button", name="Undo").click()
    expect(question(tab).get_by_role("radio", checked=True)).to_have_value(str(chosen))
    expect(tab.locator(".message")).to_have_text("“Who runs the company?” has been changed back.")
    expect(tab.locator(".message")).to_be_focused()
    expect(tab.get_by_label("Amount", exact=True)).to_have_value("12345")
    assert browser.faults == []


@pytest.mark.parametrize("width", [1280, 320])
def test_what_is_inactive_stands_on_the_check_page_without_a_barrier(open_tab: OpenTab, site: str, width: int) -> None:
    application, owner, address = managed("Who runs the company?")
    browser = open_tab(owner, width=width)
    browser.get(address)
    choose_members(browser)
    expect(browser.tab.locator(".inactive")).to_be_visible()
    browser.get(f"/applications/{application.reference}/check/")
    inactive = browser.tab.get_by_role("region", name="No longer needed")
    expect(inactive).to_contain_text("1 person")
    expect(inactive).to_contain_text("We restore it if you change “Who runs the company?” back.")
    assert list(barriers(browser.tab)) == []


def test_what_another_answer_makes_inactive_is_said_before_and_stays_where_it_is(open_tab: OpenTab, site: str) -> None:
    _, owner, address = managed("Who runs the company?")
    browser = open_tab(owner)
    browser.get(address)
    warning = browser.tab.get_by_text("If you change this answer, 1 section and 1 person may no longer apply.")
    expect(warning).to_contain_text("Choose “Managed by managers” again to restore them.")
    described_by = question(browser.tab).get_attribute("aria-describedby") or ""
    assert str(warning.get_attribute("id")) in described_by.split()
    place = warning.bounding_box()
    choose_members(browser)
    expect(browser.tab.locator(".inactive")).to_be_visible()
    assert warning.bounding_box() == place
    assert list(barriers(browser.tab)) == []


def test_another_choice_takes_the_line_away(open_tab: OpenTab, site: str) -> None:
    _, owner, address = managed("Who runs the company?")
    browser = open_tab(owner)
    browser.get(address)
    choose_members(browser)
    expect(browser.tab.locator(".inactive")).to_be_visible()
    choose_members(browser)
    expect(browser.tab.locator(".inactive")).to_have_count(0)
    choose_members(browser)
    expect(browser.tab.locator(".inactive")).to_be_visible()
    assert browser.faults == []


def test_without_script_the_page_says_it_and_undoes_it(open_tab: OpenTab, site: str) -> None:
    _, owner, address = managed("Who runs the company?")
    browser = open_tab(owner, has_script=False, width=320)
    browser.get(address)
    tab = browser.tab
    choose_members(browser)
    browser.press(tab.get_by_role("button", name="Update questions").first)
    expect(tab.locator(".message")).to_have_text(SAYS)
    browser.press(tab.get_by_role("button", name="Undo"))
    expect(question(tab).get_by_role("radio", checked=False)).not_to_have_count(0)
    expect(tab.locator(".message")).to_have_text("“Who runs the company?” has been changed back.")
