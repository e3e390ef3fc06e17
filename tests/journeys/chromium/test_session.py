"""A session that ends in the middle of a form: warned, extended with one press, and nothing typed is lost."""

import re
from typing import Any

from django.contrib.sessions.models import Session
from django.utils import timezone
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from formation_portal.applications.access import Collaborator
from formation_portal.applications.models import Application
from formation_portal.ui.sessions import WARN_SECONDS
from tests.journeys.browser import TabBrowser
from tests.journeys.chromium.conftest import (
    NAME,
    PASSWORD,
    answers,
    name_field,
    open_section,
    press,
    saved_name,
    type_name,
)
from tests.journeys.conftest import OpenTab, new_user


def sign_in_by_hand(tab: Tab, email: str) -> None:
    tab.get_by_role("textbox", name="E-mail address").fill(email)
    tab.get_by_role("textbox", name="Password").fill(PASSWORD)
    with tab.expect_navigation():
        tab.locator("main").get_by_role("button", name="Sign in", exact=True).click()


def sign_in_elsewhere(tab: Tab, base: str, email: str) -> None:
    """Sign in again in a second tab, whose session has ended."""
    tab.context.clear_cookies(name="sessionid")
    tab.goto(f"{base}/applications/")
    sign_in_by_hand(tab, email)


def test_the_warning_comes_in_time_and_one_press_of_a_key_puts_it_off(
    open_tab: OpenTab, application: Application, settings: Any
) -> None:
    settings.SESSION_COOKIE_AGE = WARN_SECONDS + 1
    tab = open_section(open_tab, application).tab
    notice = tab.locator("#session")
    expect(notice).to_contain_text("You will be signed out on")
    expect(tab.locator("#announcer")).to_contain_text("You will be signed out on")
    settings.SESSION_COOKIE_AGE = 3600
    notice.get_by_role("button", name="Stay signed in").focus()
    tab.keyboard.press("Enter")
    expect(notice).to_contain_text("You stay signed in until")
    expect(notice.locator("p")).to_be_focused()


def test_what_is_typed_after_the_end_is_saved_after_signing_in_again(
    section: TabBrowser, application: Application
) -> None:
    tab = section.tab
    Session.objects.all().delete()
    type_name(tab)
    expect(tab.locator("#banner")).to_contain_text("Not saved, because you were signed out.")
    tab.get_by_label("Second choice of name").fill("Kestrel LLC")
    tab.get_by_role("button", name="Sign in and save").click()
    sign_in_by_hand(tab, application.owner.email)
    expect(tab.locator("main")).to_contain_text(NAME)
    expect(tab.locator("main")).to_contain_text("Kestrel LLC")
    tab.get_by_role("button", name="Send again").click()
    expect(tab).to_have_url(re.compile("/sections/name-and-activities/"))
    expect(name_field(tab)).to_have_value(NAME)
    assert {NAME, "Kestrel LLC"} <= {value for value in answers(application).values() if isinstance(value, str)}
    section.faults.clear()


def test_a_page_goes_on_saving_after_signing_in_again_in_another_tab(
    section: TabBrowser, application: Application
) -> None:
    tab = section.tab
    sign_in_elsewhere(tab.context.new_page(), section.base, application.owner.email)
    name_field(tab).fill(NAME)
    name_field(tab).press("Enter")
    expect(tab.locator("#saving")).to_have_text("Saved.")
    expect(tab.locator("#banner")).to_be_empty()
    assert saved_name(application) == NAME
    press(tab, "Save and continue")
    expect(tab.locator("h1")).not_to_contain_text("Not saved yet")


def test_nothing_is_saved_under_another_account(section: TabBrowser, application: Application) -> None:
    other, now = new_user(password=PASSWORD), timezone.now()
    # Even one that may write there.
    Collaborator.objects.create(
        application=application, email=other.email, user=other, right="edit", asked_at=now, expires_at=now
    )
    tab, second = section.tab, section.tab.context.new_page()
    sign_in_elsewhere(second, section.base, other.email)
    type_name(tab)
    expect(tab.locator("#banner")).to_contain_text("Not saved, because you signed in with another account.")
    assert saved_name(application) is None

    sign_in_elsewhere(second, section.base, application.owner.email)
    tab.get_by_role("button", name="Try again").click()
    expect(tab.locator("#banner")).to_be_empty()
    assert saved_name(application) == NAME
    assert application.changes.latest("pk").who == application.owner
