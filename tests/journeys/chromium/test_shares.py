"""Shares in Chromium: splitting a class, impossible numbers, and typing at the pace of people on a slow network."""

import re

import pytest
from playwright.sync_api import APIResponse, Locator, Route, expect
from playwright.sync_api import Page as Tab

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.contract import canonical
from tests import factories
from tests.journeys.accessibility.barriers import barriers
from tests.journeys.browser import TabBrowser, press
from tests.journeys.chromium.conftest import expect_post
from tests.journeys.conftest import OpenTab
from tests.journeys.drafts import address_of, started
from tests.waiting import wait_until

with_and_without_script = pytest.mark.parametrize("has_script", [True, False], ids=["with-script", "without-script"])

KEY_MS = 100
SLOW_4G = {"offline": False, "latency": 400, "downloadThroughput": 50_000, "uploadThroughput": 50_000}


@pytest.fixture
def draft(site: str) -> Draft:
    """Ada, Ben and Kestrel hold shares of a company with 10,000 ordinary shares, and preferred ones."""
    application, owner = started("bvi-limited-company")
    draft = open_draft(application)
    for first, last in (("Ada", "Lovelace"), ("Ben", "Okri")):
        name = {"person.first_name": first, "person.last_name": last}
        services.add_party(draft, "person", [canonical.SHAREHOLDER], name, by=owner)
    services.add_party(draft, "corporate", [canonical.SHAREHOLDER], {"corporate.name": "Kestrel B.V."}, by=owner)
    services.add_share_class(draft, factories.ORDINARY | {canonical.CLASS_SHARES: "10,000"}, by=owner)
    services.add_share_class(draft, factories.ORDINARY | {"share_class.name": "Preferred"}, by=owner)
    return draft


def at_shares(open_tab: OpenTab, draft: Draft, *, has_script: bool = True, width: int = 1280) -> TabBrowser:
    browser = open_tab(draft.application.owner, has_script=has_script, width=width)
    browser.get(f"{address_of(draft)}shares/")
    return browser


def cell(tab: Tab, words: str) -> Locator:
    return tab.get_by_label(words, exact=True)


def typed_holdings(draft: Draft) -> list[str]:
    return sorted(open_draft(draft.application).typed_holdings().values())


def type_in(browser: TabBrowser, words: str, number: str) -> None:
    """Type a number and leave the cell; with script the totals have followed then."""
    control = cell(browser.tab, words)
    control.fill(number)
    if not browser.has_script:
        control.blur()
        return
    with expect_post(browser.tab):
        control.blur()
    browser.tab.wait_for_load_state("networkidle")


@pytest.mark.long
@with_and_without_script
def test_a_class_is_split_in_one_press_and_nothing_typed_is_lost(
    has_script: bool, open_tab: OpenTab, draft: Draft
) -> None:
    browser = at_shares(open_tab, draft, has_script=has_script)
    tab = browser.tab
    type_in(browser, "Preferred, Ben Okri", "lots")
    press(tab, "Split Ordinary equally")

    expect(tab.locator("#messages")).to_contain_text("3,333 each, and 1 more for Ada Lovelace.")
    numbers = [cell(tab, f"Ordinary, {name}").input_value() for name in ("Ada Lovelace", "Ben Okri", "Kestrel B.V.")]
    assert numbers == ["3,334", "3,333", "3,333"]
    expect(cell(tab, "Preferred, Ben Okri")).to_have_value("lots")
    expect(cell(tab, "Preferred, Ben Okri")).to_have_attribute("aria-invalid", "true")
    expect(tab.locator("tfoot")).to_contain_text("All 10,000 allocated")
    assert browser.faults == []


_SCROLLS = """() => [document.documentElement, ...document.querySelectorAll(".scroll")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.ariaLabel ?? "the page")"""


@pytest.mark.long
def test_twelve_classes_are_read_without_scrolling_sideways(open_tab: OpenTab, draft: Draft) -> None:
    owner = draft.application.owner
    for letter in "ABCDEFGHIJ":
        answers = factories.ORDINARY | {"share_class.name": f"{letter} redeemable", canonical.CLASS_SHARES: "1,000,000"}
        services.add_share_class(draft, answers, by=owner)
    first = draft.parties[0].token
    services.save_holdings(draft, {(first, row.token): "1,000,000" for row in draft.share_classes[2:]}, by=owner)
    tab = at_shares(open_tab, draft, width=320).tab
    expect(cell(tab, "J redeemable, Ada Lovelace")).to_be_visible()
    assert tab.evaluate(_SCROLLS) == []
    assert list(barriers(tab)) == []
    tab.goto(tab.url.replace("/shares/", "/check/"))
    expect(tab.get_by_role("cell", name="1,000,000").first).to_be_visible()
    assert tab.evaluate(_SCROLLS) == []


# Typed in a class of 10,000 shares, and the words at the cell.
_NOT_POSSIBLE = (
    ("Ordinary, Ada Lovelace", "1.5", "Enter a whole number of “Ordinary” shares of Ada Lovelace"),
    ("Ordinary, Ben Okri", "-5", "Enter the number of “Ordinary” shares of Ben Okri as zero or more"),
    ("Ordinary, Kestrel B.V.", "10001", "“Ordinary” shares of Kestrel B.V.: enter 10,000 or fewer"),
    ("Preferred, Ada Lovelace", "1" + "0" * 30, "Enter the number of “Preferred” shares of Ada Lovelace with at most"),
)


@pytest.mark.long
@with_and_without_script
def test_an_impossible_number_is_reported_at_its_cell_on_a_telephone_and_stays_as_typed(
    has_script: bool, open_tab: OpenTab, draft: Draft
) -> None:
    browser = at_shares(open_tab, draft, has_script=has_script, width=320)
    tab = browser.tab
    for words, number, _ in _NOT_POSSIBLE:
        type_in(browser, words, number)
    press(tab, "Save and continue")
    expect(tab.locator(".error-summary")).to_contain_text("There is a problem")
    for words, number, message in _NOT_POSSIBLE:
        control = cell(tab, words)
        expect(control).to_have_value(number)
        expect(control).to_have_attribute("aria-invalid", "true")
        error = tab.locator(f'[id="{control.get_attribute("aria-describedby")}"]')
        expect(error).to_contain_text(message)
        tab.locator(".error-summary a", has_text=message).click()
        expect(control).to_be_focused()
        expect(control).to_be_in_viewport()
        expect(error).to_be_in_viewport()
    assert tab.evaluate("document.documentElement.scrollWidth") == 320
    assert browser.faults == []


def test_shares_stay_as_they_were_typed_where_a_button_has_the_focus_by_then(open_tab: OpenTab, draft: Draft) -> None:
    browser = at_shares(open_tab, draft)
    tab = browser.tab
    tab.context.new_cdp_session(tab).send("Network.emulateNetworkConditions", SLOW_4G)
    cells, numbers = tab.locator(".allocation input"), ["60", "6", "30", "3", "10", "1"]
    cells.first.focus()
    for number in numbers:
        tab.keyboard.type(number, delay=KEY_MS)
        tab.keyboard.press("Tab")
    expect(tab.get_by_role("button", name="Split Ordinary equally")).to_be_focused()
    expect(tab.get_by_role("row", name=re.compile("^Allocated"))).to_contain_text("100")
    expect(tab.get_by_role("row", name=re.compile("^Ada"))).to_contain_text("60%")
    assert [control.input_value() for control in cells.all()] == numbers
    assert typed_holdings(draft) == ["1", "10", "3", "30", "6", "60"]
    assert browser.faults == []


@pytest.mark.long
@pytest.mark.parametrize("is_lost", [False, True], ids=["late", "lost"])
def test_several_cells_and_save_before_any_answer_has_come(is_lost: bool, open_tab: OpenTab, draft: Draft) -> None:
    """The server has done what the first change asks; its answer waits until the button is pressed, or is lost."""
    tab = at_shares(open_tab, draft).tab
    held: list[tuple[Route, APIResponse]] = []

    def hold_first(route: Route) -> None:
        if held or "hx-request" not in route.request.headers:
            route.continue_()
        else:
            held.append((route, route.fetch()))

    tab.route("**/applications/**", hold_first)
    cell(tab, "Ordinary, Ada Lovelace").fill("1,000")
    cell(tab, "Ordinary, Ada Lovelace").blur()
    wait_until(lambda: tab.wait_for_timeout(10) or held)
    cell(tab, "Ordinary, Ada Lovelace").fill("2,000")
    cell(tab, "Ordinary, Ben Okri").fill("3,000")
    cell(tab, "Preferred, Kestrel B.V.").fill("500")
    [(route, answer)] = held
    with tab.expect_navigation():
        tab.get_by_role("button", name="Save and continue").click()
        if is_lost:
            route.abort()
        else:
            route.fulfill(response=answer)
    expect(tab.locator("h1")).not_to_contain_text("was changed while you were editing")
    assert typed_holdings(draft) == ["2,000", "3,000", "500"]
