"""Locust's side: customers and agents as its users. Started by `load.py`; knows from the environment whom there are.

It loads nothing of the portal: what it knows, it reads from pages.
"""

import json
import os
import time
import traceback
from itertools import count
from pathlib import Path
from typing import Any

from gevent.lock import Semaphore
from locust import HttpUser, between, events, task
from locust.exception import StopUser

from tests.campaigns.scale.load.browser import ScriptedBrowser
from tests.campaigns.scale.load.crowd import FromAddress, address_of
from tests.campaigns.scale.load.people import Agent, Customer, Person
from tests.campaigns.scale.load.promises import Promises

_ASKED: dict[str, Any] = json.loads(os.environ["SCALE_LOAD"])
_FOLDER = Path(_ASKED["folder"])
_PROMISES = Promises(_FOLDER / "promises")
_PEOPLE: list[Person] = []
_SAMPLES = (_FOLDER / "samples").open("a", buffering=1 << 16)
_WRITING = Semaphore()


class _User(HttpUser):
    """One person. What they have begun is finished before locust ends (`--stop-timeout`)."""

    abstract = True
    wait_time = between(*_ASKED["pauses"])
    person: Person

    def browser(self, number: int) -> ScriptedBrowser:
        # One line in locust's statistics: addresses hold references, of which there is no end.
        self.client.request_name = "page"
        self.client.mount("http://", FromAddress(address_of(number)))
        return ScriptedBrowser(self.host, session=self.client, pace=_ASKED["pace"])

    def on_start(self) -> None:
        _PEOPLE.append(self.person)
        self._try(self.person.sign_in)

    def _try(self, what: Any) -> Any:
        try:
            return what()
        except StopUser:
            raise
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            self.person.troubles.append(f"{self.person.email}, {place.name}: {type(error).__name__} {error}"[:2000])
        return None


class CustomerUser(_User):
    fixed_count = _ASKED["customers"]
    _numbers = count()

    def on_start(self) -> None:
        number, products = next(self._numbers), _ASKED["products"]
        start = number % len(products)
        self.person = Customer(
            f"customer{number}@example.com",
            self.browser(number),
            _PROMISES,
            time.sleep,
            products=products[start:] + products[:start],
            is_thorough=number % 2 == 0,
        )
        super().on_start()

    @task
    def apply(self) -> None:
        self._try(self.person.apply)


class AgentUser(_User):
    fixed_count = _ASKED["agents"]
    _numbers = count()

    def on_start(self) -> None:
        number = next(self._numbers)
        email = f"agent{number}@example.com"
        self.person = Agent(email, self.browser(1000 + number), _PROMISES, time.sleep, asks_every=_ASKED["asks_every"])
        super().on_start()

    @task
    def review(self) -> None:
        self._try(self.person.review)


@events.request.add_listener
def keep(request_type: str, response_time: float, response: Any, **_: Any) -> None:
    """A line a request: when it ended, how long it took in ms, and what came of it."""
    status = getattr(response, "status_code", 0)
    with _WRITING:
        _SAMPLES.write(f"{time.time():.3f} {request_type} {response_time:.1f} {status}\n")


@events.quit.add_listener
def report(**_: Any) -> None:
    """What people have met, once all have finished."""
    _SAMPLES.close()
    tallies = [person.browser.tally for person in _PEOPLE]
    found = {
        "troubles": [trouble for person in _PEOPLE for trouble in person.troubles],
        "failures": [[one.at, one.what, one.answer] for tally in tallies for one in tally.failures],
        **{name: sum(getattr(one, name) for one in tallies) for name in ("requests", "saves", "repeated")},
        "done": sum(person.done for person in _PEOPLE),
    }
    (_FOLDER / "load.json").write_text(json.dumps(found))
