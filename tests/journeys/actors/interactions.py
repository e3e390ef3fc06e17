"""Somebody before a page: what hands do there, told alike for those with a pointer and those with keys alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Download, expect
from playwright.sync_api import Page as Tab

from tests.journeys.actors.controls import Stop
from tests.journeys.browser import TabBrowser

Fits = Callable[[Stop], bool]
_IS_TOO_WIDE = "() => document.documentElement.scrollWidth > document.documentElement.clientWidth"


class Hands(ABC):
    """What is wrong with a page for these hands is kept in `faults`, so that a journey goes on to its end."""

    def __init__(self, browser: TabBrowser) -> None:
        self.browser = browser
        self.tab: Tab = browser.tab
        self.faults: list[str] = []

    # How these hands do it.

    @abstractmethod
    def to(self, words: str = "", *, fits: Fits = lambda stop: True) -> Stop:
        """Go to something of these words, from where one is; around the page once at most."""

    def is_at(self, words: str) -> bool:
        """Whether one is at something of these words without having gone there."""
        return False

    @abstractmethod
    def use(self) -> None:
        """Press what one is at: a link, a button, a summary, a box, or where a file is chosen."""

    @abstractmethod
    def write(self, text: str) -> None:
        """Replace what is in the field."""

    @abstractmethod
    def choose(self, label: str) -> None:
        """Choose from the list by the beginning of a label."""

    @abstractmethod
    def answer(self, group: str, label: str) -> None:
        """Choose one of a group of radio buttons, by the beginning of its label."""

    @abstractmethod
    def leave(self) -> None:
        """Leave the field, so that the page knows what was typed."""

    @abstractmethod
    def look_around(self) -> int:
        """Go through all that the page offers; gives how much it is."""

    # What is done with them.

    def go(self, address: str) -> None:
        """Open a page by its address."""
        self.browser.get(address)
        self._arrive()

    def field(self, words: str, text: str) -> None:
        """Type into a field."""
        self.to(words, fits=lambda stop: stop.is_text)
        self.write(text)

    def pick(self, words: str, label: str) -> None:
        """Choose from a list."""
        self.to(words, fits=lambda stop: stop.tag == "select")
        self.choose(label)

    def tick(self, words: str, *, fits: Fits = lambda stop: not stop.checked) -> None:
        """Tick a box."""
        self.to(words, fits=lambda stop: stop.type == "checkbox" and fits(stop))
        self.use()

    def follow(self, words: str) -> None:
        """Press a link or a button; a page follows."""
        self.to(words, fits=lambda stop: stop.is_way)
        with self.tab.expect_navigation():
            self.use()
        self._arrive()

    def press_on(self, words: str) -> None:
        """Press a button that changes something on the page, also one that has the focus already."""
        if not self.is_at(words):
            self.to(words, fits=lambda stop: stop.is_way)
        self.use()

    def unfold(self, words: str) -> None:
        """Open what stands behind a summary."""
        self.to(words, fits=lambda stop: stop.tag == "summary")
        self.use()

    def download(self, words: str) -> Download:
        """Press a link that leads to a file."""
        self.to(words, fits=lambda stop: stop.is_way)
        with self.tab.expect_download() as download:
            self.use()
        return download.value

    def choose_file(self, words: str, file: Any) -> None:
        """Choose a file; the window that opens is the system's own."""
        self.to(words, fits=lambda stop: stop.type == "file")
        with self.tab.expect_file_chooser() as chooser:
            self.use()
        chooser.value.set_files(file)

    def update(self, button: str) -> None:
        """The page follows what was typed or chosen: by itself where script runs, elsewhere by its button."""
        if self.browser.has_script:
            self.leave()
            self.browser.settle()
        else:
            self.follow(button)

    def see(self, words: str) -> None:
        """These words can be read."""
        expect(self.tab.get_by_text(words).filter(visible=True).first).to_be_visible()

    def see_heading(self, words: str) -> None:
        """The page is called so."""
        expect(self.tab.locator("h1")).to_contain_text(words)

    def see_nowhere(self, words: str) -> None:
        """These words can't be read, or not any more."""
        expect(self.tab.get_by_text(words).filter(visible=True)).to_have_count(0)

    def _arrive(self) -> None:
        if self.tab.evaluate(_IS_TOO_WIDE):
            self.faults.append(f"{self.tab.url}: scrolls sideways")
