"""Interactions with a pointer: what can be seen is pressed where it is, and then typed into."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import ElementHandle

from tests.journeys.actors.controls import OFFERED, FocusableControl
from tests.journeys.actors.interactions import Interactions, Matches


class Pointer(Interactions):
    at: ElementHandle

    def offered(self) -> list[FocusableControl]:
        """All that can be pressed or filled in, from what was pressed last onwards."""
        found: list[dict[str, Any]] = self.tab.evaluate(OFFERED)
        return [FocusableControl(**one) for one in found]

    def move_to(self, words: str = "", *, matches: Matches = lambda control: True) -> FocusableControl:
        for place, control in enumerate(self.offered()):
            if control.is_called(words) and matches(control):
                found = self.tab.evaluate_handle("(place) => window.offered[place]", place).as_element()
                assert found is not None
                self.at = found
                return control
        raise AssertionError(f"{self.tab.url}: nothing to press is called {words!r}")

    def activate(self) -> None:
        self.at.click()

    def type_text(self, text: str) -> None:
        self.at.click()
        self.at.fill(text)

    def choose_radio(self, group: str, label: str) -> None:
        self.move_to(group, matches=lambda control: control.type == "radio" and control.words.startswith(label))
        self.activate()

    def leave_field(self) -> None:
        self.tab.evaluate("() => document.activeElement?.blur()")

    def visit_all_controls(self) -> int:
        return len(self.offered())
