"""Shares in Chromium, with and without script: what is left, splitting a class, and making somebody an owner."""

from typing import Any

import pytest
from playwright.sync_api import Locator, expect
from playwright.sync_api import Page as Tab

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.contract import canonical
from tests import factories
from tests.journeys.accessibility.barriers import barriers
from tests.journeys.browser import TabBrowser, press
from tests.journeys.conftest import OpenTab
from tests.journeys.drafts import started
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.long, pytest.mark.browser, needed("Chromium", has_chromium())]

with_and_without_script = pytest.mark.parametrize("has_script", [True, False], ids=["with-script", "without-script"])

Opened = tuple[Draft, Any]


@pytest.fixture
def opened(site: str) -> Opened:
    """Ada, Ben and Kestrel hold shares of a company with 10,000 ordinary shares; its owner."""
    application, owner = started("bvi-limited-company")
    draft = open_draft(application)
    for first, last in (("Ada", "Lovelace"), ("Ben", "Okri")):
        name = {"person.first_name": first, "person.last_name": last}
        services.add_party(draft, "person", [canonical.SHAREHOLDER], name, by=owner)
    services.add_party(draft, "corporate", [canonical.SHAREHOLDER], {"corporate.name": "Kestrel B.V."}, by=owner)
    services.add_share_class(draft, factories.ORDINARY | {canonical.CLASS_SHARES: "10,000"}, by=owner)
    services.add_share_class(draft, factories.ORDINARY | {"share_class.name": "Preferred"}, by=owner)
    return draft, owner


def at_shares(open_tab: OpenTab, opened: Opened, *, has_script: bool, width: int = 1280) -> TabBrowser:
    draft, owner = opened
    browser = open_tab(owner, has_script=has_script, width=width)
    browser.get(f"/applications/{draft.application.reference}/shares/")
    return browser


def cell(tab: Tab, words: str) -> Locator:
    return tab.get_by_label(words, exact=True)


def type_in(browser: TabBrowser, words: str, number: str) -> None:
    """Type a number and leave the cell; with script the totals have followed then."""
    control = cell(browser.tab, words)
    control.fill(number)
    if not browser.has_script:
        control.blur()
        return
    with browser.tab.expect_response(lambda answer: answer.request.method == "POST"):
        control.blur()
    browser.tab.wait_for_load_state("networkidle")


@with_and_without_script
def test_a_class_is_split_in_one_press_and_nothing_typed_is_lost(
    has_script: bool, open_tab: OpenTab, opened: Opened
) -> None:
    browser = at_shares(open_tab, opened, has_script=has_script)
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


def test_twelve_classes_are_read_without_scrolling_sideways(open_tab: OpenTab, opened: Opened) -> None:
    draft, owner = opened
    for letter in "ABCDEFGHIJ":
        answers = factories.ORDINARY | {"share_class.name": f"{letter} redeemable", canonical.CLASS_SHARES: "1,000,000"}
        services.add_share_class(draft, answers, by=owner)
    first = draft.parties[0].token
    services.save_holdings(draft, {(first, row.token): "1,000,000" for row in draft.share_classes[2:]}, by=owner)
    tab = at_shares(open_tab, opened, has_script=True, width=320).tab
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
    (
        "Preferred, Ada Lovelace",
        "1" + "0" * 30,
        "Enter the number of “Preferred” shares of Ada Lovelace with at most 15",
    ),
)


@with_and_without_script
def test_an_impossible_number_is_reported_at_its_cell_on_a_telephone_and_stays_as_typed(
    has_script: bool, open_tab: OpenTab, opened: Opened
) -> None:
    browser = at_shares(open_tab, opened, has_script=has_script, width=320)
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
