"""A page whose posts overtake their answers: what somebody has saved themselves never looks like somebody else's."""

import re

import pytest
from playwright.sync_api import APIResponse, Route, expect
from playwright.sync_api import Page as Tab

from formation_portal.applications.draft import open_draft
from formation_portal.contract import canonical
from tests.journeys.chromium.test_shares import Opened, at_shares, cell, opened
from tests.journeys.conftest import OpenTab
from tests.journeys.page_states.screenshots import press
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.long, pytest.mark.browser, needed("Chromium", has_chromium())]

__all__ = ["opened"]

_CLASHED = re.compile("was changed while you were editing")


late_or_lost = pytest.mark.parametrize("is_lost", [False, True], ids=["late", "lost"])


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


@late_or_lost
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


@late_or_lost
def test_a_partys_answers_and_roles_in_the_same_hurry(is_lost: bool, open_tab: OpenTab, opened: Opened) -> None:
    draft, owner = opened
    ada = draft.parties[0]
    browser = open_tab(owner)
    browser.get(f"/applications/{draft.application.reference}/people/{ada.token}/")
    tab = browser.tab
    tab.locator("summary", has_text="Change Name").click()
    first_name = tab.get_by_label("First name", exact=True)
    first = FirstAnswer(tab)
    first_name.fill("Augusta")
    first_name.blur()
    first.expect_held()
    first_name.fill("Augusta Ada")
    tab.get_by_label("Beneficial owner").check()
    first.save(is_lost=is_lost)
    expect(tab.locator("h1")).not_to_have_text(_CLASHED)
    saved = open_draft(draft.application).parties[0]
    assert saved.raw["person.first_name"] == "Augusta Ada"
    assert canonical.BENEFICIAL_OWNER in saved.roles


@pytest.mark.parametrize("has_script", [True, False], ids=["with-script", "without-script"])
def test_two_windows_in_one_cell_are_set_side_by_side_and_chosen_by_keys(
    has_script: bool, open_tab: OpenTab, opened: Opened
) -> None:
    mine = at_shares(open_tab, opened, has_script=has_script).tab
    theirs = at_shares(open_tab, opened, has_script=False).tab
    cell(theirs, "Ordinary, Ada Lovelace").fill("1")
    press(theirs, "Save and continue")
    cell(mine, "Ordinary, Ada Lovelace").fill("2")
    cell(mine, "Ordinary, Ben Okri").fill("22")
    mine.keyboard.press("Tab")
    if has_script:
        expect(mine.locator("#banner")).to_contain_text("so your answer is not saved")
        press(mine, "Compare both versions")
    else:
        press(mine, "Save and continue")
    expect(mine.locator("h1")).to_have_text(_CLASHED)
    expect(mine.get_by_role("radio")).to_have_count(2)
    mine.get_by_role("radio").first.focus()
    mine.keyboard.press("ArrowDown")
    mine.keyboard.press("Tab")
    with mine.expect_navigation():
        mine.keyboard.press("Enter")
    assert sorted(open_draft(opened[0].application).typed_holdings().values()) == ["1", "22"]
