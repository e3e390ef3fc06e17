"""A page whose posts overtake their answers: what somebody has saved themselves never looks like somebody else's."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import Route, expect

from formation_portal.applications.draft import open_draft
from formation_portal.contract import canonical
from tests.journeys.chromium.test_shares import Opened, at_shares, cell, opened
from tests.journeys.conftest import OpenTab
from tests.journeys.page_states.screenshots import press
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.long, pytest.mark.browser, needed("Chromium", has_chromium())]

__all__ = ["opened"]

_CLASHED = re.compile("was changed while you were editing")


@contextmanager
def responses_held(tab: Tab) -> Iterator[list[Any]]:
    """The server does what a change asks, and its answer doesn't come."""
    held: list[Any] = []

    def hold(route: Route) -> None:
        if "hx-request" not in route.request.headers:
            route.continue_()
        else:
            held.append(route.fetch())

    tab.route("**/applications/**", hold)
    yield held
    tab.unroute("**/applications/**", hold)


def wait_for(held: list[Any], tab: Tab) -> None:
    """Until the server has answered the first change."""
    while not held:
        tab.wait_for_timeout(10)


def test_several_cells_and_save_before_any_answer_has_come(open_tab: OpenTab, opened: Opened) -> None:
    tab = at_shares(open_tab, opened, has_script=True).tab
    with responses_held(tab) as held:
        cell(tab, "Ordinary, Ada Lovelace").fill("1,000")
        cell(tab, "Ordinary, Ada Lovelace").blur()
        wait_for(held, tab)
        cell(tab, "Ordinary, Ada Lovelace").fill("2,000")
        cell(tab, "Ordinary, Ben Okri").fill("3,000")
        cell(tab, "Preferred, Kestrel B.V.").fill("500")
        press(tab, "Save and continue")
    expect(tab.locator("h1")).not_to_have_text(_CLASHED)
    assert sorted(open_draft(opened[0].application).typed_holdings().values()) == ["2,000", "3,000", "500"]


def test_a_partys_answers_and_roles_in_the_same_hurry(open_tab: OpenTab, opened: Opened) -> None:
    draft, owner = opened
    ada = draft.parties[0]
    tab = open_tab(owner).tab
    tab.goto(f"{open_tab(owner).base}/applications/{draft.application.reference}/people/{ada.token}/")
    with responses_held(tab) as held:
        tab.get_by_label("First name", exact=True).fill("Augusta")
        tab.get_by_label("First name", exact=True).blur()
        wait_for(held, tab)
        tab.get_by_label("First name", exact=True).fill("Augusta Ada")
        tab.get_by_label("Beneficial owner").check()
        press(tab, "Save and continue")
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
        expect(mine.locator("#banner")).to_contain_text("Not saved")
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
