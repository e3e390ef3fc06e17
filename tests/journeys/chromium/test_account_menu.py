"""The menu of the account and the display: by keyboard and by pointer, with script and without, wide and narrow."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from tests.journeys.conftest import OpenTab, new_user
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

_BUTTON = "button[popovertarget=account]"
_GROUND = "() => getComputedStyle(document.body).backgroundColor"
_IS_INSIDE = """() => {
  const box = document.getElementById("account").getBoundingClientRect();
  const head = document.querySelector(".masthead").getBoundingClientRect();
  return box.left >= 0 && box.right <= document.documentElement.clientWidth && box.top > head.top;
}"""


@pytest.fixture(params=[True, False], ids=["script", "no-script"])
def has_script(request: Any) -> bool:
    return bool(request.param)


@pytest.fixture(params=[1280, 320])
def tab(request: Any, open_tab: OpenTab, site: str, has_script: bool) -> Tab:
    """Somebody's applications."""
    browser = open_tab(new_user(), has_script=has_script, width=request.param)
    browser.tab.goto(f"{site}/applications/")
    return browser.tab


def test_the_menu_opens_by_keyboard_and_closes_on_escape(tab: Tab) -> None:
    button, link = tab.locator(_BUTTON), tab.get_by_role("link", name="Your account")
    expect(link).to_be_hidden()
    button.focus()
    tab.keyboard.press("Enter")
    expect(link).to_be_visible()
    tab.keyboard.press("Tab")
    expect(link).to_be_focused()
    tab.keyboard.press("Escape")
    expect(link).to_be_hidden()
    expect(button).to_be_focused()


def test_the_menu_stands_in_the_window_and_closes_by_a_press_beside_it(tab: Tab) -> None:
    tab.locator(_BUTTON).click()
    expect(tab.get_by_role("button", name="Sign out")).to_be_visible()
    assert tab.evaluate(_IS_INSIDE)
    tab.mouse.click(5, 600)
    expect(tab.get_by_role("button", name="Sign out")).to_be_hidden()


def test_a_theme_is_chosen_against_the_system_and_back(tab: Tab) -> None:
    light = tab.evaluate(_GROUND)
    tab.locator(_BUTTON).click()
    tab.get_by_role("link", name="Display").click()
    main = tab.get_by_role("main")
    main.get_by_role("button", name="Dark").click()
    expect(tab.locator("html")).to_have_attribute("data-theme", "dark")
    assert tab.evaluate(_GROUND) != light
    main.get_by_role("button", name="System theme").click()
    expect(tab.locator("html")).not_to_have_attribute("data-theme", "dark")
    assert tab.evaluate(_GROUND) == light
    main.get_by_role("link", name="Back").click()
    expect(tab).to_have_url(re.compile("/applications/$"))
