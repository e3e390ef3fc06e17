"""Pages that bring themselves up to date: what depends on an answer comes and goes, and nothing typed is disturbed."""

import re
from contextlib import nullcontext
from typing import Any

import pytest
from playwright.sync_api import Locator, expect
from playwright.sync_api import Page as Tab

from formation_portal.applications import services
from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from tests.journeys.accessibility.page_behaviour import shifted
from tests.journeys.browser import TabBrowser
from tests.journeys.chromium.conftest import change_under_way, expect_post, name_field, saved_name
from tests.journeys.conftest import OpenTab
from tests.journeys.drafts import started

TYPED = "Lärkfield Holdings, with a long name that takes a while to type"
ADA = {"person.first_name": "Ada", "person.last_name": "Lovelace"}

_MARK_CONTROLS = """() => document.querySelectorAll("main input, main select, main textarea").forEach(
  (control) => { control.isOld = true; })"""
_NEW_CONTROLS = """() => [...document.querySelectorAll("main input:not([type=hidden]), main select, main textarea")]
  .filter((control) => !control.isOld).map((control) => control.name)"""
_CARET = "() => document.activeElement.selectionStart"
_TOP = "(id) => document.getElementById(id).getBoundingClientRect().top"
_SCRIPTS = "**/static/js/*"
_PASTE = """(box, text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text", text);
  box.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}"""


def answer_regulated(tab: Tab, answer: str) -> Locator:
    return tab.get_by_role("radiogroup", name=re.compile("licence or registration")).get_by_label(answer, exact=True)


def licence(tab: Tab) -> Locator:
    return tab.get_by_label("Licence or registration", exact=True)


def open_party(open_tab: OpenTab, application: Application, role: str, answers: dict[str, Any]) -> Tab:
    party = services.add_party(open_draft(application), "person", [role], answers, by=application.owner)
    browser = open_tab(application.owner)
    browser.get(f"/applications/{application.reference}/people/{party.token}/")
    return browser.tab


def test_a_choice_shows_its_question_before_the_server_has_heard_of_it(tab: Tab) -> None:
    with change_under_way(tab) as held:
        answer_regulated(tab, "Yes").check()
        expect(licence(tab)).to_be_visible()
        expect(tab.locator("#announcer")).to_have_text("1 question added below.")
        region = licence(tab).locator("xpath=ancestor::div[contains(@class, 'region')]")
        region.get_by_text("Why are you asking this?").click()
        expect(region.get_by_text("Asked because you answered Yes to “Will any activity")).to_be_visible()
        answer_regulated(tab, "No").check()
        expect(licence(tab)).to_be_hidden()
        expect(tab.locator("#announcer")).to_have_text(re.compile("^1 question removed. We keep your answer"))
        assert len(held) <= 1


def test_an_answer_that_comes_late_does_not_undo_a_newer_choice(section: TabBrowser) -> None:
    tab = section.tab
    with change_under_way(tab):
        answer_regulated(tab, "Yes").check()
        licence(tab).fill("Held in Delaware")
        answer_regulated(tab, "No").check()
        answer_regulated(tab, "Yes").check()
        expect(answer_regulated(tab, "Yes")).to_be_focused()
    section.settle()
    expect(licence(tab)).to_be_visible()
    tab.reload()
    expect(licence(tab)).to_have_value("Held in Delaware")


def test_an_answer_that_comes_late_moves_nothing(section: TabBrowser) -> None:
    """Later than the half second for which a browser takes every movement for an answer to the press."""
    tab = section.tab
    yes = answer_regulated(tab, "Yes")
    name = yes.get_attribute("id")
    yes.focus()
    before = shifted(tab)
    top = tab.evaluate(_TOP, name)
    with change_under_way(tab):
        tab.keyboard.press("Space")
        assert tab.evaluate(_TOP, name) == top
        tab.wait_for_function("(pressed) => performance.now() > pressed + 500", arg=tab.evaluate("performance.now()"))
    section.settle()
    assert tab.evaluate(_TOP, name) == top
    # Fractions of a pixel are rounded differently as text is laid out again.
    assert round(shifted(tab) - before, 4) == 0


def test_no_letter_is_lost_and_the_caret_stays_while_a_change_is_under_way(tab: Tab) -> None:
    describe = tab.get_by_label("Describe the business", exact=True)
    tab.evaluate(_MARK_CONTROLS)
    with change_under_way(tab) as held:
        answer_regulated(tab, "Yes").check()
        describe.focus()
        tab.keyboard.type(TYPED)
        for _ in range(10):
            tab.keyboard.press("ArrowLeft")
        assert len(held) == 1
    expect(licence(tab)).to_be_visible()
    tab.keyboard.type("X")
    assert tab.evaluate(_CARET) == len(TYPED) - 9
    expect(describe).to_be_focused()
    expect(describe).to_have_value(f"{TYPED[:-10]}X{TYPED[-10:]}")
    assert tab.evaluate(_NEW_CONTROLS) == []


def test_a_new_role_opens_its_questions_and_keeps_what_is_being_typed(open_tab: OpenTab, site: str) -> None:
    tab = open_party(open_tab, started("bvi-limited-company")[0], "director", {})
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


def test_what_is_read_back_opens_at_its_first_control(open_tab: OpenTab, application: Application) -> None:
    tab = open_party(open_tab, application, "member", ADA)
    first_name = tab.get_by_label("First name")
    expect(first_name).not_to_be_visible()
    tab.locator("summary", has_text="Change Name").press("Enter")
    expect(first_name).to_be_focused()
    first_name.fill("Augusta")
    with expect_post(tab):
        first_name.press("Tab")
    [row] = open_draft(Application.objects.get(pk=application.pk)).parties
    assert row.label == "Augusta Lovelace"
    expect(tab.locator("dl.summary")).not_to_be_visible()
    # A link to a control within opens it.
    address = f"{tab.url}#{first_name.get_attribute('id')}"
    tab.goto("about:blank")
    tab.goto(address)
    expect(first_name).to_be_visible()


def test_an_address_takes_the_form_of_its_country_and_keeps_the_focus(
    open_tab: OpenTab, application: Application
) -> None:
    address = open_party(open_tab, application, "member", {}).get_by_role("group", name="Home address")
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


def test_the_next_page_asks_for_no_style_sheet_and_no_script_again(open_tab: OpenTab, site: str) -> None:
    tab = open_tab(None).tab
    files: list[str] = []
    tab.on("requestfinished", lambda request: files.append(request.url) if "/static/" in request.url else None)
    tab.goto(f"{site}/")
    assert len(files) == len(set(files)) == 2
    tab.get_by_role("link", name="Privacy").click()
    tab.wait_for_url("**/privacy/")
    from_network = tab.evaluate(
        "() => performance.getEntriesByType('resource').filter((file) => file.transferSize).map(({ name }) => name)"
    )
    assert [name for name in from_network if "/static/" in name] == []


@pytest.mark.parametrize("has_choice", [True, False], ids=["chosen and typed", "typed"])
def test_what_is_entered_before_the_scripts_come_shows_and_is_saved(
    open_tab: OpenTab, site: str, application: Application, has_choice: bool
) -> None:
    tab = open_tab(application.owner).tab
    tab.route(_SCRIPTS, lambda route: None)
    tab.goto(f"{site}/applications/{application.reference}/sections/name-and-activities/", wait_until="commit")
    name_field(tab).fill("Kestrel LLC")
    if has_choice:
        answer_regulated(tab, "Yes").check()
    expect(licence(tab)).not_to_be_visible()
    with expect_post(tab):
        # What was held goes on.
        tab.unroute(_SCRIPTS)
    expect(licence(tab)).to_be_visible(visible=has_choice)
    assert saved_name(application) == "Kestrel LLC"
    assert ("true" in open_draft(application).entity_raw.values()) == has_choice


def test_a_date_that_is_pasted_into_the_day_fills_its_boxes(open_tab: OpenTab, application: Application) -> None:
    tab = open_party(open_tab, application, "member", {})
    birth = tab.get_by_role("group", name="Date of birth")
    dates = {"3/4/1985": "//", "27/3/1985": "27/3/1985", "28.3.1985": "28/3/1985", " 1985-03-29\n": "29/03/1985"}
    for pasted, parts in dates.items():
        with nullcontext() if parts == "//" else expect_post(tab):
            birth.get_by_label("Day").evaluate(_PASTE, pasted)
        assert "/".join(birth.get_by_label(label).input_value() for label in ("Day", "Month", "Year")) == parts
    [row] = open_draft(Application.objects.get(pk=application.pk)).parties
    assert row.raw["person.date_of_birth"] == {"day": "29", "month": "03", "year": "1985"}
