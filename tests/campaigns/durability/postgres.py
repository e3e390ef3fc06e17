"""kill -9 of PostgreSQL while customers save: the portal's own web server and worker run on through all of it."""

import random
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import requests
from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import connections
from django.test import Client

from formation_portal.applications.models import Change
from formation_portal.relay.models import Delivery, DeliveryState
from formation_portal.service.catalog.loader import store_catalog
from tests import factories
from tests.management.served import READY, Served, free_port
from tests.markup import Markup
from tests.process_table import descendants
from tests.scratch_postgres import Cluster
from tests.waiting import wait_until

from . import Result

_CUSTOMERS = 3
_TOKEN, _NAME = "csrfmiddlewaretoken", "q:name"
_LONGEST_ANSWER_SECONDS = 30


class Customer(threading.Thread):
    """Saves one page again and again over HTTP, and sends the form that an outage's page offers.

    What was answered with success counts as acknowledged. Anything that isn't success or an honest 503 is odd.
    """

    def __init__(self, page: str, cookies: dict[str, str]) -> None:
        super().__init__(daemon=True)
        self.page = page
        self.acknowledged: list[int] = []
        self.outages = self.formless = 0
        self.odd: list[str] = []
        self.last_success = 0.0
        self._is_over = threading.Event()
        self._session = requests.Session()
        self._session.cookies.update(cookies)

    def stop(self) -> None:
        self._is_over.set()
        self.join()

    def run(self) -> None:
        """Type a number into the company's name, save it, and go on to the next."""
        number, state = 0, self._state()
        while not self._is_over.is_set():
            number += 1
            if self._until_saved({**state, _NAME: f"Larkfield {number}"}):
                self.acknowledged.append(number)
                self.last_success = time.monotonic()
                state |= {"version": str(int(state["version"]) + 1)}
            else:
                state = self._state()

    def _state(self) -> dict[str, str]:
        """Return what the page itself posts, once it can be read: its token, and the version it was made from."""
        while not self._is_over.is_set():
            answer = self._session.get(self.page, timeout=_LONGEST_ANSWER_SECONDS)
            if answer.status_code == 200:
                page = Markup(answer.text)
                return {name: page.all("input", name=name)[0].attributes["value"] for name in (_TOKEN, "version")}
        return {_TOKEN: "", "version": "0"}

    def _until_saved(self, form: dict[str, Any]) -> bool:
        """Send it, and what the page of the outage offers instead, until it is saved; False where it can't be."""
        typed = form[_NAME]
        while not self._is_over.is_set():
            try:
                answer = self._session.post(
                    self.page, data=form, allow_redirects=False, timeout=_LONGEST_ANSWER_SECONDS
                )
            except requests.RequestException as error:
                self.odd.append(type(error).__name__)
                continue
            if answer.status_code == 302:
                return True
            if answer.status_code != 503:
                self.odd.append(str(answer.status_code))
                return False
            self.outages += 1
            form = self._offered(answer.text) or form
            self.formless += form[_NAME] != [typed]
            # As often as an impatient person.
            self._is_over.wait(0.05)
        return False

    def _offered(self, html: str) -> dict[str, Any]:
        page = Markup(html)
        if "We can’t reach our records" not in page.one("main").text:
            self.odd.append("503 in other words")
            return {}
        form: dict[str, Any] = {_TOKEN: page.one("input", name=_TOKEN).attributes["value"]}
        for area in page.all("textarea"):
            form.setdefault(area.attributes["name"], []).append(area.text.removeprefix("\n"))
        return form

    def lost(self) -> int:
        """Return how many acknowledged saves the history does not know: later ones can't hide that."""
        reference = self.page.split("/applications/")[1].split("/")[0]
        history = Change.objects.filter(application__reference=reference)
        kept = {one["after"] for change in history for one in change.changes if one["field"] == "entity.name"}
        return sum(f"Larkfield {number}" not in kept for number in self.acknowledged)


def killed_postmasters(cluster: Cluster, folder: Path, *, times: int, seed: int) -> Iterator[Result]:
    """Lines for so many kills. The goal for `back_slowest_seconds` is 5."""
    served = Served(folder, free_port(), {"DJANGO_SETTINGS_MODULE": "tests.campaigns.durability.settings"}).start()
    try:
        served.until(READY)
        yield from _kills(cluster, served, times=times, dice=random.Random(seed))
    finally:
        served.end(signal.SIGTERM)


def _kills(cluster: Cluster, served: Served, *, times: int, dice: random.Random) -> Iterator[Result]:
    customers = _customers(f"http://127.0.0.1:{served.port}")
    before = set(descendants(served.process.pid))
    for customer in customers:
        customer.start()
    back = []
    for _ in range(times):
        wait_until(lambda: all(customer.acknowledged for customer in customers))
        time.sleep(dice.uniform(0, 1))
        back.append(_kill_and_start(cluster, customers))
    for customer in customers:
        customer.stop()
    connections.close_all()
    yield "postgres_kills", times
    yield "postgres_acknowledged", sum(len(customer.acknowledged) for customer in customers)
    yield "postgres_lost", sum(customer.lost() for customer in customers)
    yield "postgres_pages_503", sum(customer.outages for customer in customers)
    yield "postgres_pages_503_without_form", sum(customer.formless for customer in customers)
    yield "postgres_odd_answers", " ".join(odd for customer in customers for odd in customer.odd) or 0
    yield "postgres_back_slowest_seconds", round(max(back), 2)
    # What the worker has not brought to the service, after as long as it takes it.
    left = Delivery.objects.exclude(state=DeliveryState.DONE)
    with suppress(AssertionError):
        wait_until(lambda: not left.exists())
    yield "postgres_not_delivered", left.count()
    yield "postgres_processes_replaced", len(before - set(descendants(served.process.pid)))


def _kill_and_start(cluster: Cluster, customers: list[Customer]) -> float:
    """Return the seconds from the moment at which the database takes connections until every customer has saved."""
    outages = [customer.outages for customer in customers]
    cluster.kill()
    wait_until(lambda: all(customer.outages > before for customer, before in zip(customers, outages, strict=True)))
    cluster.start()
    began = time.monotonic()
    wait_until(lambda: all(customer.last_success > began for customer in customers))
    return max(customer.last_success for customer in customers) - began


def _customers(address: str) -> list[Customer]:
    # The server has stored its own catalog when it began.
    store_catalog([factories.ITEM])
    owner = get_user_model().objects.get(email="demo@example.com")
    client = Client()
    client.force_login(owner, backend=settings.AUTHENTICATION_BACKENDS[0])
    cookies = {settings.SESSION_COOKIE_NAME: client.cookies[settings.SESSION_COOKIE_NAME].value}
    references = [factories.new_draft(owner).application.reference for _ in range(_CUSTOMERS)]
    return [Customer(f"{address}/applications/{one}/sections/the-company/", cookies) for one in references]
