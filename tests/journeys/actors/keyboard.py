"""Hands without a pointer: Tab, Space, Enter, arrows and letters, and eyes that look where the focus is.

At each stop it is seen that something shows the focus, that nothing covers it, and that the order is the page's own.
"""

from __future__ import annotations

from typing import Any

from tests.journeys.actors.controls import FOCUSED, Stop
from tests.journeys.actors.interactions import Fits, Hands

_MOST_STOPS = 400
_FORGET = "() => { window.lastStop = null; }"


class Keys(Hands):
    """Somebody at the keys."""

    def press(self, key: str) -> None:
        """One key."""
        self.tab.keyboard.press(key)

    def stop(self) -> Stop | None:
        """Look where the focus is; None where it is nowhere on the page."""
        found: dict[str, Any] | None = self.tab.evaluate(FOCUSED)
        if found is None:
            self.tab.evaluate(_FORGET)
            return None
        stop = Stop(**found)
        self.faults += [f"{self.tab.url}: {stop.tag} {stop.words[:50]!r}: {fault}" for fault in stop.faults()]
        return stop

    def to(self, words: str = "", *, fits: Fits = lambda stop: True) -> Stop:
        around = 0
        for _ in range(_MOST_STOPS):
            self.press("Tab")
            stop = self.stop()
            if stop is None:
                around += 1
                assert around < 3, f"{self.tab.url}: no way by Tab to {words!r}"
            elif stop.is_called(words) and fits(stop):
                return stop
        raise AssertionError(f"{self.tab.url}: a trap, or no way by Tab to {words!r}")

    def is_at(self, words: str) -> bool:
        # The page may have put the focus there, which is no step back.
        self.tab.evaluate(_FORGET)
        stop = self.stop()
        return stop is not None and stop.is_called(words)

    def use(self) -> None:
        stop = self.stop()
        is_box = stop is not None and stop.type in ("checkbox", "radio", "file")
        self.press("Space" if is_box else "Enter")

    def write(self, text: str) -> None:
        self.press("ControlOrMeta+a")
        self.tab.keyboard.type(text)

    def choose(self, label: str) -> None:
        # By first letters, as lists let one.
        self.tab.keyboard.type(label)

    def answer(self, group: str, label: str) -> None:
        stop = self.to(group, fits=lambda stop: stop.type == "radio")
        if not stop.checked:
            self.press("Space")
        for _ in range(20):
            stop = self.stop() or stop
            if stop.words.startswith(label) and stop.checked:
                return
            # Arrows may lead back to the first.
            self.tab.evaluate(_FORGET)
            self.press("ArrowDown")
        raise AssertionError(f"no way by arrows to {label!r} of {group!r}")

    def leave(self) -> None:
        self.press("Tab")

    def look_around(self) -> int:
        """Tab through the whole page until the focus leaves it: no trap."""
        self.tab.evaluate("() => { document.activeElement?.blur(); window.lastStop = null; }")
        for stops in range(_MOST_STOPS):
            self.press("Tab")
            if self.stop() is None:
                return stops
        raise AssertionError(f"{self.tab.url}: the focus never leaves the page")
