"""People at work on a portal, in threads of this process, until their day is over."""

import random
import re
import threading
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Self
from urllib.parse import urlsplit

from tests.journeys.actors.generic_client import GenericClient, SentFile, small_pdf
from tests.journeys.clients import HttpBrowser
from tests.journeys.page import Button, Control, Form, Page

_AGAIN_SECONDS = 2.0
_MOST_TRIES = 100


class Applicant(GenericClient):
    """Fills in one application. A file that can't be taken at present is sent again, as the page asks for."""

    # Every so many files one is so large that it goes through the disk on its way.
    large_every, large_size = 3, 300_000

    def complete(self, overview: Page) -> None:
        check = self._get(overview.link("Check your answers"))
        for _ in range(_MOST_TRIES):
            if not check.needs:
                return
            self._resolve(check.needs)
            check = self._get(check.address)
        raise AssertionError(f"still needed: {check.needs}")

    def _upload_one(self, form: Form, control: Control, button: Button) -> None:
        number = len(self.sent)
        content = small_pdf(number, size=0 if number % self.large_every else self.large_size)
        for _ in range(_MOST_TRIES):
            page = self.browser.send(form, button, files={control.name: ("paper.pdf", content)}, follow=False)
            if page.status != 422:
                break
            time.sleep(_AGAIN_SECONDS)
        self._checked(page)
        values = (*form.fixed, (button.name, button.value))
        self.sent.append(SentFile(form.action, values, control.words, "paper.pdf", sha256(content).hexdigest()))


class Shopper(Applicant):
    """Changes its mind: removes answers, fills them in again, and may delete or withdraw the whole application."""

    large_every, large_size = 4, 3_000_000

    def remove_some(self, home: str) -> None:
        for form in self._get(f"{home}documents/").forms:
            if urlsplit(form.buttons[0].action).path.endswith("/removal/"):
                self._send(form, form.buttons[0], follow=False)
                break
        links = [address for _, address in self._get(f"{home}people/").links()]
        person = next((address for address in links if re.search(r"/people/(?!new/)[^/]+/$", address)), None)
        if person:
            self._press(f"{person}removal/")
            # The person who comes in their place is given the whole again.
            self._shared_out.clear()

    def finish(self, overview: Page, home: str, number: int) -> None:
        """Delete every third, withdraw every third once it is submitted, and leave every third with the team."""
        if number % 3 == 0:
            self._press(f"{home}removal/")
            return
        self.submit(overview)
        if number % 3 == 1:
            self._press(f"{home}withdrawal/")

    def _press(self, address: str) -> None:
        form = next(form for form in self._get(address).forms if form.method == "post")
        self._send(form, form.buttons[0], follow=False)


@dataclass
class Person:
    """Somebody at a browser of their own. `done` counts what was brought to its end, `troubles` what wasn't."""

    name: str
    browser: HttpBrowser
    done: int = 0
    troubles: list[str] = field(default_factory=list)

    def begin(self) -> None:
        """Do what comes before all work, such as signing in."""

    def work(self) -> None:
        raise NotImplementedError


class Crowd:
    """Everybody works while the block lasts, with a pause of so many seconds after each piece of work, and then
    finishes what was begun; with `finishes=False` whatever fails after the block is no trouble."""

    def __init__(self, people: Sequence[Person], *, pauses: tuple[float, float], finishes: bool = True) -> None:
        self.people, self.pauses, self._finishes = people, pauses, finishes
        self.is_over, self._is_open = threading.Event(), threading.Event()
        self._threads = [threading.Thread(target=self._live, args=(person,), daemon=True) for person in people]
        # Held while something is being worked on.
        self._busy = {person.name: threading.Lock() for person in people}

    def __enter__(self) -> Self:
        self.go_on()
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, error: object, *_: object) -> None:
        self.is_over.set()
        # A run that is broken off waits for nobody.
        for thread in self._threads if error is None else ():
            thread.join()

    def rest(self) -> None:
        """Until `go_on`, nobody begins anything; what is being worked on is finished first."""
        self._is_open.clear()
        for busy in self._busy.values():
            with busy:
                pass

    def go_on(self) -> None:
        self._is_open.set()

    @property
    def done(self) -> int:
        return sum(person.done for person in self.people)

    @property
    def troubles(self) -> list[str]:
        return [trouble for person in self.people for trouble in person.troubles]

    def total(self, name: str) -> Any:
        """Return the sum of one figure of all browsers, or all that they have in one list."""
        totals = [getattr(person.browser, name) for person in self.people]
        return sum(totals[1:], start=totals[0])

    def _live(self, person: Person) -> None:
        self._try(person, person.begin)
        while not self.is_over.wait(random.uniform(*self.pauses)):
            with self._busy[person.name]:
                if self._is_open.is_set() and not self.is_over.is_set():
                    self._try(person, person.work)

    def _try(self, person: Person, work: Any) -> None:
        try:
            work()
        except Exception as error:
            if self._finishes or not self.is_over.is_set():
                place = traceback.extract_tb(error.__traceback__)[-1]
                person.troubles.append(f"{person.name}, {place.name}: {type(error).__name__} {error}"[:2000])
