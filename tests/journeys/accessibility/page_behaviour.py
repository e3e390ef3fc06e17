"""How any page behaves: targets as large as a finger, and nothing that moves by itself."""

from __future__ import annotations

from collections.abc import Iterator

from playwright.sync_api import Page as Tab

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


def too_small(tab: Tab, *, least: int = CUSTOMERS) -> list[str]:
    """What there is to press that is lower than that."""
    found: list[str] = tab.evaluate(_SMALL, least)
    return found


def moving(tab: Tab) -> int:
    """How many elements move, or would when something about them changes."""
    return int(tab.evaluate(_MOVING))


def shifted(tab: Tab) -> float:
    """How far things have moved by themselves since the page began to load."""
    return float(tab.evaluate(_SHIFTED))


def behaviour_problems(tab: Tab, *, least: int) -> Iterator[str]:
    """What is wrong with how the page behaves as it stands; for a tab of whoever wants less motion."""
    yield from (f"too small to press: {one}" for one in too_small(tab, least=least))
    if count := moving(tab):
        yield f"{count} elements move"
