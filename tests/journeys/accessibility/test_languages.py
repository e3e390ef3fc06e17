"""Long words and the other direction: nothing scrolls sideways, nothing lies over anything else."""

from typing import Any

import pytest
from django.conf import settings
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from tests.journeys.accessibility.barriers import barriers
from tests.journeys.accessibility.test_user_preferences import _SIDEWAYS, each, pages
from tests.journeys.conftest import OpenTab
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, pytest.mark.long, needed("Chromium", has_chromium())]

__all__ = ["pages"]

# What is too wide, named by the elements that stand out on either side.
_STANDING_OUT = """() => [...document.querySelectorAll("body *")].filter((one) => {
  const box = one.getBoundingClientRect(), width = document.documentElement.clientWidth;
  return one.checkVisibility() && box.width && !one.closest(".visually-hidden, .skip-link, .scroll")
    && (box.right > width + 1 || box.left < -1);
}).map((one) => one.outerHTML.slice(0, 100)).slice(0, 3)"""
# Pairs of texts and controls that lie over each other by more than lines that touch.
_OVERLAPS = """() => {
  const drawn = [...document.querySelectorAll("main *, header *, footer *")].filter((one) =>
    one.checkVisibility() && getComputedStyle(one).clipPath === "none"
      && !one.closest(".visually-hidden, svg, option, .scroll table, .sticky"));
  const boxes = drawn.flatMap((one) => {
    if (one.matches("input:not([type=hidden]), select, textarea")) return [[one, one.getBoundingClientRect()]];
    return [...one.childNodes].filter((node) => node.nodeType === 3 && node.textContent.trim()).flatMap((node) => {
      const range = document.createRange();
      range.selectNodeContents(node);
      return [...range.getClientRects()].map((box) => [one, box]);
    });
  }).filter(([, box]) => box.width > 2 && box.height > 2);
  const found = new Set();
  for (const [place, [one, box]] of boxes.entries()) for (const [other, next] of boxes.slice(place + 1)) {
    if (one === other || one.contains(other) || other.contains(one)) continue;
    const across = Math.min(box.right, next.right) - Math.max(box.left, next.left);
    const down = Math.min(box.bottom, next.bottom) - Math.max(box.top, next.top);
    if (across > 4 && down > 0.5 * Math.min(box.height, next.height))
      found.add(`${one.textContent.trim().slice(0, 30)} / ${other.textContent.trim().slice(0, 30)}`);
  }
  return [...found];
}"""
_TURN = "() => { document.documentElement.dir = 'rtl'; }"


def read_in(tab: Tab, base: str, language: str) -> None:
    tab.context.add_cookies([{"name": settings.LANGUAGE_COOKIE_NAME, "value": language, "url": base}])


@pytest.mark.parametrize("language", [code for code, _ in settings.LANGUAGES if code != settings.LANGUAGE_CODE])
def test_long_words_fit_the_narrowest_screen(open_tab: OpenTab, pages: Any, language: str) -> None:
    owner, addresses = pages
    browser = open_tab(owner, width=320)
    read_in(browser.tab, browser.base, language)
    wrong = [
        f"{address}: {browser.tab.evaluate(_STANDING_OUT)}"
        for address in each(browser.tab, browser.base, [*addresses, "/accounts/email/"])
        if browser.tab.evaluate(_SIDEWAYS)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("width", [320, 1280])
def test_from_right_to_left_nothing_overlaps_or_scrolls_sideways(open_tab: OpenTab, pages: Any, width: int) -> None:
    owner, addresses = pages
    browser = open_tab(owner, width=width)
    wrong = []
    for address in each(browser.tab, browser.base, [*addresses, "/accounts/email/"]):
        before = set(browser.tab.evaluate(_OVERLAPS))
        browser.tab.evaluate(_TURN)
        if browser.tab.evaluate(_SIDEWAYS):
            wrong.append(f"{address} scrolls sideways: {browser.tab.evaluate(_STANDING_OUT)}")
        wrong += [f"{address}: {pair}" for pair in set(browser.tab.evaluate(_OVERLAPS)) - before]
    assert not wrong, "\n".join(wrong)


def test_a_language_chosen_with_script_keeps_what_was_typed(open_tab: OpenTab, pages: Any) -> None:
    owner, addresses = pages
    browser = open_tab(owner)
    browser.tab.goto(browser.base + addresses[-2])
    name = browser.tab.get_by_label("First choice of name")
    name.fill("Lärkfield Holdings")
    question = name.get_attribute("name")
    browser.tab.get_by_role("button", name="Deutsch").click()
    expect(browser.tab.locator("html")).to_have_attribute("lang", "de")
    assert browser.tab.locator(f"[name='{question}']").input_value() == "Lärkfield Holdings"


def test_a_language_chosen_with_script_keeps_a_form_that_saves_nothing(open_tab: OpenTab, site: str) -> None:
    browser = open_tab(None)
    browser.tab.goto(f"{browser.base}/accounts/signup/")
    browser.tab.get_by_label("First name").fill("Zoë")
    browser.tab.locator("[type=password]").fill("a-long-secret")
    browser.tab.get_by_role("button", name="Deutsch").click()
    expect(browser.tab.locator("html")).to_have_attribute("lang", "de")
    assert browser.tab.locator("[name=first_name]").input_value() == "Zoë"
    assert browser.tab.locator("[type=password]").input_value() == ""
    browser.tab.goto(f"{browser.base}/")
    filter_ = browser.tab.locator("#filter select").first
    chosen = filter_.locator("option").nth(1).get_attribute("value")
    filter_.select_option(chosen)
    browser.tab.wait_for_url(f"**={chosen}*")
    browser.tab.get_by_role("button", name="Français").click()
    expect(browser.tab.locator("html")).to_have_attribute("lang", "fr")
    assert browser.tab.locator("#filter select").first.input_value() == chosen


def test_a_page_in_another_language_puts_up_no_barrier(open_tab: OpenTab, pages: Any) -> None:
    owner, addresses = pages
    browser = open_tab(owner)
    read_in(browser.tab, browser.base, "de")
    found = [one for _ in each(browser.tab, browser.base, addresses) for one in barriers(browser.tab)]
    assert not found, "\n".join(found)
