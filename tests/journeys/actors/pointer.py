"""Hands with a pointer: they press what they see, where it is, and type into what they have pressed."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import ElementHandle

from tests.journeys.actors.controls import OFFERED, Stop
from tests.journeys.actors.interactions import Fits, Hands


class Pointer(Hands):
    """Somebody with a mouse or a finger."""

    at: ElementHandle

    def offered(self) -> list[Stop]:
        """All that can be pressed or filled in, from what was pressed last onwards."""
        found: list[dict[str, Any]] = self.tab.evaluate(OFFERED)
        return [Stop(**one) for one in found]

    def to(self, words: str = "", *, fits: Fits = lambda stop: True) -> Stop:
        for place, stop in enumerate(self.offered()):
            if stop.is_called(words) and fits(stop):
                found = self.tab.evaluate_handle("(place) => window.offered[place]", place).as_element()
                assert found is not None
                self.at = found
                return stop
        raise AssertionError(f"{self.tab.url}: nothing to press is called {words!r}")

    def use(self) -> None:
        self.at.click()

    def write(self, text: str) -> None:
        self.at.click()
        self.at.fill(text)

    def choose(self, label: str) -> None:
        labels = self.at.evaluate("(list) => [...list.options].map((one) => one.label)")
        self.at.select_option(label=next(one for one in labels if one.startswith(label)))

    def answer(self, group: str, label: str) -> None:
        self.to(group, fits=lambda stop: stop.type == "radio" and stop.words.startswith(label))
        self.use()

    def leave(self) -> None:
        self.tab.evaluate("() => document.activeElement?.blur()")

    def look_around(self) -> int:
        return len(self.offered())
