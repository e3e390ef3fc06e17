"""The first view of a browser that comes from elsewhere: whole by what the page brings, whenever the sheets come."""

from typing import Any

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import Route, expect

from formation_portal.applications.draft import open_draft
from tests.journeys.browser import open_page
from tests.journeys.chromium.test_questions import answer_regulated, started
from tests.journeys.conftest import OpenTab, new_user
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

# Where everything stands that is drawn, and in which colours.
_DRAWN = """() => [...document.querySelectorAll("body *")].filter((one) => one.checkVisibility()).map((one) => {
  const { x, y, width, height } = one.getBoundingClientRect();
  const { color, backgroundColor, font, borderTopWidth } = getComputedStyle(one);
  return [one.tagName, one.className.baseVal ?? one.className, x, y, width, height, color, backgroundColor, font,
    borderTopWidth].join(" ");
})"""
_SHEETS, _SCRIPTS = "**/static/css/*", "**/static/js/*"
_HAS_SHEETS = "() => [...document.querySelectorAll('link[rel=stylesheet]')].every(({ sheet }) => sheet)"


def drawn(tab: Tab, address: str, *, has_sheets: bool) -> Any:
    tab.unroute_all()
    if not has_sheets:
        tab.route(_SHEETS, lambda route: route.abort())
    # From nowhere, as an address that was typed.
    tab.goto("about:blank")
    open_page(tab, address)
    if has_sheets:
        tab.wait_for_function(_HAS_SHEETS)
    assert tab.locator("head style").count() == 1
    return tab.evaluate(_DRAWN)


@pytest.mark.parametrize("width", [1280, 320])
@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.long)])
def test_what_the_page_brings_draws_it_as_the_sheets_do(open_tab: OpenTab, site: str, width: int, scheme: str) -> None:
    made, owner = started("bvi-limited-company")
    root = f"/applications/{made.reference}/"
    section = f"{root}sections/{open_draft(made).schema.entity_sections[0].key}/"
    pages = {owner: ["/", "/products/bvi-limited-company/", section, root, f"{root}people/", "/nowhere/"]}
    pages |= {None: ["/accounts/login/"], new_user(is_agent=True): ["/desk/", "/desk/deliveries/"]}
    different = {}
    for user, addresses in pages.items():
        browser = open_tab(user, width=width, scheme=scheme)
        for address in addresses:
            whole, early = (drawn(browser.tab, site + address, has_sheets=has) for has in (True, False))
            assert len(whole) > 20
            if whole != early:
                different[address] = [pair for pair in zip(whole, early, strict=False) if pair[0] != pair[1]][:2]
    assert different == {}


def test_without_script_the_sheets_come_all_the_same(open_tab: OpenTab, site: str) -> None:
    browser = open_tab(None, has_script=False)
    with browser.tab.expect_response(_SHEETS) as response:
        browser.tab.goto(f"{site}/")
    assert response.value.ok
    assert browser.tab.locator("head link[rel=stylesheet]").count() == 0


def test_the_next_page_has_its_sheets_from_the_cache(open_tab: OpenTab, site: str) -> None:
    browser = open_tab(None)
    tab = browser.tab
    open_page(tab, f"{site}/")
    tab.wait_for_function(_HAS_SHEETS)
    tab.get_by_role("link", name="Privacy").click()
    tab.wait_for_url("**/privacy/")
    assert tab.locator("head style").count() == 0
    assert tab.locator("head link[rel=stylesheet]").count() == 2


def test_scripts_come_once_the_page_is_drawn(open_tab: OpenTab, site: str) -> None:
    tab = open_tab(None).tab
    tab.add_init_script("document.addEventListener('htmx:load', () => (window.loadedAt ??= performance.now()))")
    open_page(tab, f"{site}/")
    drawn_at = tab.evaluate("() => performance.getEntriesByName('first-contentful-paint')[0].startTime")
    assert drawn_at < tab.evaluate("() => loadedAt")


@pytest.mark.parametrize("has_choice", [True, False], ids=["chosen and typed", "typed"])
def test_what_is_entered_before_the_scripts_come_shows_and_is_saved(
    open_tab: OpenTab, site: str, has_choice: bool
) -> None:
    made, owner = started("delaware-llc")
    section = open_draft(made).schema.entity_sections[0].key
    tab = open_tab(owner).tab
    held: list[Route] = []
    tab.route(_SCRIPTS, lambda route: held.append(route))
    tab.goto(f"{site}/applications/{made.reference}/sections/{section}/")
    tab.locator("main input[name^='q:']:not([type])").first.fill("Kestrel LLC")
    licence = tab.get_by_label("Licence or registration", exact=True)
    if has_choice:
        answer_regulated(tab, "Yes").check()
    expect(licence).not_to_be_visible()
    with tab.expect_response(lambda answer: answer.request.method == "POST"):
        for route in held:
            route.continue_()
    expect(licence).to_be_visible(visible=has_choice)
    assert "Kestrel LLC" in open_draft(made).entity_raw.values()
    assert ("true" in open_draft(made).entity_raw.values()) == has_choice
