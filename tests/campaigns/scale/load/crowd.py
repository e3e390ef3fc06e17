"""People at work, in threads of this process: the small form of what locust does at its own."""

import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from requests.adapters import HTTPAdapter

from .browser import Failure, ScriptedBrowser
from .people import Agent, Customer, Person
from .promises import Promises


class FromAddress(HTTPAdapter):
    """Connects from an address of its own, as different people do."""

    def __init__(self, address: str) -> None:
        self._source = (address, 0)
        super().__init__()

    def init_poolmanager(self, *args: object, **kwargs: object) -> None:
        super().init_poolmanager(*args, source_address=self._source, **kwargs)


def address_of(number: int) -> str:
    """Of the person with this number, on the loopback network: nobody else has it."""
    return f"127.1.{number // 250}.{number % 250 + 1}"


def browser_of(base: str, number: int, pace: float) -> ScriptedBrowser:
    """The browser of the person with this number."""
    browser = ScriptedBrowser(base, pace=pace)
    browser.session.mount("http://", FromAddress(address_of(number)))
    return browser


@dataclass
class Crowd:
    """Customers and agents; each goes on until it is over, and finishes what was begun."""

    people: list[Person]
    is_over: threading.Event = field(default_factory=threading.Event)

    def run(self, person: Person) -> None:
        """One person's day."""
        try:
            person.sign_in()
            while not self.is_over.is_set():
                worked = person.apply() if isinstance(person, Customer) else person.review()  # type: ignore[attr-defined]
                if not worked:
                    self.is_over.wait(0.5)
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            person.troubles.append(f"{person.email}, {place.name}: {type(error).__name__} {error}"[:2000])

    @property
    def troubles(self) -> list[str]:
        """What people could not bring to an end."""
        return [trouble for person in self.people for trouble in person.troubles]

    @property
    def failures(self) -> list[Failure]:
        """Pages and forms that came to nothing at first."""
        return [failure for person in self.people for failure in person.browser.tally.failures]

    def total(self, name: str) -> int:
        """The sum of a number of all tallies."""
        return sum(getattr(person.browser.tally, name) for person in self.people)


@contextmanager
def at_work(
    base: str,
    promises: Promises,
    *,
    products: list[str],
    customers: int,
    agents: int,
    pace: float = 0.0,
    asks_every: int = 0,
) -> Iterator[Crowd]:
    """They work while the block lasts, `pace` seconds before each page, and then finish what they have begun."""
    people: list[Person] = [
        Customer(
            f"customer{number}@example.com",
            browser_of(base, number, pace),
            promises,
            time.sleep,
            products=products[number % len(products) :] + products[: number % len(products)],
        )
        for number in range(customers)
    ]
    people += [
        Agent(
            f"agent{number}@example.com",
            browser_of(base, 1000 + number, pace),
            promises,
            time.sleep,
            asks_every=asks_every,
        )
        for number in range(agents)
    ]
    crowd = Crowd(people)
    threads = [threading.Thread(target=crowd.run, args=(person,), daemon=True) for person in people]
    for thread in threads:
        thread.start()
    try:
        yield crowd
    finally:
        crowd.is_over.set()
        for thread in threads:
            thread.join()


def promised_in(folder: Path) -> Promises:
    """Where the cluster's people write what they were told."""
    return Promises(folder / "promises")
