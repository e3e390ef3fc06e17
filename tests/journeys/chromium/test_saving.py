"""With script a page that could not be saved is never left: it says so, keeps what was typed, and tries again."""

from typing import Any

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import Route, expect

from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from tests.each_once import each_once
from tests.journeys.browser import TabBrowser
from tests.journeys.chromium.test_questions import application, at_section, change_under_way
from tests.journeys.conftest import OpenTab
from tests.needed import has_chromium, needed

__all__ = ["application"]

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

Opened = tuple[Application, Any]
NAME = "Kite LLC"
# Longer than the page waits before it tries again.
A_WHILE = 6_000
_IS_SEEN = """() => {
  const at = document.activeElement, { left, width, top, bottom } = at.getBoundingClientRect();
  return [top + 2, bottom - 2].every((y) => document.elementFromPoint(left + width / 2, y) === at);
}"""


def field(tab: Tab) -> Any:
    return tab.get_by_label("First choice of name")


def saved_name(opened: Opened) -> Any:
    return open_draft(opened[0]).entity_raw.get("entity.name")


def typing_with_a_clock(open_tab: OpenTab, opened: Opened) -> TabBrowser:
    """A section where a name was typed and nothing posted yet; time goes by only where the test lets it."""
    browser = at_section(open_tab, opened)
    browser.tab.clock.install()
    browser.tab.reload()
    field(browser.tab).fill(NAME)
    return browser


def unreachable(route: Route) -> None:
    route.abort()


def out_of_order(route: Route) -> None:
    route.fulfill(status=503, body="")


@pytest.mark.parametrize(
    ("trouble", "pressed"),
    each_once([unreachable, out_of_order], ["Save and continue", "Save and come back later", "Overview"]),
)
def test_a_page_that_cannot_be_saved_stays_and_goes_on_once_it_can(
    trouble: Any, pressed: str, open_tab: OpenTab, application: Opened
) -> None:
    browser = typing_with_a_clock(open_tab, application)
    tab, address = browser.tab, browser.tab.url
    tab.route("**/*", trouble)
    tab.get_by_role("link" if pressed == "Overview" else "button", name=pressed, exact=True).click()
    expect(tab.get_by_role("alert")).to_contain_text("Not saved. Your answers are still on this page.")
    assert (tab.url, field(tab).input_value()) == (address, NAME)
    assert tab.locator("button[aria-busy]").count() == 0
    tab.clock.run_for(A_WHILE)
    assert tab.url == address

    tab.unroute("**/*", trouble)
    with tab.expect_navigation():
        tab.clock.run_for(4 * A_WHILE)
    assert tab.url != address
    assert saved_name(application) == NAME


def test_it_goes_on_at_once_when_the_network_is_back(open_tab: OpenTab, application: Opened) -> None:
    browser = typing_with_a_clock(open_tab, application)
    tab, address = browser.tab, browser.tab.url
    tab.context.set_offline(True)
    tab.get_by_role("button", name="Save and continue").click()
    expect(tab.get_by_role("alert")).to_contain_text("Not saved.")
    assert tab.url == address
    with tab.expect_navigation():
        tab.context.set_offline(False)
    assert saved_name(application) == NAME


def test_a_form_that_only_its_button_sends_stays_too(open_tab: OpenTab, application: Opened) -> None:
    made, owner = application
    browser = open_tab(owner)
    browser.get(f"/applications/{made.reference}/access/")
    tab, address = browser.tab, browser.tab.url
    box = tab.locator("form#answers input[type=email], form#answers input:not([type])").first
    box.fill("ada@example.com")
    tab.context.set_offline(True)
    box.press("Enter")
    expect(tab.get_by_role("alert")).to_contain_text("Not sent. Everything is still on this page.")
    assert (tab.url, box.input_value()) == (address, "ada@example.com")
    with tab.expect_navigation():
        tab.context.set_offline(False)
    expect(tab.locator("main")).to_contain_text("ada@example.com")


def test_enter_saves_and_the_page_stays_with_its_focus(open_tab: OpenTab, application: Opened) -> None:
    tab = at_section(open_tab, application).tab
    tab.evaluate("() => { window.isSame = true }")
    field(tab).fill(NAME)
    field(tab).press("Enter")
    expect(tab.locator("#saving")).to_have_text("Saved.")
    expect(field(tab)).to_be_focused()
    assert tab.evaluate("() => window.isSame")
    assert saved_name(application) == NAME


def test_a_save_that_takes_long_says_so_and_then_that_it_is_done(open_tab: OpenTab, application: Opened) -> None:
    browser = typing_with_a_clock(open_tab, application)
    tab = browser.tab
    line = tab.locator("#saving")
    with change_under_way(tab):
        field(tab).blur()
        tab.clock.run_for(100)
        expect(line).to_have_text("")
        tab.clock.run_for(1_000)
        expect(line).to_have_text("Saving…")
        expect(line).to_have_attribute("role", "status")
    expect(line).to_have_text("Saved.")
    tab.clock.run_for(5_000)
    expect(line).to_have_text("")


def test_a_button_that_has_nothing_to_do_with_the_answers_waits_for_them_too(
    open_tab: OpenTab, application: Opened
) -> None:
    browser = typing_with_a_clock(open_tab, application)
    tab, address = browser.tab, browser.tab.url
    tab.context.set_offline(True)
    tab.locator("button[popovertarget=account]").click()
    tab.get_by_role("button", name="Sign out").click()
    expect(tab.get_by_role("alert")).to_contain_text("Not saved.")
    assert tab.url == address
    with tab.expect_navigation():
        tab.context.set_offline(False)
    assert saved_name(application) == NAME


def test_what_has_the_focus_is_not_covered_by_what_it_says(open_tab: OpenTab, application: Opened) -> None:
    tab = at_section(open_tab, application).tab
    tab.set_viewport_size({"width": 320, "height": 500})
    field(tab).fill(NAME)
    field(tab).evaluate("box => scrollBy(0, box.getBoundingClientRect().bottom - innerHeight)")
    tab.context.set_offline(True)
    field(tab).press("Enter")
    expect(tab.get_by_role("alert")).to_contain_text("Not saved.")
    tab.wait_for_function(_IS_SEEN)


_TELL_ONCE_THE_FORM_HAS_GONE = """() => addEventListener("submit", ({ defaultPrevented }) => {
  const frame = (left) => requestAnimationFrame(() => {
    if (left) frame(left - 1);
    else setTimeout(() => console.log(`banner: ${document.getElementById("banner").textContent.trim()}`), 50);
  });
  if (!defaultPrevented) frame(3);
})"""


def test_nothing_is_posted_and_nothing_is_wrong_once_the_form_has_gone(open_tab: OpenTab, application: Opened) -> None:
    """Some browsers break off what a page sends while it is left, and tell the page of it."""
    tab = at_section(open_tab, application).tab
    first: list[Route] = []
    gone: list[Route] = []
    broken_off: list[Route] = []

    def sort(route: Route) -> None:
        if route.request.method != "POST":
            route.continue_()
        elif "multipart" in route.request.headers["content-type"]:
            gone.append(route)
        elif first:
            broken_off.append(route)
            route.abort()
        else:
            first.append(route)

    tab.route("**/applications/**", sort)
    tab.evaluate(_TELL_ONCE_THE_FORM_HAS_GONE)
    field(tab).fill(NAME)
    with tab.expect_request(lambda request: request.method == "POST"):
        field(tab).blur()
    # One more post is queued behind the first one, as pressing the button does now and then.
    tab.locator("[data-changes-only]").dispatch_event("change")
    tab.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 10)))")
    with tab.expect_console_message(lambda message: message.text.startswith("banner")) as told:
        tab.get_by_role("button", name="Save and continue").click(no_wait_after=True)
        first[0].continue_()
    assert told.value.text == "banner: "
    assert broken_off == []
    with tab.expect_navigation():
        gone[0].continue_()
    assert saved_name(application) == NAME


def test_a_page_that_is_put_away_is_saved_at_once(open_tab: OpenTab, application: Opened) -> None:
    tab = at_section(open_tab, application).tab
    tab.clock.install(time=0)
    tab.reload()
    tab.clock.pause_at(60)
    field(tab).fill(NAME)
    with tab.expect_response(lambda answer: answer.request.method == "POST"):
        tab.evaluate("""() => {
          Object.defineProperty(document, "hidden", { value: true, configurable: true });
          document.dispatchEvent(new Event("visibilitychange"));
        }""")
        tab.clock.run_for(500)
    assert saved_name(application) == NAME
