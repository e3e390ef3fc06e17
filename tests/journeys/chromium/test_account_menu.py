"""The menu of the account and the display: by keyboard and by pointer, with script and without, wide and narrow."""

import re

import pytest
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


@pytest.mark.parametrize(("has_script", "width"), [(True, 1280), (False, 320)], ids=["script", "no-script-on-a-phone"])
def test_the_menu_opens_and_closes_by_keys_and_pointer_and_a_theme_is_chosen(
    open_tab: OpenTab, has_script: bool, width: int
) -> None:
    browser = open_tab(new_user(), has_script=has_script, width=width)
    browser.get("/applications/")
    tab = browser.tab
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
    button.click()
    assert tab.evaluate(_IS_INSIDE)
    tab.mouse.click(5, 600)
    expect(link).to_be_hidden()

    light = tab.evaluate(_GROUND)
    button.click()
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
