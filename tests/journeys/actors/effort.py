"""What a task costs a person: pages opened, buttons and links pressed, questions answered, minutes."""

from __future__ import annotations

from dataclasses import dataclass

from tests.journeys.actors.generic_client import is_update_button
from tests.journeys.clients import NO_FILES, Browser, Files
from tests.journeys.page import Button, Form, Page

# Seconds for each, after the keystroke-level model: to find and press; to read what is asked, recall and type it, in
# however many parts; to read it and choose; to see what a new page is. Generous, since nobody does this twice.
_PRESS, _FIELD, _CHOICE, _PAGE, _FILE = 2.5, 9.0, 5.0, 3.0, 15.0


@dataclass
class Effort:
    """How much was done."""

    presses: int = 0
    fields: int = 0
    choices: int = 0
    pages: int = 0
    files: int = 0

    @property
    def minutes(self) -> float:
        """How long that takes somebody who has everything at hand."""
        answers = self.fields * _FIELD + self.choices * _CHOICE
        return (self.presses * _PRESS + answers + self.pages * _PAGE + self.files * _FILE) / 60


class CountingBrowser:
    """A browser that counts what is done with it. To open a page is a press, but where the last press has led there;
    what it held already is no field."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._current_address = ""
        self.effort = Effort()

    @property
    def page(self) -> Page:
        """The page that stands there."""
        return self._browser.get(self._current_address)

    def get(self, address: str) -> Page:
        """Follow a link, unless that page stands there already."""
        page = self._browser.get(address)
        if page.address != self._current_address:
            self.effort.presses += 1
            self.effort.pages += 1
        self._current_address = page.address
        return page

    def send(self, form: Form, button: Button, *, files: Files = NO_FILES, follow: bool = True) -> Page:
        """Fill in and press. With script a file goes, and questions follow a choice, without one."""
        changed = [one for one in form.controls if one.filled != one.found and any(one.filled)]
        typed = {_question(one.name) for one in changed if not one.options}
        self.effort.fields += len(typed)
        self.effort.choices += len({_question(one.name) for one in changed} - typed)
        page = self._browser.send(form, button, files=files)
        self.effort.files += len(files)
        if not files and not is_update_button(button):
            self.effort.presses += 1
            self.effort.pages += 1
            self._current_address = page.address
        return page


def _question(control: str) -> str:
    """The question that a control belongs to: `q:` and its key, also where it is answered in parts."""
    return ":".join(control.split(":")[:2]) if control.startswith("q:") else control
