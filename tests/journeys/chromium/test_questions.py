"""Pages that bring themselves up to date: what depends on an answer comes and goes, and nothing typed is disturbed."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import Route, expect

from formation_portal.applications import services
from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from tests.journeys.browser import TabBrowser
from tests.journeys.conftest import OpenTab
from tests.journeys.drafts import started
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

TYPED = "Lärkfield Holdings, with a long name that takes a while to type"

_MARK_CONTROLS = """() => document.querySelectorAll("main input, main select, main textarea").forEach(
  (control) => { control.isOld = true; })"""
_NEW_CONTROLS = """() => [...document.querySelectorAll("main input:not([type=hidden]), main select, main textarea")]
  .filter((control) => !control.isOld).map((control) => control.name)"""
_CARET = "() => document.activeElement.selectionStart"


@pytest.fixture
def application(site: str) -> tuple[Application, Any]:
    return started("delaware-llc")


def at_section(open_tab: OpenTab, application: tuple[Application, Any], *, has_script: bool = True) -> TabBrowser:
    """A tab at the first section, which asks whether an activity is regulated and, if so, about the licence."""
    made, owner = application
    tab = open_tab(owner, has_script=has_script)
    tab.get(f"/applications/{made.reference}/sections/name-and-activities/")
    return tab


def answer_regulated(tab: Tab, answer: str) -> Any:
    return tab.get_by_role("radiogroup", name=re.compile("licence or registration")).get_by_label(answer, exact=True)


@contextmanager
def change_under_way(tab: Tab) -> Iterator[list[Route]]:
    """While it lasts, what the page posts has not reached the server."""
    held: list[Route] = []
    is_over = False

    def hold(route: Route) -> None:
        if route.request.method == "POST" and not is_over:
            held.append(route)
        else:
            route.continue_()

    tab.route("**/applications/**", hold)
    yield held
    is_over = True
    for route in held:
        route.continue_()


def test_a_choice_shows_its_question_before_the_server_has_heard_of_it(
    open_tab: OpenTab, application: tuple[Application, Any]
) -> None:
    tab = at_section(open_tab, application).tab
    licence = tab.get_by_label("Licence or registration", exact=True)
    with change_under_way(tab) as held:
        answer_regulated(tab, "Yes").check()
        expect(licence).to_be_visible()
        expect(tab.locator("#announcer")).to_have_text("1 question added below.")
        asked = licence.locator("xpath=ancestor::div[contains(@class, 'region')]")
        asked.get_by_text("Why are you asking this?").click()
        expect(asked.get_by_text("Asked because you answered Yes to “Will any activity")).to_be_visible()
        answer_regulated(tab, "No").check()
        expect(licence).to_be_hidden()
        expect(tab.locator("#announcer")).to_have_text(re.compile("^1 question removed. We keep your answer"))
        assert len(held) <= 1


def test_an_answer_that_comes_late_does_not_undo_a_newer_choice(
    open_tab: OpenTab, application: tuple[Application, Any]
) -> None:
    browser = at_section(open_tab, application)
    licence = browser.tab.get_by_label("Licence or registration", exact=True)
    licence_text = "Held in Delaware"
    with change_under_way(browser.tab):
        answer_regulated(browser.tab, "Yes").check()
        licence.fill(licence_text)
        answer_regulated(browser.tab, "No").check()
        answer_regulated(browser.tab, "Yes").check()
        expect(answer_regulated(browser.tab, "Yes")).to_be_focused()
    browser.settle()
    expect(licence).to_be_visible()
    browser.tab.reload()
    expect(licence).to_have_value(licence_text)


def test_no_letter_is_lost_and_the_caret_stays_while_a_change_is_under_way(
    open_tab: OpenTab, application: tuple[Application, Any]
) -> None:
    browser = at_section(open_tab, application)
    tab = browser.tab
    describe = tab.get_by_label("Describe the business", exact=True)
    tab.evaluate(_MARK_CONTROLS)

    with change_under_way(tab) as held:
        answer_regulated(tab, "Yes").check()
        describe.focus()
        tab.keyboard.type(TYPED)
        for _ in range(10):
            tab.keyboard.press("ArrowLeft")
        assert len(held) == 1
    expect(tab.get_by_label("Licence or registration", exact=True)).to_be_visible()

    tab.keyboard.type("X")
    assert tab.evaluate(_CARET) == len(TYPED) - 9
    expect(describe).to_be_focused()
    expect(describe).to_have_value(f"{TYPED[:-10]}X{TYPED[-10:]}")
    assert tab.evaluate(_NEW_CONTROLS) == []


def test_a_new_role_opens_its_questions_and_keeps_what_is_being_typed(open_tab: OpenTab, site: str) -> None:
    made, owner = started("bvi-limited-company")
    draft = open_draft(made)
    party = services.add_party(draft, "person", ["director"], {}, by=owner)
    browser = open_tab(owner)
    browser.get(f"/applications/{made.reference}/people/{party.token}/")
    tab = browser.tab
    first_name = tab.get_by_label("First name")
    before = tab.locator("main .field:visible").count()

    with change_under_way(tab):
        tab.get_by_role("checkbox", name=re.compile("^Beneficial owner")).check()
        first_name.focus()
        tab.keyboard.type(TYPED)
        tab.keyboard.press("ArrowLeft")
    expect(tab.locator("#announcer")).to_have_text(re.compile(r"^\d+ questions? added below\.$"))
    tab.keyboard.type("X")

    expect(first_name).to_be_focused()
    expect(first_name).to_have_value(f"{TYPED[:-1]}X{TYPED[-1:]}")
    assert tab.locator("main .field:visible").count() > before


def test_what_is_read_back_opens_at_its_first_control(open_tab: OpenTab, application: tuple[Application, Any]) -> None:
    made, owner = application
    known = {"person.first_name": "Ada", "person.last_name": "Lovelace"}
    ada = services.add_party(open_draft(made), "person", ["member"], known, by=owner)
    browser = open_tab(owner)
    browser.get(f"/applications/{made.reference}/people/{ada.token}/")
    tab = browser.tab
    first_name = tab.get_by_label("First name")
    expect(first_name).not_to_be_visible()
    tab.locator("summary", has_text="Change Name").press("Enter")
    expect(first_name).to_be_focused()
    first_name.fill("Augusta")
    with tab.expect_response(lambda response: response.request.method == "POST"):
        first_name.press("Tab")
    [row] = open_draft(Application.objects.get(pk=made.pk)).parties
    assert row.label == "Augusta Lovelace"
    expect(tab.locator("dl.summary")).not_to_be_visible()
    # A link to a control within opens it.
    address = f"{tab.url}#{first_name.get_attribute('id')}"
    tab.goto("about:blank")
    tab.goto(address)
    expect(first_name).to_be_visible()


def test_an_address_takes_the_form_of_its_country_and_keeps_the_focus(
    open_tab: OpenTab, application: tuple[Application, Any]
) -> None:
    made, owner = application
    ada = services.add_party(open_draft(made), "person", ["member"], {}, by=owner)
    browser = open_tab(owner)
    browser.get(f"/applications/{made.reference}/people/{ada.token}/")
    tab = browser.tab
    address = tab.get_by_role("group", name="Home address")
    country = address.get_by_label("Country")
    expect(address.get_by_label("Postcode (optional)")).to_be_visible()
    address.get_by_label("Street and number").fill("1 Main Street")
    country.focus()
    country.select_option("US")
    expect(address.get_by_label("ZIP code", exact=True)).to_be_visible()
    expect(address.get_by_label("State", exact=True)).to_be_visible()
    expect(country).to_be_focused()
    expect(address.get_by_label("Street and number")).to_have_value("1 Main Street")
    country.select_option("AE")
    expect(address.get_by_label("Emirate", exact=True)).to_be_visible()
    expect(address.get_by_label("ZIP code")).to_have_count(0)
