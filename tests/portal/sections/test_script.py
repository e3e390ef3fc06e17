"""Our script in a browser, under the content policy of every page."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.fixtures import Settings

from tests.journeys.site import served
from tests.needed import has_chromium, needed
from tests.portal.script_pages import SERVER

NOT_SAVED = "Not saved. Your answers are still on this page."

pytestmark = [
    pytest.mark.browser,
    pytest.mark.urls("tests.portal.script_pages"),
    needed("Chromium", has_chromium()),
]


@pytest.fixture
def address(settings: Settings, collected: Path) -> Iterator[str]:
    """The site of two forms, served without a database."""
    settings.ALLOWED_HOSTS = ["127.0.0.1"]
    SERVER.status, SERVER.posted = 200, []
    with served(collected) as address:
        yield f"{address}/"


@pytest.fixture
def page(address: str, chromium: Browser) -> Iterator[Page]:
    """The page of the forms, opened; an error of the script fails the test."""
    faults: list[str] = []
    context = chromium.new_context()
    page = context.new_page()
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(address)
    yield page
    context.close()
    assert faults == []


def test_trying_again_sends_the_form_as_it_is_now(page: Page) -> None:
    SERVER.status = 503
    page.get_by_label("Name").fill("Lark")
    page.get_by_label("Name").dispatch_event("change")
    expect(page.get_by_role("alert")).to_contain_text(NOT_SAVED)
    expect(page.get_by_label("Name")).to_have_value("Lark")
    page.get_by_label("Name").fill("Larkfield")
    SERVER.status = 204
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("alert")).to_be_empty()
    assert SERVER.posted[-1]["name"] == "Larkfield"
    expect(page.locator("main")).to_be_focused()


def test_what_a_button_adds_is_sent_again_with_the_form(page: Page) -> None:
    SERVER.status = 503
    page.get_by_role("button", name="Save for later").click()
    expect(page.get_by_role("alert")).to_contain_text(NOT_SAVED)
    SERVER.status = 204
    page.get_by_role("heading", level=1).click()
    expect(page.get_by_role("alert")).to_contain_text(NOT_SAVED)
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("alert")).to_be_empty()
    assert [post.get("later") for post in SERVER.posted] == ["1", "1"]


def test_a_refusal_is_shown_and_focused_each_time(page: Page) -> None:
    SERVER.status = 422
    for _ in range(3):
        page.get_by_role("button", name="Save for later").click()
        expect(page.locator(".error-summary")).to_be_focused()
        expect(page.get_by_role("button", name="Save for later")).not_to_have_attribute("aria-busy", "true")
        page.get_by_label("Name").focus()
    expect(page.locator("#banner")).to_be_empty()


def test_a_text_is_copied(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy the text").click()
    expect(page.locator("#announcer")).to_have_text("Copied.")
    assert page.evaluate("() => navigator.clipboard.readText()") == "Did it arrive?"


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


def test_a_page_that_holds_nothing_new_is_left_without_a_fault(tab: Page) -> None:
    # A page that is really left reports no error any more: one that the browser keeps to come back to does.
    tab.evaluate("() => window.dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    tab.goto(tab.url)
    assert saved() == []


def test_where_nothing_can_be_saved_leaving_asks_first(tab: Page) -> None:
    SERVER.status = 503
    tab.keyboard.type("Larkfield")
    tab.clock.fast_forward(3_100)
    expect(tab.get_by_role("alert")).to_contain_text(NOT_SAVED)
    asked: list[str] = []
    tab.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    tab.goto(tab.url)
    assert asked == ["beforeunload"]
