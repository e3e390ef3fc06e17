"""What people set for themselves, on every page of a customer: zoom, spacing, colours, paper, fingers, languages."""

from collections.abc import Iterator
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.conf import settings
from playwright.sync_api import expect

from formation_portal.applications import services
from formation_portal.applications.draft import open_draft
from tests import factories
from tests.documents import sample_files
from tests.journeys.accessibility.barriers import NARROW_AND_DARK, badly_printed, barriers, too_wide
from tests.journeys.accessibility.page_behaviour import moving, too_small
from tests.journeys.browser import TabBrowser
from tests.journeys.conftest import OpenTab
from tests.journeys.drafts import started
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

# Offered for other roles on a button, which may not push the page to the side.
LONG = "Wolfeschlegelsteinhausenbergerdorffwelchevoralternwaren"
_SIDEWAYS = "() => document.documentElement.scrollWidth > document.documentElement.clientWidth"
# A sheet of the reader's own, which the content policy doesn't ask about.
_STYLE = (
    """(css) => { const own = new CSSStyleSheet(); own.replaceSync(css); document.adoptedStyleSheets.push(own); }"""
)
# WCAG 1.4.12, and letters twice as large.
_SPACED = """* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important; }
p { margin-block-end: 2em !important; }"""
_LARGE = "html { font-size: 200% !important; }"
_CUT = """() => [...document.querySelectorAll("main *, header *, footer *")].filter((one) => {
  // What is only heard is cut on purpose.
  for (let at = one; at; at = at.parentElement) if (getComputedStyle(at).clipPath !== "none") return false;
  const {overflow, overflowX, overflowY} = getComputedStyle(one);
  const cuts = [overflow, overflowX, overflowY].some((how) => how === "hidden" || how === "clip");
  return cuts && !one.closest(".visually-hidden, svg") && one.checkVisibility()
    && (one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1);
}).map((one) => one.outerHTML.slice(0, 120))"""
_UNBOUND = """() => [...document.querySelectorAll("main :is(input, select, textarea, button, .button)")]
  .filter((one) => one.type !== "hidden" && one.checkVisibility() && !one.closest(".visually-hidden"))
  .filter((one) => {
    const {borderTopWidth, borderTopStyle, appearance} = getComputedStyle(one);
    const isText = one.matches(".button-plain");
    return !isText && appearance === "none" && (parseFloat(borderTopWidth) < 1 || borderTopStyle === "none");
  }).map((one) => one.outerHTML.slice(0, 120))"""
# References and e-mail addresses that go over the end of a line, though they fit on one.
_BROKEN = r"""() => {
  const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode, room = text.parentElement.closest("p, td, dd, li, h1")?.clientWidth;
    for (const word of text.data.matchAll(/FP-[\w-]+|[\w.+-]+@[\w.-]+\w/g)) {
      const range = document.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const lines = [...range.getClientRects()].filter((one) => one.width);
      const width = lines.reduce((sum, one) => sum + one.width, 0);
      if (new Set(lines.map((one) => Math.round(one.top))).size > 1 && width <= room) found.push(word[0]);
    }
  }
  return found;
}"""
# Firefox prints nothing that stands in a container.
_CONTAINERS = """() => [...document.querySelectorAll("*")]
  .filter((element) => getComputedStyle(element).containerType !== "normal").map(({ tagName }) => tagName)"""
_NOT_PRINTED = ".masthead nav, .footer, .actions, .rail, .filter, .skip-link, .back"

Pages = tuple[Any, list[str]]


@pytest.fixture(scope="module")
def pages(site: str) -> Pages:
    """A customer with an application that has something of everything, and the pages to look at."""
    made, owner = started("bvi-limited-company")
    draft = open_draft(made)
    ada = {"person.first_name": "Ada", "person.last_name": "Byron"}
    party = services.add_party(draft, "person", ["director", "shareholder"], ada, by=owner)
    services.add_party(draft, "person", ["director"], {"person.first_name": LONG}, by=owner)
    rights = {"share_class.name": "Ordinary", "share_class.currency": "USD", "share_class.par_value": "1"}
    share_class = factories.new_share_class(draft, rights, by=owner)
    services.save_holdings(draft, {(party.token, share_class.token): "5,000"}, by=owner)
    row = open_draft(made).party(party.token)
    slot = open_draft(made).form_state.slots(row and row.record)[0]
    file = factories.upload(sample_files.pdf(), "Passport of the person who signs for everybody.pdf")
    services.add_document(draft, row, slot.name, file, by=owner)
    root = f"/applications/{made.reference}/"
    sections = [f"{root}sections/{section.key}/" for section in draft.schema.entity_sections[:2]]
    below = ("", "people/", f"people/{party.token}/", "shares/", "documents/", "check/", "carry-over/", "removal/")
    return owner, ["/", "/products/bvi-limited-company/", "/applications/", *(root + one for one in below), *sections]


def each(browser: TabBrowser, addresses: list[str]) -> Iterator[str]:
    """Open one after another."""
    for address in addresses:
        browser.tab.goto(browser.base + address)
        yield address


def test_no_page_puts_up_a_barrier_scrolls_sideways_or_is_printed_on_empty_sheets(
    open_tab: OpenTab, pages: Pages
) -> None:
    """In one state and view; test_every_page.py looks at all of them."""
    owner, addresses = pages
    browser = open_tab(owner)
    problems: list[str] = []
    for _ in each(browser, [*addresses, "/gallery/"]):
        problems += [*barriers(browser.tab, NARROW_AND_DARK), *too_wide(browser.tab), *badly_printed(browser.tab)]
    assert not problems, "\n".join(problems)


def test_what_customers_press_is_as_large_as_a_finger_and_no_reference_is_broken(
    open_tab: OpenTab, pages: Pages
) -> None:
    owner, addresses = pages
    EmailAddress.objects.filter(user=owner).update(verified=False)
    browser = open_tab(owner, width=320)
    problems: list[str] = []
    for address in each(browser, addresses):
        problems += [f"{address}: too small: {element}" for element in too_small(browser.tab)]
        problems += [f"{address}: broken: {word}" for word in browser.tab.evaluate(_BROKEN)]
    assert not problems, "\n".join(problems)


@pytest.mark.long
def test_nothing_is_cut_or_scrolls_sideways_however_it_is_spaced(open_tab: OpenTab, pages: Pages) -> None:
    """400 % of 1280 px is 320 px; with WCAG's spacing, and with letters twice as large at 640 px (200 %)."""
    owner, addresses = pages
    browser = open_tab(owner, width=320)
    problems = []
    for address in each(browser, addresses):
        for width, css in ((320, ""), (320, _SPACED), (640, _LARGE), (640, _LARGE + _SPACED)):
            browser.tab.set_viewport_size({"width": width, "height": 900})
            browser.tab.evaluate(_STYLE, css)
            if browser.tab.evaluate(_SIDEWAYS):
                problems.append(f"{address} at {width} px scrolls sideways with {css[:30]!r}")
            problems += [f"{address} at {width} px cuts {element}" for element in browser.tab.evaluate(_CUT)]
            browser.tab.evaluate("() => { document.adoptedStyleSheets = []; }")
    assert not problems, "\n".join(problems)


@pytest.mark.long
def test_less_motion_colours_of_the_readers_own_and_paper(open_tab: OpenTab, pages: Pages) -> None:
    owner, addresses = pages
    tab = (browser := open_tab(owner, scheme="dark")).tab
    problems = []
    for address in each(browser, addresses):
        if count := moving(tab):
            problems.append(f"{address}: {count} elements move")
        tab.emulate_media(forced_colors="active")
        problems += [f"{address}: has no edge: {element}" for element in tab.evaluate(_UNBOUND)]
        tab.emulate_media(forced_colors="none", media="print", color_scheme="dark")
        problems += [f"{address}: is printed: {one}" for one in tab.locator(_NOT_PRINTED).all() if one.is_visible()]
        problems += [f"{address}: {element} is a container" for element in tab.evaluate(_CONTAINERS)]
        if tab.evaluate("() => getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)":
            problems.append(f"{address}: is not printed on white")
        tab.emulate_media(media="screen", color_scheme="dark")
    assert not problems, "\n".join(problems)
    tab.emulate_media(reduced_motion="no-preference")
    assert moving(tab) > 0, "the look at what moves sees nothing"


@pytest.mark.long
@pytest.mark.parametrize("language", [code for code, _ in settings.LANGUAGES if code != settings.LANGUAGE_CODE])
def test_no_page_in_another_language_puts_up_a_barrier(open_tab: OpenTab, pages: Pages, language: str) -> None:
    owner, addresses = pages
    browser = open_tab(owner)
    cookie: Any = {"name": settings.LANGUAGE_COOKIE_NAME, "value": language, "url": browser.base}
    browser.tab.context.add_cookies([cookie])
    looks = each(browser, [*addresses, "/accounts/email/"])
    problems = [problem for _ in looks for problem in barriers(browser.tab, NARROW_AND_DARK)]
    assert not problems, "\n".join(problems)


@pytest.mark.long
def test_a_language_chosen_with_script_keeps_what_was_typed(open_tab: OpenTab, pages: Pages) -> None:
    owner, addresses = pages
    browser = open_tab(owner)
    html = browser.tab.locator("html")
    browser.tab.goto(browser.base + addresses[-2])
    name = browser.tab.get_by_label("First choice of name")
    name.fill("Lärkfield Holdings")
    control = browser.tab.locator(f"[name='{name.get_attribute('name')}']")
    browser.tab.get_by_role("button", name="Deutsch").click()
    expect(html).to_have_attribute("lang", "de")
    expect(control).to_have_value("Lärkfield Holdings")

    browser.tab.context.clear_cookies()
    browser.tab.goto(f"{browser.base}/accounts/signup/")
    browser.tab.get_by_label("First name").fill("Zoë")
    browser.tab.locator("[type=password]").fill("a-long-secret")
    browser.tab.get_by_role("button", name="Deutsch").click()
    expect(html).to_have_attribute("lang", "de")
    expect(browser.tab.locator("[name=first_name]")).to_have_value("Zoë")
    expect(browser.tab.locator("[type=password]")).to_have_value("")
