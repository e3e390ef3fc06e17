"""Pages hold still while they load and while a choice opens questions."""

import pytest
from playwright.sync_api import Page as Tab

from formation_portal.applications import services
from formation_portal.applications.draft import open_draft
from tests.journeys.chromium.test_questions import answer_regulated, change_under_way
from tests.journeys.conftest import OpenTab
from tests.journeys.drafts import started
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

# What the page has shifted since it began to load, but for the half second after each press, as browsers count it.
_WATCH = """() => {
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
  }).observe({type: "layout-shift", buffered: true});
}"""
_TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"
_TOP = "(id) => document.getElementById(id).getBoundingClientRect().top"
MOST = 0.02


def shift(tab: Tab) -> float:
    """How far things have moved by themselves."""
    tab.evaluate(_TWO_FRAMES)
    return float(tab.evaluate("() => window.shift"))


def test_no_page_shifts_while_it_loads(open_tab: OpenTab, site: str) -> None:
    made, owner = started("bvi-limited-company")
    draft = open_draft(made)
    services.add_party(draft, "person", ["shareholder"], {"person.first_name": "Ada"}, by=owner)
    root = f"/applications/{made.reference}/"
    section = f"{root}sections/{draft.schema.entity_sections[0].key}/"
    browser = open_tab(owner, width=320)
    shifts = {}
    for address in (
        "/",
        "/products/bvi-limited-company/",
        root,
        section,
        *(root + one for one in ("people/", "shares/", "documents/", "check/")),
    ):
        browser.tab.goto(browser.base + address)
        browser.tab.evaluate(_WATCH)
        shifts[address] = shift(browser.tab)
    assert {address: size for address, size in shifts.items() if size > MOST} == {}


def test_an_answer_that_comes_late_moves_nothing(open_tab: OpenTab, site: str) -> None:
    """Later than the half second for which a browser takes every movement for an answer to the press."""
    made, owner = started("delaware-llc")
    browser = open_tab(owner)
    browser.get(f"/applications/{made.reference}/sections/name-and-activities/")
    tab = browser.tab
    yes = answer_regulated(tab, "Yes")
    name = yes.get_attribute("id")
    yes.focus()
    tab.evaluate(_WATCH)
    top = tab.evaluate(_TOP, name)
    with change_under_way(tab):
        tab.keyboard.press("Space")
        assert tab.evaluate(_TOP, name) == top
        tab.evaluate("() => new Promise((done) => setTimeout(done, 600))")
    browser.settle()
    assert tab.evaluate(_TOP, name) == top
    # Fractions of a pixel are rounded differently as text is laid out again.
    assert round(shift(tab), 4) == 0
