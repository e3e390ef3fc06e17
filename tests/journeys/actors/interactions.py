"""What somebody does on a page, in the same words for a pointer and for the keyboard."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Download, expect
from playwright.sync_api import Page as Tab

from tests.journeys.actors.controls import FocusableControl
from tests.journeys.browser import TabBrowser

Matches = Callable[[FocusableControl], bool]
_IS_TOO_WIDE = "() => document.documentElement.scrollWidth > document.documentElement.clientWidth"


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
        """Whether a control with these words has the focus already."""
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
    def visit_all_controls(self) -> int:
        """Go through all that the page offers; gives how much it is."""

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
        """Press a link or a button; a page follows."""
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
        """Choose a file; the window that opens is the system's own."""
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
        if self.tab.evaluate(_IS_TOO_WIDE):
            self.faults.append(f"{self.tab.url}: scrolls sideways")
