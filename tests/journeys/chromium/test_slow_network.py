"""Typing and tabbing at the pace of people while the network is slow: what is posted is what was typed, and no more."""

import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import Request, expect

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.contract import canonical
from formation_portal.invitations import codes, parts
from tests import factories
from tests.invitations import mailbox
from tests.journeys.browser import TabBrowser
from tests.journeys.chromium.test_questions import started
from tests.journeys.conftest import OpenTab, new_user
from tests.needed import has_chromium, needed
from tests.test_htmx import TAGS

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

KEY_MS = 100
SLOW_4G = {"offline": False, "latency": 400, "downloadThroughput": 50_000, "uploadThroughput": 50_000}
# Enough to come by every kind of control, and by the buttons among them.
TAB_PRESSES = 25

_BUTTONS = "() => [...document.querySelectorAll('form button[name], button[form][name]')].map((one) => one.name)"
_IS_TEXT = """() => document.activeElement.matches(
  "main textarea, main input:is([type=text], [type=tel], :not([type]))")"""
_IS_IN_MAIN = "() => document.getElementById('main').contains(document.activeElement)"

Place = tuple[TabBrowser, str]


def slow(tab: Tab) -> list[Request]:
    """Make the tab's network slow; gives the list to which every change that it posts is added."""
    tab.context.new_cdp_session(tab).send("Network.emulateNetworkConditions", SLOW_4G)
    posted: list[Request] = []
    tab.on("request", lambda one: posted.append(one) if "hx-request" in one.headers else None)
    return posted


def names_in(request: Request) -> set[str]:
    """The names of what a change carries, in its body or in its address."""
    sent = request.post_data if request.method == "POST" else request.url.partition("?")[2]
    if "multipart" in request.headers.get("content-type", ""):
        return set(re.findall(r'; name="([^"]*)"', sent or ""))
    return {name for name, _ in parse_qsl(sent or "", keep_blank_values=True)}


def with_owners(slug: str = "bvi-limited-company") -> tuple[Draft, Any]:
    """Ada and Ben hold shares of a company that has one class."""
    application, owner = started(slug)
    draft = open_draft(application)
    for first in ("Ada", "Ben"):
        services.add_party(draft, "person", [canonical.SHAREHOLDER], {"person.first_name": first}, by=owner)
    services.add_share_class(draft, factories.ORDINARY, by=owner)
    return draft, owner


def test_shares_stay_as_they_were_typed_where_a_button_has_the_focus_by_then(open_tab: OpenTab, site: str) -> None:
    draft, owner = with_owners()
    browser = open_tab(owner)
    browser.get(f"/applications/{draft.application.reference}/shares/")
    tab = browser.tab
    slow(tab)
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


def _section(open_tab: OpenTab) -> Place:
    application, owner = started("delaware-llc")
    return open_tab(owner), f"/applications/{application.reference}/sections/name-and-activities/"


def _share_class(open_tab: OpenTab) -> Place:
    application, owner = started("bvi-limited-company")
    return open_tab(owner), f"/applications/{application.reference}/shares/classes/new/"


def _grid(open_tab: OpenTab) -> Place:
    draft, owner = with_owners()
    return open_tab(owner), f"/applications/{draft.application.reference}/shares/"


def _party(open_tab: OpenTab) -> Place:
    draft, owner = with_owners()
    return open_tab(owner), f"/applications/{draft.application.reference}/people/{draft.parties[0].token}/"


def _part(open_tab: OpenTab) -> Place:
    draft, owner = with_owners()
    invitation = parts.invite(draft, draft.parties[0], email="ada@example.com", by=owner, language="en")
    browser, address = open_tab(None), f"/part/{invitation.reference}/"
    browser.get(mailbox.latest_link("invitation"))
    codes.send_code(invitation)
    browser.get(address)
    browser.tab.get_by_role("textbox", name="Code").fill(mailbox.latest_code())
    browser.press(browser.tab.locator("main form button").first)
    return browser, address


def _catalog(open_tab: OpenTab) -> Place:
    return open_tab(None), "/"


def _guide(open_tab: OpenTab) -> Place:
    return open_tab(None), "/guide/"


def _workbench(open_tab: OpenTab) -> Place:
    browser = open_tab(new_user(is_agent=True))
    tab = browser.tab
    tab.goto(f"{browser.base}/workbench/")
    tab.get_by_label("Schema, or an item of a catalog").fill(json.dumps(factories.ITEM))
    tab.get_by_role("button", name="Show").click()
    return browser, ""


# By the template whose form or part posts its changes.
PLACES: dict[str, Callable[[OpenTab], Place]] = {
    "section.html": _section,
    "share_class.html": _share_class,
    "_grid.html": _grid,
    "party.html": _party,
    "part.html": _part,
    "_catalog.html": _catalog,
    "guide.html": _guide,
    "_trial.html": _workbench,
}


def test_every_page_that_posts_its_changes_is_looked_at() -> None:
    posting = {tag.path.name for tag in TAGS if tag.says.get("hx-trigger", "").startswith("change")}
    assert posting == set(PLACES)


@pytest.mark.long
@pytest.mark.parametrize("template", PLACES)
def test_no_change_carries_a_button(template: str, open_tab: OpenTab, site: str) -> None:
    """Through the page by Tab, typing a digit wherever text is asked for, and choosing the next of what is offered."""
    browser, address = PLACES[template](open_tab)
    if address:
        browser.get(address)
    tab = browser.tab
    buttons = set(tab.evaluate(_BUTTONS))
    posted = slow(tab)
    tab.locator("main").focus()
    for _ in range(TAB_PRESSES):
        tab.keyboard.press("Tab")
        if not tab.evaluate(_IS_IN_MAIN):
            break
        if tab.evaluate(_IS_TEXT):
            tab.keyboard.type("5", delay=KEY_MS)
        elif tab.evaluate("() => document.activeElement.matches('select, [type=radio]')"):
            tab.keyboard.press("ArrowDown")
        tab.wait_for_timeout(KEY_MS)
    browser.settle()
    assert posted
    assert {name for one in posted for name in names_in(one)} & buttons == set()
