"""One run: somebody types fast into a page, tabs on, and chooses, while answers come late and out of step."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest, HttpResponse
from playwright.sync_api import Page as Tab

from tests.journeys.browser import TabBrowser

SHORTEST_MS, LONGEST_MS = 50, 800


class Late:
    """Middleware, outermost: what script posts is answered after 50 to 800 ms."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response
        self._chance = random.Random(int(os.environ.get("CAMPAIGN_SEED", "1")))

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        if request.headers.get("HX-Request"):
            time.sleep(self._chance.uniform(SHORTEST_MS, LONGEST_MS) / 1000)
        return response


_STEPS = 8
_LETTERS = "abcdefghijklmnopqrstuvwxyzäöåéßø ABCDEFGHIJKLMNOPQRSTUVWXYZ '-,."

# Around every update of the page: what has the focus, where its caret stands, what it holds, and where it is seen.
_WATCH = """() => {
  const state = () => {
    const at = document.activeElement;
    const caret = (() => { try { return [at.selectionStart, at.selectionEnd]; } catch { return []; } })();
    return {at, value: at.value, caret: String(caret), x: scrollX, top: at.getBoundingClientRect().top};
  };
  window.moved = [];
  window.updates = 0;
  let before = null;
  for (const name of ["htmx:beforeOnLoad", "htmx:before:swap"])
    document.addEventListener(name, () => { before = state(); }, true);
  for (const name of ["htmx:afterOnLoad", "htmx:after:swap"])
    document.addEventListener(name, () => {
      if (!before) return;
      window.updates += 1;
      const was = before, after = state();
      const compare = (now, ...keys) => {
        for (const key of keys)
          if (was[key] !== now[key])
            window.moved.push(`${key} of ${was.at.id || was.at.tagName}: ${was[key]} became ${now[key]}`);
      };
      compare(after, "at", "value", "caret", "x");
      /* Where it is seen next; by then somebody may have gone elsewhere, or typed what grows its box. */
      requestAnimationFrame(() => {
        const seen = state();
        if (seen.at === after.at && seen.value === after.value) compare(seen, "top");
      });
      before = null;
    });
}"""
_SEEN = "(one) => !one.closest('[hidden]') && one.checkVisibility()"
_TEXTS = f"""() => [...document.querySelectorAll(
  "main input:is([type=text], [type=tel], [type=email], :not([type])), main textarea")]
  .filter((one) => one.id && ({_SEEN})(one)).map((one) => one.id)"""
# One choice by its number, as a press of Space makes it; whether there is any.
_CHOOSE = f"""(number) => {{
  const boxes = [...document.querySelectorAll("main :is([type=radio], [type=checkbox])")]
    .filter((one) => ({_SEEN})(one) && one.name.startsWith("q:"));
  const box = boxes[number % boxes.length];
  box?.focus();
  box?.click();
  return Boolean(box);
}}"""
_VALUES = "(ids) => ids.map((id) => document.getElementById(id)?.value ?? null)"


@dataclass
class Tally:
    runs: int = 0
    characters: int = 0
    updates: int = 0
    lost: int = 0
    moved: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def figures(self) -> dict[str, int]:
        return {
            "runs": self.runs,
            "characters": self.characters,
            "updates": self.updates,
            "lost_characters": self.lost,
            "moved": len(self.moved),
        }


def run(browser: TabBrowser, address: str, chance: random.Random, tally: Tally) -> None:
    """Type, tab and choose on the page of an address; then compare what it holds, and what was saved."""
    tab = browser.tab
    tab.goto(browser.base + address)
    tab.evaluate(_WATCH)
    typed: dict[str, str] = {}
    for _ in range(_STEPS):
        if chance.random() < 0.3 and tab.evaluate(_CHOOSE, chance.randrange(1000)):
            continue
        if texts := tab.evaluate(_TEXTS):
            _type(tab, chance.choice(texts), chance, typed)
    tab.keyboard.press("Tab")
    tally.characters += sum(map(len, typed.values()))
    _compare(tab, typed, tally, f"{address} at once")
    _settle(browser)
    _compare(tab, typed, tally, f"{address} in the end")
    tally.updates += tab.evaluate("() => window.updates")
    tally.moved += [f"{address}: {one}" for one in tab.evaluate("() => window.moved")]
    tab.reload()
    _compare(tab, typed, tally, f"{address} as saved")
    tally.runs += 1


def _type(tab: Tab, name: str, chance: random.Random, typed: dict[str, str]) -> None:
    """Replace what is there, letter by letter; then on by Tab, or away with the caret set back and a letter between."""
    text = "".join(chance.choices(_LETTERS, k=chance.randrange(4, 24))).strip() or "a"
    tab.evaluate("(id) => { const one = document.getElementById(id); one.focus(); one.select(); }", name)
    tab.keyboard.type(text, delay=chance.choice((0, 0, 10, 25)))
    if chance.random() < 0.3:
        tab.keyboard.press("ArrowLeft")
        tab.keyboard.type("x")
        text = f"{text[:-1]}x{text[-1]}"
    else:
        tab.keyboard.press("Tab")
    typed[name] = text


def _settle(browser: TabBrowser) -> None:
    for _ in range(3):
        browser.settle()


def _compare(tab: Tab, typed: dict[str, str], tally: Tally, when: str) -> None:
    found: list[Any] = tab.evaluate(_VALUES, list(typed))
    for (name, text), value in zip(typed.items(), found, strict=True):
        if value is None or value.strip() != text.strip():
            tally.lost += max(1, len(text) - len(value or ""))
            tally.wrong.append(f"{when}: {name} holds {value!r} for {text!r}")
