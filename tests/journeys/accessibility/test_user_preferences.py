"""What people set for themselves: zoom, spacing, less motion, colours of their own, paper, and fingers."""

from collections.abc import Iterator
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from playwright.sync_api import Page as Tab

from formation_portal.applications import services
from formation_portal.applications.draft import open_draft
from tests import factories
from tests.documents import sample_files
from tests.journeys.accessibility.barriers import badly_printed, too_wide
from tests.journeys.accessibility.page_behaviour import moving, too_small
from tests.journeys.chromium.test_questions import started
from tests.journeys.conftest import OpenTab, new_user
from tests.journeys.page_states.documents import upload_document
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
_NOT_PRINTED = ".masthead nav, .footer, .actions, .rail, .filter, .skip-link, .back"


@pytest.fixture
def pages(site: str) -> tuple[Any, list[str]]:
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
    upload_document(draft, party, slot.name, sample_files.pdf(), "Passport of the person who signs for everybody.pdf")
    root = f"/applications/{made.reference}/"
    sections = [f"{root}sections/{section.key}/" for section in draft.schema.entity_sections[:2]]
    below = ("", "people/", f"people/{party.token}/", "shares/", "documents/", "check/", "carry-over/", "removal/")
    return owner, ["/", "/products/bvi-limited-company/", "/applications/", *(root + one for one in below), *sections]


def each(tab: Tab, base: str, addresses: list[str]) -> Iterator[str]:
    """Open one after another."""
    for address in addresses:
        tab.goto(base + address)
        yield address


@pytest.mark.long
def test_nothing_is_cut_or_scrolls_sideways_however_it_is_spaced(
    open_tab: OpenTab, pages: tuple[Any, list[str]]
) -> None:
    """400 % of 1280 px is 320 px; with WCAG's spacing, and with letters twice as large at 640 px (200 %)."""
    owner, addresses = pages
    browser = open_tab(owner, width=320)
    wrong = []
    for address in each(browser.tab, browser.base, addresses):
        for width, css in ((320, ""), (320, _SPACED), (640, _LARGE), (640, _LARGE + _SPACED)):
            browser.tab.set_viewport_size({"width": width, "height": 900})
            browser.tab.evaluate(f"({_STYLE})('')" if not css else _STYLE, css)
            if browser.tab.evaluate(_SIDEWAYS):
                wrong.append(f"{address} at {width} px scrolls sideways with {css[:30]!r}")
            wrong += [f"{address} at {width} px cuts {one}" for one in browser.tab.evaluate(_CUT)]
            browser.tab.evaluate("() => { document.adoptedStyleSheets = []; }")
    assert not wrong, "\n".join(wrong)


def test_no_page_scrolls_sideways_with_larger_text_and_none_is_printed_on_empty_sheets(
    open_tab: OpenTab, pages: tuple[Any, list[str]]
) -> None:
    """Every other page and state is looked at so by the walks of test_barriers.py."""
    owner, addresses = pages
    browser = open_tab(owner)
    wrong = []
    for _ in each(browser.tab, browser.base, addresses):
        wrong += [*too_wide(browser.tab), *badly_printed(browser.tab)]
    assert not wrong, "\n".join(wrong)


def test_what_can_be_done_with_a_share_class_is_in_sight_on_a_phone(
    open_tab: OpenTab, pages: tuple[Any, list[str]]
) -> None:
    owner, addresses = pages
    browser = open_tab(owner, width=390)
    [address] = [one for one in addresses if one.endswith("/shares/")]
    browser.tab.goto(browser.base + address)
    region = browser.tab.locator(".scroll").first.bounding_box()
    assert region is not None
    for name in ("Edit Ordinary", "Remove Ordinary"):
        link = browser.tab.get_by_role("link", name=name, exact=True).bounding_box()
        assert link is not None
        assert region["x"] <= link["x"]
        assert link["x"] + link["width"] <= min(region["x"] + region["width"], 390)


@pytest.mark.parametrize("width", [320, 390])
def test_no_reference_or_address_is_broken_that_fits_on_a_line(
    open_tab: OpenTab, pages: tuple[Any, list[str]], width: int
) -> None:
    owner, addresses = pages
    EmailAddress.objects.filter(user=owner).update(verified=False)
    browser = open_tab(owner, width=width)
    wanted = [one for one in addresses if one.endswith(("/people/", "/shares/", "/check/")) or one == "/applications/"]
    broken = {one: found for one in each(browser.tab, browser.base, wanted) if (found := browser.tab.evaluate(_BROKEN))}
    assert broken == {}


def test_the_order_of_the_queue_can_be_read_on_a_small_phone(open_tab: OpenTab) -> None:
    browser = open_tab(new_user(is_agent=True), width=320)
    browser.get("/desk/")
    wide = browser.tab.locator("select[name=sort]").evaluate(
        """(list) => {
          const style = getComputedStyle(list), pen = document.createElement("canvas").getContext("2d");
          pen.font = style.font;
          const text = pen.measureText(list.selectedOptions[0].label).width;
          // The browser's own mark that it opens takes about so much.
          const around = parseFloat(style.paddingInlineStart) + parseFloat(style.paddingInlineEnd) + 20;
          return list.clientWidth - around - text;
        }"""
    )
    assert wide >= 0


def test_a_list_keeps_its_distance_from_what_follows(open_tab: OpenTab) -> None:
    browser = open_tab(None)
    browser.get("/products/bvi-limited-company/")
    effort, questions = (browser.tab.locator(one).bounding_box() for one in ("#effort", ".questions"))
    assert effort is not None
    assert questions is not None
    assert questions["y"] - effort["y"] - effort["height"] >= 12


@pytest.mark.parametrize("width", [320, pytest.param(1280, marks=pytest.mark.long)])
def test_what_customers_press_is_as_large_as_a_finger(
    open_tab: OpenTab, pages: tuple[Any, list[str]], width: int
) -> None:
    owner, addresses = pages
    browser = open_tab(owner, width=width)
    small = [
        f"{address}: {one}" for address in each(browser.tab, browser.base, addresses) for one in too_small(browser.tab)
    ]
    assert not small, "\n".join(small)


@pytest.mark.long
def test_nothing_moves_for_those_who_want_no_motion(open_tab: OpenTab, pages: tuple[Any, list[str]]) -> None:
    owner, addresses = pages
    browser = open_tab(owner)
    found = {address: count for address in each(browser.tab, browser.base, addresses) if (count := moving(browser.tab))}
    assert found == {}
    browser.tab.emulate_media(reduced_motion="no-preference")
    assert moving(browser.tab) > 0, "the look at what moves sees nothing"


@pytest.mark.long
def test_controls_keep_their_edges_in_colours_of_the_readers_own(
    open_tab: OpenTab, pages: tuple[Any, list[str]]
) -> None:
    owner, addresses = pages
    browser = open_tab(owner)
    browser.tab.emulate_media(forced_colors="active")
    unbound = [
        f"{address}: {one}"
        for address in each(browser.tab, browser.base, addresses)
        for one in browser.tab.evaluate(_UNBOUND)
    ]
    assert not unbound, "\n".join(unbound)


@pytest.mark.long
def test_paper_carries_what_was_answered_and_nothing_to_press(open_tab: OpenTab, pages: tuple[Any, list[str]]) -> None:
    owner, addresses = pages
    browser = open_tab(owner, scheme="dark")
    browser.tab.emulate_media(media="print", color_scheme="dark")
    for address in each(browser.tab, browser.base, addresses):
        shown = browser.tab.locator(_NOT_PRINTED)
        assert [one for one in shown.all() if one.is_visible()] == [], address
        assert browser.tab.locator("h1").is_visible(), address
        ground = browser.tab.evaluate("() => getComputedStyle(document.body).backgroundColor")
        assert ground == "rgb(255, 255, 255)", address
