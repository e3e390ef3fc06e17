"""How any page behaves: for fingers, while it loads, with larger letters, in the reader's colours, and on paper."""

from __future__ import annotations

from collections.abc import Iterator

from playwright.sync_api import Page as Tab

from tests.journeys.browser import IS_TOO_WIDE

MOST_SHIFT = 0.02
# Goal 19: what customers press, and what agents press.
CUSTOMERS, AGENTS = 44, 24

# A link within a sentence may be as high as its line (WCAG 2.5.5); a box is pressed by the label around it.
_SMALL = """(least) => [...document.querySelectorAll(
  "main :is(a, button, input, select, textarea, summary), header :is(a, button), footer :is(a, button)")]
  .filter((one) => one.type !== "hidden" && one.checkVisibility() && !one.closest(".visually-hidden"))
  .filter((one) => {
    const words = (element) => element.textContent.replace(/\\s+/g, " ").trim();
    const around = one.closest("p, li, dd, td, th, label, div");
    // An address is kept whole on its line, and stands in its sentence all the same.
    const isInline = getComputedStyle(one).display === "inline" || one.matches('[href^="mailto:"]');
    const isInSentence = one.tagName === "A" && isInline
      && words(around).length > words(one).length + 3;
    if (isInSentence) return false;
    const target = (["radio", "checkbox"].includes(one.type) && one.closest("label")) || one;
    const boxes = [target, ...target.querySelectorAll("*")].map((part) => part.getBoundingClientRect());
    const after = getComputedStyle(one, "::after");
    const coversRow = after.position === "absolute" && after.content !== "none";
    const height = Math.max(...boxes.map((box) => box.height)), width = Math.max(...boxes.map((box) => box.width));
    return !coversRow && (height < least - 0.5 || width < 24);
  }).map((one) => {
    const box = one.getBoundingClientRect();
    return `${Math.round(box.width)} x ${Math.round(box.height)}: ${one.outerHTML.slice(0, 110)}`;
  })"""
_MOVING = """() => [...document.querySelectorAll("*")].filter((one) => {
  const {transitionDuration, animationName, scrollBehavior} = getComputedStyle(one);
  return transitionDuration.split(", ").some((time) => parseFloat(time) > 0) || animationName !== "none"
    || scrollBehavior === "smooth";
}).length + document.getAnimations().length"""
# Since the page began to load, but for the half second after each press, as browsers count it.
_SHIFTED = """() => new Promise((done) => {
  let shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) shift += entry.value;
  }).observe({type: "layout-shift", buffered: true});
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(shift))));
})"""
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
  // A picture has no words, and the text of an input scrolls.
  return cuts && !one.closest(".visually-hidden, svg") && !one.matches("img, input") && one.checkVisibility()
    && (one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1);
}).map((one) => one.outerHTML.slice(0, 120))"""
_UNBOUND = """() => [...document.querySelectorAll("main :is(input, select, textarea, button, .button)")]
  .filter((one) => one.type !== "hidden" && one.checkVisibility() && !one.closest(".visually-hidden"))
  .filter((one) => {
    const {borderTopWidth, borderTopStyle, appearance} = getComputedStyle(one);
    const isText = one.matches(".button-plain");
    return !isText && appearance === "none" && (parseFloat(borderTopWidth) < 1 || borderTopStyle === "none");
  }).map((one) => one.outerHTML.slice(0, 120))"""
# Firefox prints nothing that stands in a container.
_CONTAINERS = """() => [...document.querySelectorAll("*")]
  .filter((element) => getComputedStyle(element).containerType !== "normal").map(({ tagName }) => tagName)"""
_NOT_PRINTED = ".masthead nav, .footer, .actions, .rail, .filter, .skip-link, .back"


def too_small(tab: Tab, *, least: int = CUSTOMERS) -> list[str]:
    found: list[str] = tab.evaluate(_SMALL, least)
    return found


def moving(tab: Tab) -> int:
    """How many elements move, or would when something about them changes."""
    return int(tab.evaluate(_MOVING))


def shifted(tab: Tab) -> float:
    return float(tab.evaluate(_SHIFTED))


def broken_words(tab: Tab) -> list[str]:
    found: list[str] = tab.evaluate(_BROKEN)
    return found


def behaviour_problems(tab: Tab, *, least: int) -> Iterator[str]:
    """What is wrong with how the page behaves as it stands; for a tab of whoever wants less motion."""
    yield from (f"too small to press: {one}" for one in too_small(tab, least=least))
    if count := moving(tab):
        yield f"{count} elements move"


def cut_when_spaced(tab: Tab) -> Iterator[str]:
    """At 400 % of 1280 px, 320 px; with WCAG's spacing, and with letters twice as large at 640 px (200 %)."""
    for width, css in ((320, ""), (320, _SPACED), (640, _LARGE), (640, _LARGE + _SPACED)):
        tab.set_viewport_size({"width": width, "height": 900})
        tab.evaluate(_STYLE, css)
        if tab.evaluate(IS_TOO_WIDE):
            yield f"at {width} px scrolls sideways with {css[:30]!r}"
        yield from (f"at {width} px cuts {element}" for element in tab.evaluate(_CUT))
        tab.evaluate("() => { document.adoptedStyleSheets = []; }")


def lost_on_paper_and_in_other_colours(tab: Tab) -> Iterator[str]:
    """Controls without an edge in the reader's colours, and what is printed in vain or on a dark ground."""
    tab.emulate_media(forced_colors="active")
    yield from (f"has no edge: {element}" for element in tab.evaluate(_UNBOUND))
    tab.emulate_media(forced_colors="none", media="print", color_scheme="dark")
    yield from (f"is printed: {part}" for part in tab.locator(_NOT_PRINTED).all() if part.is_visible())
    yield from (f"{element} is a container" for element in tab.evaluate(_CONTAINERS))
    if tab.evaluate("() => getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)":
        yield "is not printed on white"
    tab.emulate_media(media="screen")
