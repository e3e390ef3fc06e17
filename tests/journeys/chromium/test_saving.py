"""With script a page that could not be saved is never left: it says so, keeps what was typed, and tries again."""

from typing import Any
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import Request, Route, expect

from formation_portal.applications.models import Application
from tests.each_once import each_once
from tests.journeys.chromium.conftest import (
    NAME,
    answers,
    change_under_way,
    expect_post,
    name_field,
    open_section,
    press,
    saved_name,
    type_name,
)
from tests.journeys.conftest import OpenTab

# Longer than the page waits before it tries again.
A_WHILE = 6_000
_IS_SEEN = """() => {
  const at = document.activeElement, { left, width, top, bottom } = at.getBoundingClientRect();
  return [top + 2, bottom - 2].every((y) => document.elementFromPoint(left + width / 2, y) === at);
}"""


@pytest.fixture
def stopped(tab: Tab) -> Tab:
    """The section with a name typed and nothing posted yet; time goes by only where the test lets it."""
    tab.clock.install()
    tab.reload()
    name_field(tab).fill(NAME)
    return tab


def expect_not_saved(tab: Tab, address: str, words: str = "Not saved.") -> None:
    expect(tab.get_by_role("alert")).to_contain_text(words)
    assert tab.url == address


def come_online(tab: Tab) -> None:
    """Reach the network again; the page goes on by itself."""
    with tab.expect_navigation():
        tab.context.set_offline(False)


def unreachable(route: Route) -> None:
    route.abort()


def out_of_order(route: Route) -> None:
    route.fulfill(status=503, body="")


@pytest.mark.parametrize(
    ("trouble", "pressed"),
    each_once([unreachable, out_of_order], ["Save and continue", "Save and come back later", "Overview"]),
)
def test_a_page_that_cannot_be_saved_stays_and_goes_on_once_it_can(
    trouble: Any, pressed: str, stopped: Tab, application: Application
) -> None:
    tab, address = stopped, stopped.url
    tab.route("**/*", trouble)
    tab.get_by_role("link" if pressed == "Overview" else "button", name=pressed, exact=True).click()
    expect_not_saved(tab, address, "Not saved. Your answers are still on this page.")
    assert name_field(tab).input_value() == NAME
    assert tab.locator("button[aria-busy]").count() == 0
    tab.clock.run_for(A_WHILE)
    assert tab.url == address

    tab.unroute("**/*", trouble)
    with tab.expect_navigation():
        tab.clock.run_for(4 * A_WHILE)
    assert tab.url != address
    assert saved_name(application) == NAME


@pytest.mark.parametrize("button", ["Save and continue", "Sign out"])
def test_it_goes_on_at_once_when_the_network_is_back_whichever_button_was_pressed(
    button: str, stopped: Tab, application: Application
) -> None:
    tab, address = stopped, stopped.url
    tab.context.set_offline(True)
    if button == "Sign out":
        tab.locator("button[popovertarget=account]").click()
    tab.get_by_role("button", name=button).click()
    expect_not_saved(tab, address)
    come_online(tab)
    assert saved_name(application) == NAME


def test_a_form_that_only_its_button_sends_stays_too(open_tab: OpenTab, application: Application) -> None:
    browser = open_tab(application.owner)
    browser.get(f"/applications/{application.reference}/access/")
    tab, address = browser.tab, browser.tab.url
    box = tab.locator("form#answers input[type=email], form#answers input:not([type])").first
    box.fill("ada@example.com")
    tab.context.set_offline(True)
    box.press("Enter")
    expect_not_saved(tab, address, "Not sent. Everything is still on this page.")
    assert box.input_value() == "ada@example.com"
    come_online(tab)
    expect(tab.locator("main")).to_contain_text("ada@example.com")


def test_enter_saves_and_the_page_stays_with_its_focus(tab: Tab, application: Application) -> None:
    tab.evaluate("() => { window.isSame = true }")
    name_field(tab).fill(NAME)
    name_field(tab).press("Enter")
    expect(tab.locator("#saving")).to_have_text("Saved.")
    expect(name_field(tab)).to_be_focused()
    assert tab.evaluate("() => window.isSame")
    assert saved_name(application) == NAME


def test_a_save_that_takes_long_says_so_and_then_that_it_is_done(stopped: Tab) -> None:
    line = stopped.locator("#saving")
    with change_under_way(stopped):
        name_field(stopped).blur()
        stopped.clock.run_for(100)
        expect(line).to_have_text("")
        stopped.clock.run_for(1_000)
        expect(line).to_have_text("Saving…")
        expect(line).to_have_attribute("role", "status")
    expect(line).to_have_text("Saved.")
    stopped.clock.run_for(5_000)
    expect(line).to_have_text("")


def test_what_has_the_focus_is_not_covered_by_what_it_says(tab: Tab) -> None:
    tab.set_viewport_size({"width": 320, "height": 500})
    name_field(tab).fill(NAME)
    name_field(tab).evaluate("box => scrollBy(0, box.getBoundingClientRect().bottom - innerHeight)")
    tab.context.set_offline(True)
    name_field(tab).press("Enter")
    expect_not_saved(tab, tab.url)
    tab.wait_for_function(_IS_SEEN)


_TELL_ONCE_THE_FORM_HAS_GONE = """() => addEventListener("submit", ({ defaultPrevented }) => {
  const frame = (left) => requestAnimationFrame(() => {
    if (left) frame(left - 1);
    else setTimeout(() => console.log(`banner: ${document.getElementById("banner").textContent.trim()}`), 50);
  });
  if (!defaultPrevented) frame(3);
})"""


def test_nothing_is_posted_and_nothing_is_wrong_once_the_form_has_gone(tab: Tab, application: Application) -> None:
    """Some browsers break off what a page sends while it is left, and tell the page of it."""
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
    with tab.expect_request(lambda request: request.method == "POST"):
        type_name(tab)
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


def test_a_page_that_is_put_away_is_saved_at_once(tab: Tab, application: Application) -> None:
    tab.clock.install(time=0)
    tab.reload()
    tab.clock.pause_at(60)
    name_field(tab).fill(NAME)
    with expect_post(tab):
        tab.evaluate("""() => {
          Object.defineProperty(document, "hidden", { value: true, configurable: true });
          document.dispatchEvent(new Event("visibilitychange"));
        }""")
        tab.clock.run_for(500)
    assert saved_name(application) == NAME


# A change posts only the questions that no answer has acknowledged as they stand.


def questions(request: Request) -> set[str]:
    posted = parse_qs(request.post_data or "", keep_blank_values=True)
    assert {"version", "drawn"} <= posted.keys()
    assert len(posted["shown"]) == 1  # all of the regions in one value
    return {name.split(":")[1] for name in posted if name.startswith("q:")}


def post_of(tab: Tab, label: str, text: str) -> set[str]:
    """The questions of the post that follows when a text was typed and left."""
    with expect_post(tab) as answered:
        tab.get_by_label(label).fill(text)
        tab.get_by_label(label).blur()
    answered.value.finished()
    return questions(answered.value.request)


def test_what_was_not_saved_goes_along_with_the_next_change(tab: Tab, application: Application) -> None:
    lost: list[Route] = []

    def lose(route: Route) -> None:
        if route.request.method == "POST" and not lost:
            lost.append(route)
            route.abort()
        else:
            route.continue_()

    tab.route("**/applications/**", lose)
    type_name(tab)
    expect(tab.locator("#banner")).to_contain_text("Not saved")
    assert len(post_of(tab, "Second choice of name", "Kestrel LLC")) == 2
    assert saved_name(application) == NAME


def test_only_the_answer_that_another_window_has_changed_waits(
    tab: Tab, open_tab: OpenTab, application: Application
) -> None:
    other = open_section(open_tab, application).tab
    post_of(other, "First choice of name", "Kestrel LLC")
    post_of(tab, "First choice of name", NAME)
    expect(tab.locator("#banner")).to_contain_text("“First choice of name” was changed in another window")
    post_of(tab, "Second choice of name", "Larkfield LLC")
    post_of(tab, "Third choice of name", "Wilgenhof LLC")
    raw = answers(application)
    assert raw["entity.name"] == "Kestrel LLC"
    assert {"Larkfield LLC", "Wilgenhof LLC"} <= {value for value in raw.values() if isinstance(value, str)}

    press(tab, "Save and continue")
    expect(tab.locator("main")).to_contain_text("Your other answers are saved.")
    expect(tab.locator("legend")).to_have_text(["First choice of name"])
    press(tab, "Save these answers")
    assert saved_name(application) == NAME
