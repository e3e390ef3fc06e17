"""Typing and tabbing at the pace of people while the network is slow: what is posted is what was typed, and no more."""

import re

import pytest
from playwright.sync_api import APIResponse, Route, expect
from playwright.sync_api import Page as Tab

from formation_portal.applications import services
from formation_portal.applications.draft import open_draft
from formation_portal.contract import canonical
from tests import factories
from tests.journeys.chromium.test_shares import Opened, at_shares, cell, opened
from tests.journeys.conftest import OpenTab
from tests.journeys.drafts import started
from tests.needed import has_chromium, needed

__all__ = ["opened"]

_CLASHED = re.compile("was changed while you were editing")
pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

KEY_MS = 100
SLOW_4G = {"offline": False, "latency": 400, "downloadThroughput": 50_000, "uploadThroughput": 50_000}


def test_shares_stay_as_they_were_typed_where_a_button_has_the_focus_by_then(open_tab: OpenTab, site: str) -> None:
    """Ada and Ben hold shares of a company that has one class."""
    application, owner = started("bvi-limited-company")
    draft = open_draft(application)
    for first in ("Ada", "Ben"):
        services.add_party(draft, "person", [canonical.SHAREHOLDER], {"person.first_name": first}, by=owner)
    services.add_share_class(draft, factories.ORDINARY, by=owner)
    browser = open_tab(owner)
    browser.get(f"/applications/{draft.application.reference}/shares/")
    tab = browser.tab
    tab.context.new_cdp_session(tab).send("Network.emulateNetworkConditions", SLOW_4G)
    cells = tab.locator(".allocation input")
    cells.first.focus()
    for number in ("60", "40"):
        tab.keyboard.type(number, delay=KEY_MS)
        tab.keyboard.press("Tab")
    expect(tab.get_by_role("button", name=re.compile("^Split"))).to_be_focused()
    expect(tab.get_by_role("row", name=re.compile("^Allocated"))).to_contain_text("100")
    expect(tab.get_by_role("row", name=re.compile("^Ada"))).to_contain_text("60%")
    assert [one.input_value() for one in cells.all()] == ["60", "40"]
    assert [one.typed for one in open_draft(draft.application).holdings.values()] == ["60", "40"]
    assert browser.faults == []


class FirstAnswer:
    """The server does what the first change asks; its answer waits until it is let come, or is lost."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        self._held: list[tuple[Route, APIResponse]] = []
        tab.route("**/applications/**", self._hold)

    def _hold(self, route: Route) -> None:
        if self._held or "hx-request" not in route.request.headers:
            route.continue_()
        else:
            self._held.append((route, route.fetch()))

    def expect_held(self) -> None:
        """Wait until the server has answered the first change."""
        while not self._held:
            self._tab.wait_for_timeout(10)

    def save(self, *, is_lost: bool) -> None:
        """Press the button while the answer is out: the page is left once the server has all that was typed."""
        [(route, answer)] = self._held
        with self._tab.expect_navigation():
            self._tab.get_by_role("button", name="Save and continue").click()
            if is_lost:
                route.abort()
            else:
                route.fulfill(response=answer)


@pytest.mark.long
@pytest.mark.parametrize("is_lost", [False, True], ids=["late", "lost"])
def test_several_cells_and_save_before_any_answer_has_come(is_lost: bool, open_tab: OpenTab, opened: Opened) -> None:
    tab = at_shares(open_tab, opened, has_script=True).tab
    first = FirstAnswer(tab)
    cell(tab, "Ordinary, Ada Lovelace").fill("1,000")
    cell(tab, "Ordinary, Ada Lovelace").blur()
    first.expect_held()
    cell(tab, "Ordinary, Ada Lovelace").fill("2,000")
    cell(tab, "Ordinary, Ben Okri").fill("3,000")
    cell(tab, "Preferred, Kestrel B.V.").fill("500")
    first.save(is_lost=is_lost)
    expect(tab.locator("h1")).not_to_have_text(_CLASHED)
    assert sorted(open_draft(opened[0].application).typed_holdings().values()) == ["2,000", "3,000", "500"]
