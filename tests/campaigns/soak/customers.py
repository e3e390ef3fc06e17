"""Customers who never stop: each begins applications, changes and removes things, submits, withdraws, deletes."""

import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

from tests.journeys.clients import HttpBrowser

from .shopper import Shopper

_PAGES = ("", "people/", "shares/", "documents/", "status/")


@dataclass
class Customer:
    """One browser that is signed in."""

    base: str
    cookies: dict[str, str]
    products: list[str]
    first: int
    # Held while an application is being worked on.
    busy: threading.Lock = field(default_factory=threading.Lock)
    done: int = 0
    troubles: list[str] = field(default_factory=list)

    def live(self, is_open: threading.Event, is_over: threading.Event, pause: Callable[[], float]) -> None:
        """One application after the other, with a pause of so many seconds between them, until it is over."""
        browser = HttpBrowser(self.base)
        browser.session.cookies.update(self.cookies)
        for number in count(self.first):
            with self.busy:
                if is_open.is_set() and not is_over.is_set():
                    self._try(browser, number)
            if is_over.wait(pause()):
                return

    def _try(self, browser: HttpBrowser, number: int) -> None:
        try:
            self._apply(browser, number)
            self.done += 1
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            self.troubles.append(f"application {number}, {place.name}: {type(error).__name__} {error}"[:500])

    def _apply(self, browser: HttpBrowser, number: int) -> None:
        shopper = Shopper(browser, is_thorough=number // len(self.products) % 2 == 0)
        browser.get("/")
        overview = shopper.start(browser.get(self.products[number % len(self.products)]))
        home = overview.address.split("?")[0]
        shopper.complete(overview)
        for path in _PAGES:
            browser.get(home + path)
        shopper.remove_some(home)
        shopper.complete(overview)
        shopper.finish(overview, home, number)


class Crowd:
    """Customers in threads of this process, each `seconds` after an application on the next one."""

    def __init__(self, customers: list[Customer], *, seconds: float) -> None:
        self.customers, self.seconds = customers, seconds
        self._is_open, self._is_over = threading.Event(), threading.Event()
        self._threads = [threading.Thread(target=self._living(one), daemon=True) for one in customers]

    def _living(self, customer: Customer) -> Callable[[], None]:
        return lambda: customer.live(self._is_open, self._is_over, lambda: self.seconds)

    def __enter__(self) -> "Crowd":
        self._is_open.set()
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        for thread in self._threads:
            thread.join()

    def rest(self) -> None:
        """Until `go_on`, nobody begins an application; those that are being worked on are finished first."""
        self._is_open.clear()
        for customer in self.customers:
            with customer.busy:
                pass

    def go_on(self) -> None:
        """After a rest."""
        self._is_open.set()
