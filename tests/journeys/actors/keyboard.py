"""Interactions by keyboard alone: Tab, Space, Enter, arrows and letters.

At each control it is checked that something shows the focus, that nothing covers it, and that the order is the page's.
"""

from __future__ import annotations

from typing import Any

from tests.journeys.actors.controls import FOCUSED, FocusableControl
from tests.journeys.actors.interactions import Interactions, Matches

_MOST_TAB_PRESSES = 400
_FORGET_LAST_FOCUS = "() => { window.lastFocused = null; }"


class Keyboard(Interactions):
    def press_key(self, key: str) -> None:
        self.tab.keyboard.press(key)

    def focused_control(self) -> FocusableControl | None:
        """Look where the focus is; None where it is nowhere on the page."""
        found: dict[str, Any] | None = self.tab.evaluate(FOCUSED)
        if found is None:
            self.tab.evaluate(_FORGET_LAST_FOCUS)
            return None
        control = FocusableControl(**found)
        self.faults += [f"{self.tab.url}: {control.tag} {control.words[:50]!r}: {fault}" for fault in control.faults()]
        return control

    def move_to(self, words: str = "", *, matches: Matches = lambda control: True) -> FocusableControl:
        around = 0
        for _ in range(_MOST_TAB_PRESSES):
            self.press_key("Tab")
            control = self.focused_control()
            if control is None:
                around += 1
                assert around < 3, f"{self.tab.url}: no way by Tab to {words!r}"
            elif control.is_called(words) and matches(control):
                return control
        raise AssertionError(f"{self.tab.url}: a trap, or no way by Tab to {words!r}")

    def has_focus(self, words: str) -> bool:
        # The page may have put the focus there, which is no step back.
        self.tab.evaluate(_FORGET_LAST_FOCUS)
        control = self.focused_control()
        return control is not None and control.is_called(words)

    def activate(self) -> None:
        control = self.focused_control()
        is_box = control is not None and control.type in ("checkbox", "radio", "file")
        self.press_key("Space" if is_box else "Enter")

    def type_text(self, text: str) -> None:
        self.press_key("ControlOrMeta+a")
        self.tab.keyboard.type(text)

    def choose_radio(self, group: str, label: str) -> None:
        control = self.move_to(group, matches=lambda control: control.type == "radio")
        if not control.checked:
            self.press_key("Space")
        for _ in range(20):
            control = self.focused_control() or control
            if control.words.startswith(label) and control.checked:
                return
            # Arrows may lead back to the first.
            self.tab.evaluate(_FORGET_LAST_FOCUS)
            self.press_key("ArrowDown")
        raise AssertionError(f"no way by arrows to {label!r} of {group!r}")

    def leave_field(self) -> None:
        self.press_key("Tab")

    def visit_all_controls(self) -> int:
        """Tab through the whole page until the focus leaves it: no trap."""
        self.tab.evaluate("() => { document.activeElement?.blur(); window.lastFocused = null; }")
        for count in range(_MOST_TAB_PRESSES):
            self.press_key("Tab")
            if self.focused_control() is None:
                return count
        raise AssertionError(f"{self.tab.url}: the focus never leaves the page")
