"""The menu of the account, the display and the language, with script and without, wide and narrow."""

import re

import pytest
from playwright.sync_api import Route, expect

from tests.journeys.conftest import OpenTab, new_user
from tests.journeys.drafts import started

_BUTTON = "button[popovertarget=account]"
_GROUND = "() => getComputedStyle(document.body).backgroundColor"
# In a browser that knows no light-dark(), as the oldest that are supported.
PAPER, INK = "rgb(243, 246, 246)", "rgb(20, 34, 43)"
_GROUND_AND_INK = (
    "() => { const { backgroundColor, color } = getComputedStyle(document.body); return [backgroundColor, color]; }"
)
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


@pytest.mark.long
def test_a_language_chosen_with_script_keeps_what_was_typed(open_tab: OpenTab) -> None:
    application, owner = started("bvi-limited-company")
    browser = open_tab(owner)
    tab = browser.tab
    browser.get(f"/applications/{application.reference}/sections/name-and-activities/")
    name = tab.get_by_label("First choice of name")
    name.fill("Lärkfield Holdings")
    control = tab.locator(f"[name='{name.get_attribute('name')}']")
    tab.get_by_role("button", name="Deutsch").click()
    expect(tab.locator("html")).to_have_attribute("lang", "de")
    expect(control).to_have_value("Lärkfield Holdings")

    tab.context.clear_cookies()
    browser.get("/accounts/signup/")
    tab.get_by_label("First name").fill("Zoë")
    tab.locator("[type=password]").fill("a-long-secret")
    tab.get_by_role("button", name="Deutsch").click()
    expect(tab.locator("html")).to_have_attribute("lang", "de")
    expect(tab.locator("[name=first_name]")).to_have_value("Zoë")
    expect(tab.locator("[type=password]")).to_have_value("")


def without_light_dark(route: Route) -> None:
    """Give the browser a function of another name."""
    response = route.fetch()
    route.fulfill(response=response, body=response.text().replace("light-dark(", "not-known("))


def test_a_browser_without_light_dark_gets_the_light_colours(open_tab: OpenTab) -> None:
    browser = open_tab(None, scheme="dark")
    browser.tab.route("**/*.css", without_light_dark)
    browser.tab.goto(f"{browser.base}/help/")
    assert browser.tab.evaluate(_GROUND_AND_INK) == [PAPER, INK]
