"""Hands without a pointer: Tab, Shift, Space, Enter, arrows and letters, and eyes that look where the focus is.

At each stop it is seen that something shows the focus, that nothing covers it, and that the order is the page's own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Page as Tab

from tests.journeys.browser import TabBrowser

_MOST_STOPS = 400
# What stands around the focus. A control that is drawn by what is around it shows the ring there.
_LOOK = """() => {
  const at = document.activeElement;
  if (!at || at === document.body) return null;
  const ringed = [at, at.closest(".choice"), at.closest("label")].filter(Boolean);
  const rings = ringed.some((one) => {
    const {outlineStyle, outlineWidth} = getComputedStyle(one);
    return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
  });
  const box = at.getBoundingClientRect();
  const inside = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
  const x = Math.min(Math.max(box.left + box.width / 2, 1), innerWidth - 1);
  const y = Math.min(Math.max(box.top + Math.min(box.height / 2, 20), 1), innerHeight - 1);
  const over = document.elementFromPoint(x, y);
  const covered = !over || !(at.contains(over) || over.contains(at) || ringed.some((one) => one.contains(over)));
  const last = window.lastStop;
  const isForward = !last || !last.isConnected
    || Boolean(last.compareDocumentPosition(at) & Node.DOCUMENT_POSITION_FOLLOWING) || last === at;
  window.lastStop = at;
  const named = (at.getAttribute("aria-labelledby") ?? "").split(" ").filter(Boolean)
    .map((id) => document.getElementById(id)?.textContent);
  const group = at.closest("fieldset")?.querySelector("legend")?.textContent;
  const own = [at.getAttribute("aria-label"), ...named, ...[...(at.labels ?? [])].map((one) => one.textContent)];
  const words = [...own, ["BUTTON", "A", "SUMMARY"].includes(at.tagName) ? at.textContent : ""];
  return {
    tag: at.tagName.toLowerCase(), type: at.type ?? "", id: at.id, name: at.name ?? "", group: group ?? "",
    words: words.filter(Boolean).join(" ").replace(/\\s+/g, " ").trim(), checked: Boolean(at.checked),
    rings, inside, covered, isForward,
  };
}"""


@dataclass(frozen=True)
class Stop:
    """Where the focus is."""

    tag: str
    type: str
    id: str
    name: str
    group: str
    words: str
    checked: bool
    rings: bool
    inside: bool
    covered: bool
    isForward: bool  # noqa: N815  the script's own word


class Hands:
    """Somebody at the keys. What is wrong with a stop is kept in `faults`; presses are counted."""

    def __init__(self, browser: TabBrowser) -> None:
        self.browser = browser
        self.tab: Tab = browser.tab
        self.faults: list[str] = []
        self.presses = 0
        self.fields = 0

    def press(self, key: str) -> None:
        """One key."""
        self.presses += 1
        self.tab.keyboard.press(key)

    def type(self, text: str) -> None:
        """Letters into what has the focus."""
        self.fields += 1
        self.tab.keyboard.type(text)

    def stop(self) -> Stop | None:
        """Look where the focus is; None where it is nowhere on the page."""
        found: dict[str, Any] | None = self.tab.evaluate(_LOOK)
        if found is None:
            self.tab.evaluate("() => { window.lastStop = null; }")
            return None
        stop = Stop(**found)
        where = f"{self.tab.url}: {stop.tag} {stop.words[:50]!r}"
        if not stop.rings and stop.id != "main":
            self.faults.append(f"{where}: nothing shows the focus")
        if not stop.inside:
            self.faults.append(f"{where}: the focus is out of sight")
        if stop.covered:
            self.faults.append(f"{where}: something covers it")
        if not stop.isForward:
            self.faults.append(f"{where}: comes before what had the focus")
        return stop

    def to(self, words: str = "", *, fits: Callable[[Stop], bool] = lambda stop: True) -> Stop:
        """Tab on until the focus is at something of these words; around the page once at most."""
        around = 0
        for _ in range(_MOST_STOPS):
            self.press("Tab")
            stop = self.stop()
            if stop is None:
                around += 1
                assert around < 3, f"{self.tab.url}: no way by Tab to {words!r}"
            elif words.lower() in f"{stop.group} {stop.words}".lower() and fits(stop):
                return stop
        raise AssertionError(f"{self.tab.url}: a trap, or no way by Tab to {words!r}")

    def field(self, words: str, text: str) -> None:
        """Go to a text field and type into it."""
        self.to(words, fits=lambda stop: stop.tag in ("input", "textarea") and stop.type not in ("radio", "checkbox"))
        self.press("ControlOrMeta+a")
        self.type(text)

    def pick(self, words: str, label: str) -> None:
        """Go to a list and choose by its first letters, as lists let one."""
        self.to(words, fits=lambda stop: stop.tag == "select")
        self.type(label)

    def answer(self, group: str, label: str) -> None:
        """Go to a group of radio buttons and choose one by arrows."""
        stop = self.to(group, fits=lambda stop: stop.type == "radio")
        if not stop.checked:
            self.press("Space")
        for _ in range(20):
            stop = self.stop() or stop
            if stop.words.startswith(label) and stop.checked:
                self.fields += 1
                return
            # Arrows may lead back to the first.
            self.tab.evaluate("() => { window.lastStop = null; }")
            self.press("ArrowDown")
        raise AssertionError(f"no way by arrows to {label!r} of {group!r}")

    def tick(self, words: str) -> None:
        """Go to a box and tick it."""
        self.to(words, fits=lambda stop: stop.type == "checkbox")
        self.press("Space")
        self.fields += 1

    def follow(self, words: str) -> None:
        """Go to a link or button and press it; a page follows."""
        self.to(words, fits=lambda stop: stop.tag in ("a", "button"))
        self.presses += 1
        with self.tab.expect_navigation():
            self.tab.keyboard.press("Enter")

    def choose_file(self, words: str, file: dict[str, Any]) -> None:
        """Go to where a file is chosen, and choose one; the window that opens is the system's own."""
        self.to(words, fits=lambda stop: stop.type == "file")
        self.presses += 1
        with self.tab.expect_file_chooser() as chooser:
            self.tab.keyboard.press("Space")
        chooser.value.set_files(file)  # type: ignore[arg-type]
        self.fields += 1

    def go_around(self) -> int:
        """Tab through the whole page until the focus leaves it: no trap. Gives the number of stops."""
        self.tab.evaluate("() => { document.activeElement?.blur(); window.lastStop = null; }")
        for stops in range(_MOST_STOPS):
            self.press("Tab")
            if self.stop() is None:
                return stops
        raise AssertionError(f"{self.tab.url}: the focus never leaves the page")
