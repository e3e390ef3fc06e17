"""People once, in Chromium: known ones take a role, removed ones come back, and whoever is here already is noticed."""

from typing import Any

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from formation_portal.applications import saving
from formation_portal.applications.drafts import Draft, open_draft
from formation_portal.applications.models import Application
from tests.applications import made
from tests.journeys.conftest import OpenTab, chromium, new_user, open_tab, site
from tests.needed import has_chromium, needed

__all__ = ["chromium", "open_tab", "site"]

pytestmark = [pytest.mark.long, pytest.mark.browser, needed("Chromium", has_chromium())]

with_and_without_script = pytest.mark.parametrize("has_script", [True, False], ids=["with-script", "without-script"])
at_both_widths = pytest.mark.parametrize("width", [1280, 320])


@pytest.fixture
def owner(site: str) -> Any:
    """Ida Lund, who has formed a company with Ada."""
    user = new_user()
    elsewhere = open_draft(saving.start(owner=user, product=made.product()))
    saving.add_party(elsewhere, "person", ["director"], made.ADA, by=user)
    return user


@pytest.fixture
def application(owner: Any) -> Application:
    return saving.start(owner=owner, product=made.product())


def at_people(open_tab: OpenTab, application: Application, **how: Any) -> Tab:
    browser = open_tab(application.owner, **how)
    browser.get(f"/applications/{application.reference}/people/")
    return browser.tab


def press(tab: Tab, name: str) -> None:
    with tab.expect_navigation():
        tab.get_by_role("button", name=name).click()


def now(application: Application) -> Draft:
    return open_draft(Application.objects.get(pk=application.pk))


@at_both_widths
@with_and_without_script
def test_a_known_person_takes_a_role_goes_and_comes_back(
    open_tab: OpenTab, application: Application, has_script: bool, width: int
) -> None:
    tab = at_people(open_tab, application, has_script=has_script, width=width)
    press(tab, "Use Ada Lovelace as Directors")
    said = tab.get_by_text("Ada Lovelace is now a director, with 4 answers")
    expect(said).to_be_visible()
    if has_script:
        expect(tab.locator("#messages > :first-child")).to_be_focused()
    with tab.expect_navigation():
        tab.get_by_role("link", name="Remove Ada Lovelace").click()
    press(tab, "Remove")
    assert now(application).parties == ()
    press(tab, "Restore Ada Lovelace")
    expect(tab.get_by_text("Ada Lovelace is restored")).to_be_visible()
    assert now(application).parties[0].raw["person.email"] == "ada@example.com"


@with_and_without_script
def test_starting_with_oneself_fills_in_the_name(open_tab: OpenTab, application: Application, has_script: bool) -> None:
    tab = at_people(open_tab, application, has_script=has_script)
    press(tab, "Start with yourself (Ida Lund) as Directors")
    with tab.expect_navigation():
        tab.get_by_role("link", name="Edit Ida Lund").click()
    expect(tab.get_by_label("First name")).to_have_value("Ida")


@with_and_without_script
def test_whoever_is_here_already_is_offered_after_saving(
    open_tab: OpenTab, application: Application, has_script: bool
) -> None:
    owner = application.owner
    saving.add_party(now(application), "person", ["director"], made.ADA, by=owner)
    again = saving.add_party(now(application), "person", ["shareholder"], {}, by=owner)
    browser = open_tab(owner, has_script=has_script)
    browser.get(f"/applications/{application.reference}/people/{again.token}/")
    tab = browser.tab
    for label, text in (("First name", "Ada"), ("Last name", "Lovelace"), ("E-mail", "second@example.com")):
        tab.get_by_label(label).fill(text)
    birth = tab.get_by_role("group", name="Date of birth")
    for part, text in (("Day", "10"), ("Month", "12"), ("Year", "1985")):
        birth.get_by_label(part).fill(text)
    press(tab, "Save and continue")
    expect(tab.get_by_text("is already a director here.")).to_be_visible()
    assert len(now(application).parties) == 2
    press(tab, "Give Ada Lovelace this role too")
    [ada] = now(application).parties
    assert ada.roles == ("director", "shareholder")
    expect(tab.get_by_role("heading", name="Removed")).to_be_visible()


def test_all_of_it_works_by_keyboard_alone(open_tab: OpenTab, application: Application) -> None:
    tab = at_people(open_tab, application, width=320)
    tab.get_by_role("button", name="Use Ada Lovelace as Directors").focus()
    with tab.expect_navigation():
        tab.keyboard.press("Enter")
    tab.get_by_role("link", name="Remove Ada Lovelace").focus()
    with tab.expect_navigation():
        tab.keyboard.press("Enter")
    tab.get_by_role("button", name="Remove").focus()
    with tab.expect_navigation():
        tab.keyboard.press("Space")
    tab.get_by_role("button", name="Restore Ada Lovelace").focus()
    with tab.expect_navigation():
        tab.keyboard.press("Enter")
    assert now(application).parties[0].label == "Ada Lovelace"
