"""Pages hold still while they load and while a choice opens questions, and each change is announced once, briefly."""

from typing import Any

import pytest
from playwright.sync_api import Page as Tab

from formation_portal.applications import services
from formation_portal.applications.draft import open_draft
from tests.journeys.browser import TabBrowser
from tests.journeys.chromium.test_questions import answer_regulated, change_under_way, started
from tests.journeys.conftest import OpenTab
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

# What the page has shifted since it began to load, but for the half second after each press, as browsers count it.
_WATCH = """() => {
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
  }).observe({type: "layout-shift", buffered: true});
  window.said = [];
  const announcer = document.getElementById("announcer");
  if (announcer) new MutationObserver(() => {
    if (announcer.textContent.trim()) window.said.push(announcer.textContent.trim());
  }).observe(announcer, {childList: true, characterData: true, subtree: true});
}"""
_TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"
_TOP = "(id) => document.getElementById(id).getBoundingClientRect().top"
_CHOICES = """() => [...document.querySelectorAll("main :is([type=radio], [type=checkbox])")]
  .filter((one) => one.name.startsWith("q:") && !one.closest("[hidden]") && one.checkVisibility()).map(({id}) => id)"""
_SHOWN = """() => [...document.querySelectorAll(".region[data-questions]")].map((one) => one.hidden).join()"""
MOST = 0.02
LONGEST_WORDS = 100


def shift(tab: Tab) -> float:
    """How far things have moved by themselves."""
    tab.evaluate(_TWO_FRAMES)
    return float(tab.evaluate("() => window.shift"))


@pytest.mark.parametrize("width", [320, pytest.param(1280, marks=pytest.mark.long)])
def test_no_page_shifts_while_it_loads(open_tab: OpenTab, site: str, width: int) -> None:
    made, owner = started("bvi-limited-company")
    draft = open_draft(made)
    services.add_party(draft, "person", ["shareholder"], {"person.first_name": "Ada"}, by=owner)
    root = f"/applications/{made.reference}/"
    section = f"{root}sections/{draft.schema.entity_sections[0].key}/"
    browser = open_tab(owner, width=width)
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


@pytest.mark.long
@pytest.mark.parametrize("width", [1280, 320])
@pytest.mark.parametrize("slug", ["delaware-llc", "bvi-limited-company", "gmbh-zug", "ch-foundation"])
def test_no_choice_moves_what_was_chosen_and_each_is_told_once(
    open_tab: OpenTab, site: str, slug: str, width: int
) -> None:
    made, owner = started(slug)
    browser = open_tab(owner, width=width)
    wrong: list[str] = []
    for section in open_draft(made).schema.entity_sections:
        address = f"/applications/{made.reference}/sections/{section.key}/"
        browser.get(address)
        browser.tab.evaluate(_WATCH)
        for name in browser.tab.evaluate(_CHOICES):
            wrong += [f"{address} {name}: {one}" for one in _choose(browser, name)]
    assert not wrong, "\n".join(wrong)


def _choose(browser: TabBrowser, name: str) -> list[str]:
    """What is wrong after a choice."""
    tab = browser.tab
    control: Any = tab.locator(f"[id='{name}']")
    if not control.is_visible():
        return []
    control.focus()
    tab.evaluate("() => { window.said = []; }")
    before, top = tab.evaluate(_SHOWN), tab.evaluate(_TOP, name)
    tab.keyboard.press("Space")
    moved = tab.evaluate(_TOP, name) - top
    browser.settle()
    announced, wrong = tab.evaluate("() => window.said"), []
    if moved or tab.evaluate(_TOP, name) != top:
        wrong.append(f"moved by {moved} px")
    if tab.evaluate(_SHOWN) != before and len(announced) != 1:
        wrong.append(f"said {announced}")
    return wrong + [f"said too much: {one}" for one in announced if len(one) >= LONGEST_WORDS]
