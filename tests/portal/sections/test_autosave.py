"""What is typed is saved when the typing rests and on leaving the page; where it can't be, the page says so."""

import pytest
from playwright.sync_api import Page, expect

from tests.needed import has_chromium, needed
from tests.portal.script_pages import SERVER
from tests.portal.sections.test_script import NOT_SAVED, address, page

__all__ = ["address", "page"]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.urls("tests.portal.script_pages"),
    needed("Chromium", has_chromium()),
]


@pytest.fixture
def tab(page: Page) -> Page:
    """The page of the forms, whose time goes by only where the test lets it."""
    page.clock.install()
    page.reload()
    page.get_by_label("Name").focus()
    return page


def saved() -> list[str | None]:
    """What each post so far held as the name."""
    return [post.get("name") for post in SERVER.posted]


def type_and_rest(tab: Page, text: str) -> None:
    """Type, stay in the control, and wait for longer than anybody types on."""
    tab.keyboard.type(text)
    tab.clock.fast_forward(3_100)


def after_going_elsewhere(tab: Page, count: int) -> list[str | None]:
    """What was posted once the page was left. It goes by itself, so other requests are made until it is there."""
    for _ in range(50):
        tab.goto(tab.url)
        if len(SERVER.posted) >= count:
            break
    return saved()


def test_typing_is_saved_when_it_rests_and_not_before(tab: Page) -> None:
    tab.keyboard.type("Lark")
    tab.clock.fast_forward(2_000)
    tab.keyboard.type("field")
    tab.clock.fast_forward(2_000)
    assert saved() == []
    tab.clock.fast_forward(1_100)
    expect(tab.locator("#region")).to_have_text("Opened")
    assert saved() == ["Larkfield"]
    expect(tab.get_by_label("Name")).to_be_focused()
    expect(tab.get_by_label("Name")).to_have_value("Larkfield")


def test_leaving_the_control_saves_at_once_and_resting_then_saves_nothing_more(tab: Page) -> None:
    tab.keyboard.type("Lark")
    tab.keyboard.press("Tab")
    expect(tab.locator("#region")).to_have_text("Opened")
    tab.clock.fast_forward(10_000)
    tab.get_by_role("button", name="Copy the text").focus()
    assert saved() == ["Lark"]


def test_what_was_typed_just_before_leaving_is_saved(tab: Page) -> None:
    tab.keyboard.type("Larkfield")
    assert after_going_elsewhere(tab, 1) == ["Larkfield"]
    assert SERVER.posted[0]["csrfmiddlewaretoken"]


def test_a_page_that_holds_nothing_new_is_left_without_a_fault(tab: Page) -> None:
    # A page that is really left reports no error any more: one that the browser keeps to come back to does.
    tab.evaluate("() => window.dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    tab.goto(tab.url)
    assert saved() == []


def test_where_nothing_can_be_saved_leaving_asks_first(tab: Page) -> None:
    SERVER.status = 503
    type_and_rest(tab, "Larkfield")
    expect(tab.get_by_role("alert")).to_contain_text(NOT_SAVED)
    asked: list[str] = []
    tab.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    tab.goto(tab.url)
    assert asked == ["beforeunload"]
