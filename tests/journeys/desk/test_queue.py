"""The queue by keyboard, and while cases arrive: nothing moves by itself, and no shortcut fires while one types."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, expect
from playwright.sync_api import Page as Tab

from formation_portal.desk.models import Case
from formation_portal.reviews.checklist import load_checklist
from formation_portal.reviews.models import Check
from tests.desk.factories import submitted_ones
from tests.journeys.conftest import OpenTab, new_user
from tests.journeys.desk.cases import in_review, press, turn_on_keys


@pytest.fixture
def owner(site: str) -> Any:
    """The customer of three cases, the only ones in the queue."""
    Case.objects.all().delete()
    owner = new_user()
    submitted_ones(owner, 3)
    return owner


@pytest.fixture
def agent(site: str) -> Any:
    return new_user(is_agent=True)


@pytest.fixture
def tab(open_tab: OpenTab, owner: Any, agent: Any) -> Tab:
    tab = (browser := open_tab(agent)).tab
    tab.clock.install()
    browser.get("/desk/?sort=newest")
    return tab


def _row(tab: Tab, place: int) -> Locator:
    return tab.locator(".queue tbody .name").nth(place)


def test_news_are_asked_for_where_somebody_looks_and_at_once_when_they_come_back(tab: Tab, owner: Any) -> None:
    requests: list[str] = []
    tab.on("request", lambda request: requests.append(request.url) if "/news/" in request.url else None)
    submitted_ones(owner, 1)
    tab.evaluate("() => Object.defineProperty(document, 'visibilityState', { get: () => window.seen ?? 'hidden' })")
    tab.clock.fast_forward(120_000)
    tab.clock.pause_at(tab.evaluate("() => Date.now() + 6_000"))
    tab.evaluate("() => { window.seen = 'visible'; document.dispatchEvent(new Event('visibilitychange')); }")
    expect(tab.locator("#news")).to_have_text("1 new case. Show")
    assert len(requests) == 1


def test_the_desk_goes_by_keys_once_their_sheet_was_opened(tab: Tab, agent: Any) -> None:
    tab.keyboard.press("j")
    expect(_row(tab, 0)).not_to_be_focused()
    turn_on_keys(tab)
    tab.keyboard.press("/")
    search = tab.get_by_label("Name or reference")
    expect(search).to_be_focused()
    tab.keyboard.type("jn?/k")
    expect(search).to_have_value("jn?/k")
    search.blur()
    sheet = tab.get_by_role("dialog", name="Keyboard shortcuts")
    tab.keyboard.press("?")
    expect(sheet).to_be_visible()
    assert sheet.locator("dt").all_text_contents() == ["X", "/", "C", "J", "K", "Enter", "?"]
    sheet.get_by_label("Use shortcuts on this device").uncheck()
    sheet.get_by_role("button", name="Close").click()
    tab.keyboard.press("j")
    tab.reload()
    press(tab, "j", "?")
    expect(_row(tab, 0)).not_to_be_focused()
    expect(sheet).to_be_hidden()
    tab.get_by_role("button", name="Shortcuts").click()
    sheet.get_by_label("Use shortcuts on this device").check()
    tab.keyboard.press("Escape")
    press(tab, "j", "j", "k", "Control+j")
    expect(_row(tab, 0)).to_be_focused()
    tab.keyboard.press("Enter")
    expect(tab.get_by_text("Unassigned")).to_be_visible()
    before = tab.url
    press(tab, "n", "x")
    expect(tab.get_by_role("button", name="Next case", exact=True)).to_be_focused()
    assert tab.url.partition("#")[0] == before.partition("#")[0], "a key that leads to the next check stays on the case"
    assert not Case.objects.filter(claimed_by=agent).exists(), "no key that moves claims anything"
    tab.keyboard.press("Enter")
    expect(tab.get_by_text("Claimed by you on")).to_be_visible()
    assert Case.objects.filter(claimed_by=agent).count() == 1


@pytest.mark.parametrize("has_script", [True, False], ids=["with script", "without"])
def test_a_search_goes_on_by_back_reload_and_from_a_case_while_no_address_has_its_words(
    open_tab: OpenTab, owner: Any, agent: Any, has_script: bool
) -> None:
    tab = (browser := open_tab(agent, has_script=has_script)).tab
    seen: list[str] = []
    tab.on("request", lambda request: seen.append(f"{request.url} {request.headers.get('referer', '')}"))
    tab.goto(f"{browser.base}/desk/?sort=newest")
    rows = tab.locator(".queue tbody tr")
    if has_script:
        turn_on_keys(tab)
        tab.keyboard.press("/")
    else:
        tab.get_by_label("Name or reference").focus()
    expect(tab.get_by_label("Name or reference")).to_be_focused()
    tab.keyboard.type("ida lund")
    tab.keyboard.press("Enter")
    expect(tab.locator(".chip")).to_have_text("“ida lund”, remove")
    expect(rows).to_have_count(3)
    assert "sort=newest" in tab.url
    where = tab.url
    tab.get_by_label("Name or reference").fill("nobody-at-all")
    tab.get_by_role("button", name="Apply").click()
    expect(tab.get_by_text("No cases match.")).to_be_visible()
    tab.go_back()
    expect(rows).to_have_count(3)
    assert tab.url == where
    tab.reload()
    expect(tab.get_by_label("Name or reference")).to_have_value("ida lund")
    _row(tab, 0).click()
    expect(tab.get_by_text("Unassigned")).to_be_visible()
    tab.locator("a.back").click()
    expect(rows).to_have_count(3)
    assert tab.url == where
    assert len(seen) > 8
    assert not [one for one in seen if re.search("lund|nobody", one.partition("://")[2].partition("/")[2], re.I)]


def test_the_focused_row_is_claimed_by_a_key_or_else_what_is_ticked(tab: Tab, agent: Any) -> None:
    press(tab, "?", "Escape", "j", "j", "c")
    expect(tab.get_by_text("You have claimed 1 case.")).to_be_visible()
    expect(tab.locator(".queue tbody tr").nth(1)).to_contain_text("since")
    every = tab.get_by_label("Select all on this page")
    tab.locator("tbody .tick").first.click()
    assert every.evaluate("box => box.indeterminate")
    tab.locator("thead .tick").click()
    assert [box.is_checked() for box in tab.locator("tbody .tick input").all()] == [True] * 3
    tab.locator("tbody .tick").nth(1).click()
    assert not every.is_checked()
    tab.keyboard.press("c")
    expect(tab.get_by_text("You have claimed 2 cases.")).to_be_visible()
    assert Case.objects.filter(claimed_by=agent).count() == 3


def test_one_key_accepts_the_section_at_hand_and_goes_on(open_tab: OpenTab, agent: Any) -> None:
    draft = in_review(new_user())
    tab = (browser := open_tab(agent)).tab
    browser.get(f"/desk/{draft.application.reference}/")
    turn_on_keys(tab)
    own = load_checklist(draft).of_holder("")
    assert own is not None
    tab.keyboard.press("y")
    first = tab.locator("h2[data-row]").first
    expect(first).to_be_focused()
    assert not Check.objects.exists(), "the first press only goes there"
    for done in range(1, len(own.facts)):
        tab.keyboard.press("y")
        expect(tab.get_by_role("button", name="Undo accept")).to_have_count(done)
        tab.wait_for_load_state()
    tab.keyboard.press("y")
    expect(tab.locator("h1")).to_have_text("Ada Lovelace")
    assert Check.objects.count() == len(own.facts)
