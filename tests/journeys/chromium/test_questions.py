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
from formation_portal.gateway.catalog import catalog
from tests.journeys.browser import TabBrowser
from tests.journeys.conftest import OpenTab, new_user
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

TYPED = "Lärkfield Holdings, with a long name that takes a while to type"

_MARK_CONTROLS = """() => document.querySelectorAll("main input, main select, main textarea").forEach(
  (control) => { control.isOld = true; })"""
_NEW_CONTROLS = """() => [...document.querySelectorAll("main input:not([type=hidden]), main select, main textarea")]
  .filter((control) => !control.isOld).map((control) => control.name)"""
_TOP_OF_WORDS = "(at) => document.getElementById(at.slice(1)).closest('.field').getBoundingClientRect().top"
_CARET = "() => document.activeElement.selectionStart"


def started(slug: str) -> tuple[Application, Any]:
    """A new application with its owner."""
    owner, product = new_user(), catalog().find(slug)
    assert product is not None
    assert product.item is not None
    return services.start(owner=owner, product=product.item), owner


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


def test_a_choice_opens_its_question_and_says_so_and_focus_stays(
    open_tab: OpenTab, application: tuple[Application, Any]
) -> None:
    tab = at_section(open_tab, application).tab
    licence = tab.get_by_label("Licence or registration", exact=True)
    announcer = tab.locator("#announcer")
    expect(licence).to_be_hidden()
    expect(tab.get_by_role("button", name="Update questions")).to_be_hidden()

    yes = answer_regulated(tab, "Yes")
    yes.check()
    expect(licence).to_be_visible()
    expect(announcer).to_have_text("1 question added below.")
    expect(yes).to_be_focused()

    licence.fill("Held in Delaware")
    answer_regulated(tab, "No").check()
    expect(licence).to_be_hidden()
    expect(announcer).to_have_text("1 question removed. We keep your answer until you submit.")

    yes.check()
    expect(licence).to_have_value("Held in Delaware")
    expect(licence).to_be_visible()


def test_what_closed_again_comes_back_in_another_visit(open_tab: OpenTab, application: tuple[Application, Any]) -> None:
    browser = at_section(open_tab, application)
    tab = browser.tab
    answer_regulated(tab, "Yes").check()
    tab.get_by_label("Licence or registration", exact=True).fill("Held in Delaware")
    answer_regulated(tab, "No").check()
    browser.settle()
    tab.reload()
    expect(tab.get_by_label("Licence or registration", exact=True)).to_be_hidden()
    answer_regulated(tab, "Yes").check()
    expect(tab.get_by_label("Licence or registration", exact=True)).to_have_value("Held in Delaware")


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


def test_what_was_typed_meanwhile_is_saved_by_the_next_change(
    open_tab: OpenTab, application: tuple[Application, Any]
) -> None:
    browser = at_section(open_tab, application)
    tab = browser.tab
    with change_under_way(tab):
        answer_regulated(tab, "Yes").check()
        tab.get_by_label("Describe the business", exact=True).fill(TYPED)
        tab.get_by_label("First choice of name").fill("Kite LLC")
        tab.keyboard.press("Tab")
    expect(tab.get_by_label("Licence or registration", exact=True)).to_be_visible()
    browser.settle()
    tab.reload()
    expect(tab.get_by_label("Describe the business", exact=True)).to_have_value(TYPED)
    expect(tab.get_by_label("First choice of name")).to_have_value("Kite LLC")


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


def test_a_change_that_reaches_nobody_is_said_and_can_be_tried_again(
    open_tab: OpenTab, application: tuple[Application, Any]
) -> None:
    browser = at_section(open_tab, application)
    tab = browser.tab
    name = tab.get_by_label("First choice of name")
    tab.route("**/sections/**", lambda route: route.abort())
    name.fill("Kite LLC")
    name.blur()
    banner = tab.locator("#banner")
    expect(banner).to_contain_text("Not saved. Your answers are still on this page.")
    expect(name).to_have_value("Kite LLC")

    tab.unroute_all()
    browser.faults.clear()
    banner.get_by_role("button").click()
    expect(banner).to_be_empty()
    tab.reload()
    expect(name).to_have_value("Kite LLC")


def test_without_script_a_button_opens_the_questions(open_tab: OpenTab, application: tuple[Application, Any]) -> None:
    tab = at_section(open_tab, application, has_script=False).tab
    licence = tab.get_by_label("Licence or registration", exact=True)
    expect(licence).to_be_hidden()
    tab.get_by_label("First choice of name").fill("Kite LLC")
    answer_regulated(tab, "Yes").check()
    expect(licence).to_be_hidden()

    tab.get_by_role("button", name="Update questions").first.click()
    expect(licence).to_be_visible()
    expect(tab.get_by_label("First choice of name")).to_have_value("Kite LLC")


@pytest.mark.parametrize("has_script", [True, False], ids=["with-script", "without-script"])
def test_a_link_to_a_question_shows_its_words_too(
    open_tab: OpenTab, application: tuple[Application, Any], has_script: bool
) -> None:
    tab = at_section(open_tab, application, has_script=has_script).tab
    hidden, links = [], tab.locator(".needs a[href^='#q:']").all()
    assert links
    for link in links:
        tab.evaluate("() => scrollTo(0, 0)")
        link.press("Enter")
        if tab.evaluate(_TOP_OF_WORDS, link.get_attribute("href")) < 0:
            hidden.append(link.inner_text())
    assert hidden == []


def test_shares_are_added_up_as_they_are_given(open_tab: OpenTab, site: str) -> None:
    made, owner = started("bvi-limited-company")
    draft = open_draft(made)
    ada = {"person.first_name": "Ada", "person.last_name": "Byron"}
    services.add_party(draft, "person", ["shareholder"], ada, by=owner)
    rights = {"share_class.name": "Ordinary", "share_class.currency": "USD", "share_class.par_value": "1"}
    services.add_share_class(draft, rights, by=owner)
    browser = open_tab(owner)
    browser.get(f"/applications/{made.reference}/shares/")
    tab = browser.tab

    cell = tab.get_by_label("Ordinary, Ada Byron")
    cell.fill("5,000")
    cell.press("Tab")
    expect(tab.get_by_role("row", name=re.compile("^Allocated"))).to_contain_text("5,000")
    expect(tab.get_by_role("row", name=re.compile("^Ada Byron"))).to_contain_text("100%")
    cell.fill("many")
    cell.press("Tab")
    expect(cell).to_have_value("many")
    expect(tab.get_by_role("row", name=re.compile("^Allocated"))).not_to_contain_text("5,000")


def test_the_catalog_narrows_as_filters_are_chosen_and_says_how_many_are_left(open_tab: OpenTab) -> None:
    browser = open_tab(None)
    browser.get("/")
    tab = browser.tab
    tab.get_by_label("Type").focus()
    tab.get_by_label("Type").select_option("Foundation")
    expect(tab.locator("#announcer")).to_have_text(re.compile(r"^\d+ of 32 company types"))
    expect(tab).to_have_url(re.compile("type=Foundation"))
    expect(tab.get_by_label("Type")).to_be_focused()
    tab.go_back()
    expect(tab.get_by_label("Type")).to_have_value("")


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


def test_what_was_opened_stays_open_where_another_role_draws_the_questions_anew(
    open_tab: OpenTab, application: tuple[Application, Any]
) -> None:
    made, owner = application
    known = {"person.first_name": "Ada", "person.last_name": "Lovelace"}
    ada = services.add_party(open_draft(made), "person", ["member"], known, by=owner)
    browser = open_tab(owner)
    browser.get(f"/applications/{made.reference}/people/{ada.token}/")
    tab = browser.tab
    change = tab.locator("summary", has_text="Change Name")
    role = tab.get_by_role("checkbox", name="Beneficial owner")
    of_role = tab.get_by_role("heading", name="As beneficial owner")
    role.check()
    expect(of_role).to_be_visible()
    expect(change).to_be_visible()
    change.click()
    role.uncheck()
    expect(of_role).to_have_count(0)
    expect(tab.get_by_label("First name")).to_be_visible()


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
