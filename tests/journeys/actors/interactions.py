"""What somebody does on a page, in the same words for a pointer and for the keyboard alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Download, ElementHandle, expect
from playwright.sync_api import Page as Tab

from tests.journeys.actors.controls import FOCUSED, OFFERED, FocusableControl
from tests.journeys.browser import IS_TOO_WIDE, TabBrowser

Matches = Callable[[FocusableControl], bool]
_MOST_TAB_PRESSES = 400
_FORGET_LAST_FOCUS = "() => { window.lastFocused = null; }"


class Interactions(ABC):
    """What is wrong with a page for this way of using it is kept in `faults`, so that a journey goes on to its end."""

    def __init__(self, browser: TabBrowser) -> None:
        self.browser = browser
        self.tab: Tab = browser.tab
        self.faults: list[str] = []

    # How each way of using a page does it.

    @abstractmethod
    def move_to(self, words: str = "", *, matches: Matches = lambda control: True) -> FocusableControl:
        """Go to the next control with these words; around the page once at most."""

    def has_focus(self, words: str) -> bool:
        return False

    @abstractmethod
    def activate(self) -> None: ...

    @abstractmethod
    def type_text(self, text: str) -> None: ...

    @abstractmethod
    def choose_radio(self, group: str, label: str) -> None:
        """Choose one of a group of radio buttons, by the beginning of its label."""

    @abstractmethod
    def leave_field(self) -> None: ...

    @abstractmethod
    def visit_all_controls(self) -> int: ...

    # What is done by these.

    def go(self, address: str) -> None:
        self.browser.get(address)
        self._arrive()

    def fill(self, words: str, text: str) -> None:
        self.move_to(words, matches=lambda control: control.is_text)
        self.type_text(text)

    def check(self, words: str, *, matches: Matches = lambda control: not control.checked) -> None:
        self.move_to(words, matches=lambda control: control.type == "checkbox" and matches(control))
        self.activate()

    def follow(self, words: str) -> None:
        self.move_to(words, matches=lambda control: control.is_link_or_button)
        with self.tab.expect_navigation():
            self.activate()
        self._arrive()

    def press(self, words: str) -> None:
        if not self.has_focus(words):
            self.move_to(words, matches=lambda control: control.is_link_or_button)
        self.activate()

    def expand(self, words: str) -> None:
        self.move_to(words, matches=lambda control: control.tag == "summary")
        self.activate()

    def download(self, words: str) -> Download:
        self.move_to(words, matches=lambda control: control.is_link_or_button)
        with self.tab.expect_download() as download:
            self.activate()
        return download.value

    def choose_file(self, words: str, file: Any) -> None:
        self.move_to(words, matches=lambda control: control.type == "file")
        with self.tab.expect_file_chooser() as chooser:
            self.activate()
        chooser.value.set_files(file)

    def update(self, button: str) -> None:
        """The page follows what was typed or chosen: by itself where script runs, elsewhere by its button."""
        if self.browser.has_script:
            self.leave_field()
            self.browser.settle()
        else:
            self.follow(button)

    def expect_text(self, words: str) -> None:
        expect(self.tab.get_by_text(words).filter(visible=True).first).to_be_visible()

    def expect_heading(self, words: str) -> None:
        expect(self.tab.locator("h1")).to_contain_text(words)

    def _arrive(self) -> None:
        if self.tab.evaluate(IS_TOO_WIDE):
            self.faults.append(f"{self.tab.url}: scrolls sideways")


class Keyboard(Interactions):
    """Keys alone. At each control something shows the focus, nothing covers it, and the order is the page's."""

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
        self.tab.evaluate("() => { document.activeElement?.blur(); window.lastFocused = null; }")
        for count in range(_MOST_TAB_PRESSES):
            self.press_key("Tab")
            if self.focused_control() is None:
                return count
        raise AssertionError(f"{self.tab.url}: the focus never leaves the page")


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
