"""A session that ends in the middle of a form: warned, extended with one press, and nothing typed is lost."""

import re
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from formation_portal.applications.access import Collaborator
from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from formation_portal.ui.sessions import WARN_SECONDS
from tests.journeys.chromium.test_questions import at_section
from tests.journeys.conftest import OpenTab, new_user
from tests.journeys.drafts import started
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

PASSWORD = "quite-a-long-one"


@pytest.fixture
def application(site: str) -> tuple[Application, Any]:
    made, owner = started("delaware-llc")
    owner.set_password(PASSWORD)
    owner.save()
    return made, owner


def test_the_warning_comes_in_time_and_one_press_of_a_key_puts_it_off(
    open_tab: OpenTab, application: tuple[Application, Any], settings: Any
) -> None:
    settings.SESSION_COOKIE_AGE = WARN_SECONDS + 1
    tab = at_section(open_tab, application).tab
    notice = tab.locator("#session")
    expect(notice).to_contain_text("You will be signed out on")
    expect(tab.locator("#announcer")).to_contain_text("You will be signed out on")
    settings.SESSION_COOKIE_AGE = 3600
    notice.get_by_role("button", name="Stay signed in").focus()
    tab.keyboard.press("Enter")
    expect(notice).to_contain_text("You stay signed in until")
    expect(notice.locator("p")).to_be_focused()


def test_what_is_typed_after_the_end_is_saved_after_signing_in_again(
    open_tab: OpenTab, application: tuple[Application, Any]
) -> None:
    made, owner = application
    browser = at_section(open_tab, application)
    tab = browser.tab
    Session.objects.all().delete()
    name = tab.get_by_label("First choice of name")
    name.fill("Kite LLC")
    name.blur()
    expect(tab.locator("#banner")).to_contain_text("Not saved, because you were signed out.")
    second = tab.get_by_label("Second choice of name")
    second.fill("Kestrel LLC")
    tab.get_by_role("button", name="Sign in and save").click()

    tab.get_by_role("textbox", name="E-mail address").fill(owner.email)
    tab.get_by_role("textbox", name="Password").fill(PASSWORD)
    tab.locator("main").get_by_role("button", name="Sign in", exact=True).click()
    expect(tab.locator("main")).to_contain_text("Kite LLC")
    expect(tab.locator("main")).to_contain_text("Kestrel LLC")
    tab.get_by_role("button", name="Send again").click()

    expect(tab).to_have_url(re.compile("/sections/name-and-activities/"))
    expect(name).to_have_value("Kite LLC")
    raw = open_draft(made).entity_raw
    assert {"Kite LLC", "Kestrel LLC"} <= {value for value in raw.values() if isinstance(value, str)}
    browser.faults.clear()


def sign_in_by_hand(tab: Tab, base: str, email: str) -> None:
    """Sign in again, as somebody does in a second tab whose session has ended."""
    tab.context.clear_cookies(name="sessionid")
    tab.goto(f"{base}/applications/")
    tab.get_by_role("textbox", name="E-mail address").fill(email)
    tab.get_by_role("textbox", name="Password").fill(PASSWORD)
    with tab.expect_navigation():
        tab.locator("main").get_by_role("button", name="Sign in", exact=True).click()


def test_a_page_goes_on_saving_after_signing_in_again_in_another_tab(
    open_tab: OpenTab, application: tuple[Application, Any]
) -> None:
    made, owner = application
    browser = at_section(open_tab, application)
    tab = browser.tab
    sign_in_by_hand(tab.context.new_page(), browser.base, owner.email)
    name = tab.get_by_label("First choice of name")
    name.fill("Kite LLC")
    name.press("Enter")
    expect(tab.locator("#saving")).to_have_text("Saved.")
    expect(tab.locator("#banner")).to_be_empty()
    assert open_draft(made).entity_raw["entity.name"] == "Kite LLC"

    with tab.expect_navigation():
        tab.get_by_role("button", name="Save and continue").click()
    expect(tab.locator("h1")).not_to_contain_text("Not saved yet")


def test_nothing_is_saved_under_another_account(open_tab: OpenTab, application: tuple[Application, Any]) -> None:
    made, owner = application
    other = new_user()
    other.set_password(PASSWORD)
    other.save()
    # Even one that may write there.
    Collaborator.objects.create(
        application=made,
        email=other.email,
        user=other,
        right="edit",
        asked_at=timezone.now(),
        expires_at=timezone.now(),
    )
    browser = at_section(open_tab, application)
    tab, second = browser.tab, browser.tab.context.new_page()
    sign_in_by_hand(second, browser.base, other.email)
    tab.get_by_label("First choice of name").fill("Kite LLC")
    tab.get_by_label("First choice of name").blur()
    expect(tab.locator("#banner")).to_contain_text("Not saved, because you signed in with another account.")
    assert "entity.name" not in open_draft(made).entity_raw

    sign_in_by_hand(second, browser.base, owner.email)
    tab.get_by_role("button", name="Try again").click()
    expect(tab.locator("#banner")).to_be_empty()
    assert open_draft(made).entity_raw["entity.name"] == "Kite LLC"
    assert made.changes.latest("pk").who == owner
