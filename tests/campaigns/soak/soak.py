"""One soak from start to end: warm up, look at rest, keep everybody busy, look at rest again."""

import json
import os
import random
import threading
import time
from argparse import Namespace
from collections import deque
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from io import StringIO
from multiprocessing import Pipe
from pathlib import Path

import requests
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import OutputWrapper
from django.test import Client
from django.urls import get_resolver, reverse

from formation_portal.accounts import addresses
from formation_portal.applications.models import Document
from formation_portal.gateway.catalog import read_products
from formation_portal.management.commands.setup_portal import prepare
from formation_portal.relay.models import Attempt, Delivery, DeliveryState
from formation_portal.relay.service_profile import EMBEDDED_CAPABILITIES, update_profile
from formation_portal.service.auth import portal_key
from formation_portal.service.catalog.loader import read_catalog
from formation_portal.service.models import Document as ServiceDocument
from tests.campaigns.crowd import Crowd, Person, Shopper
from tests.campaigns.environment import Ports
from tests.campaigns.faults import comparison, proxy
from tests.campaigns.faults.processes import Processes, process_group, relay, serve_site
from tests.journeys.clients import HttpBrowser
from tests.service import fault_plan
from tests.service.fault_injection import inject_faults
from tests.waiting import wait_until

from .report import Moment, Report, Sample, sample

WORKERS = 2
# What leaves nothing behind by itself. A killed process is begun anew, and what it leaked is gone.
_AT_THE_SERVICE = (fault_plan.ERROR_BEFORE, fault_plan.ERROR_AFTER, fault_plan.TOO_MANY, fault_plan.BROKEN_JSON)
_ON_THE_WIRE = (proxy.ANSWER_LOST, proxy.CUT_BODY, proxy.SLOW_DRIP)
# More than either web server has threads, so that afterwards each of them has begun.
_AT_ONCE = 24
_SAMPLE_SECONDS = 10.0
# A tenth of the time goes by before anything is compared. Customers hardly pause meanwhile, so that by then every
# thread has done everything that there is to do, as much at once as there ever will be, and has the memory it takes.
_WARM_UP, _HASTE_SECONDS = 0.1, 0.5
# The portal keeps what it has read and drawn of each product, so that every customer must have met all of them by then,
# however long it takes on a machine that has much else to do.
_PRODUCTS = 4
# Seconds that what was begun may take to come to rest, and by which idle connections have ended.
_PATIENCE, _KEPT_ALIVE = 180.0, 5.0
_PAGES = ("", "people/", "shares/", "documents/", "status/")
# Enough for every call that may still be repeated.
_REMEMBERED = 1000


class Customer(Person):
    """Begins applications, changes and removes things, submits, withdraws, deletes."""

    browser: HttpBrowser

    def __init__(self, number: int, browser: HttpBrowser, products: list[str]) -> None:
        super().__init__(f"customer {number}", browser)
        self._products, self._number = products, number

    def work(self) -> None:
        number, self._number = self._number, self._number + 1
        shopper = Shopper(self.browser, is_thorough=number // len(self._products) % 2 == 0)
        self.browser.get("/")
        overview = shopper.start(self.browser.get(self._products[number % len(self._products)]))
        home = overview.address.split("?")[0]
        shopper.complete(overview)
        for path in _PAGES:
            self.browser.get(home + path)
        shopper.remove_some(home)
        shopper.complete(overview)
        shopper.finish(overview, home, number)
        self.done += 1


class Share:
    """A share of the documented POSTs goes wrong by chance, and none goes wrong twice. Each fault is a line in the
    log."""

    def __init__(self, share: float, *, kinds: tuple[str, ...], ledger: Path) -> None:
        self._share, self._kinds, self._ledger = share, kinds, ledger
        self._spoilt: deque[str] = deque(maxlen=_REMEMBERED)
        self._lock = threading.Lock()

    def draw(self, endpoint: str, key: str) -> str | None:
        with self._lock:
            if key in self._spoilt or random.random() >= self._share:
                return None
            self._spoilt.append(key)
            kind = random.choice(self._kinds)
            with self._ledger.open("a") as ledger:
                ledger.write(f"{kind} {endpoint}\n")
            return kind

    def kills_before(self, endpoint: str) -> bool:
        """Nobody is killed: a process that starts anew has forgotten what it leaked."""
        return False


class Soak:
    """`faults` of the documented POSTs go wrong; `rate` applications are begun in a minute, by all customers."""

    def __init__(self, ports: Ports, folder: Path, asked: Namespace) -> None:
        self._ports, self._folder, self._share = ports, folder, asked.faults
        self._number_of_customers = asked.customers
        self._seconds = asked.minutes * 60
        # An application takes some seconds by itself.
        self._between = asked.customers * 60 / asked.rate
        self._ledger = folder / "faults"
        # Nothing is ever ordered; the proxy listens all the same.
        self._orders_read, self._orders = Pipe(duplex=False)
        self._peaks: dict[str, int] = {}
        self._troubles: list[str] = []

    def run(self) -> Report:
        prepare(OutputWrapper(StringIO()))
        settings.FORMATION_SERVICE_KEY = portal_key()
        update_profile(can_edit=True, capabilities=EMBEDDED_CAPABILITIES)
        # Loaded once, before the forks, instead of in each process.
        assert get_resolver().url_patterns
        customers = [self._customer(number) for number in range(self._number_of_customers)]
        with process_group() as processes:
            self._start(processes)
            self._warm_up(customers[0])
            with Crowd(customers, pauses=(_HASTE_SECONDS, _HASTE_SECONDS)) as crowd:
                self._watch(processes, self._seconds * _WARM_UP)
                while crowd.done + len(crowd.troubles) < self._first_applications():
                    self._watch(processes, _SAMPLE_SECONDS)
                start = self._at_rest(crowd, processes)
                crowd.pauses = (self._between, self._between)
                crowd.go_on()
                self._watch(processes, self._seconds * (1 - _WARM_UP))
                end = self._at_rest(crowd, processes)
        return Report(
            start=start,
            end=end,
            peaks=self._peaks,
            applications=crowd.done,
            calls=Attempt.objects.count(),
            faults=len(self._ledger.read_text().splitlines()) if self._ledger.exists() else 0,
            held=Delivery.objects.filter(state=DeliveryState.HELD).count(),
            troubles=[*self._troubles, *crowd.troubles],
        )

    def _first_applications(self) -> float:
        return min(_PRODUCTS * self._number_of_customers, self._seconds / _SAMPLE_SECONDS)

    def _customer(self, number: int) -> Customer:
        person = get_user_model().objects.create_user(
            f"customer{number}@example.com", first_name="Ida", last_name="Lund"
        )
        addresses.confirm(person)
        client = Client()
        client.force_login(person, backend=settings.AUTHENTICATION_BACKENDS[0])
        browser = HttpBrowser(f"http://127.0.0.1:{self._ports.web}")
        browser.session.cookies.update({name: cookie.value for name, cookie in client.cookies.items()})
        products = [reverse("portal:product", args=[one.key]) for one in read_products(read_catalog())[:_PRODUCTS]]
        return Customer(number, browser, products)

    def _start(self, processes: Processes) -> None:
        """As in production but for the faults. None of them may end before the soak does."""
        # In this order: without a service that answers, the web server would have no catalog for a while.
        processes.add("service", self._serve_with_faults, port=self._ports.service, stays=False)
        processes.add("proxy", self._pass_on_with_faults, port=self._ports.proxy, stays=False)
        processes.add("web", partial(serve_site, self._ports.web), port=self._ports.web, stays=False)
        for number in range(1, WORKERS + 1):
            processes.add(f"worker_{number}", relay, stays=False)

    def _serve_with_faults(self) -> None:
        # A plan from the settings comes to an end; a soak must not.
        inject_faults(self._plan(_AT_THE_SERVICE))
        serve_site(self._ports.service)

    def _pass_on_with_faults(self) -> None:
        proxy.Proxy(
            port=self._ports.proxy,
            service_port=self._ports.service,
            plan=self._plan(_ON_THE_WIRE),
            record=self._folder,
            parent=os.getppid(),
        ).run(self._orders_read)

    def _plan(self, kinds: tuple[str, ...]) -> Share:
        share = self._share * len(kinds) / len(_AT_THE_SERVICE + _ON_THE_WIRE)
        return Share(share, kinds=kinds, ledger=self._ledger)

    def _warm_up(self, customer: Customer) -> None:
        """Have all threads of both web servers read their database at once."""
        headers = {"Authorization": f"Bearer {settings.FORMATION_SERVICE_KEY}"}
        cookies = customer.browser.session.cookies
        with ThreadPoolExecutor(_AT_ONCE) as crowd:
            for port, path in ((self._ports.web, "/applications/"), (self._ports.service, "/api/v1/catalog")):
                get = partial(requests.get, f"http://127.0.0.1:{port}{path}", cookies=cookies, headers=headers)
                for answer in [crowd.submit(get) for _ in range(2 * _AT_ONCE)]:
                    answer.result().raise_for_status()

    def _watch(self, processes: Processes, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(left, _SAMPLE_SECONDS))
            self._take(processes)

    def _take(self, processes: Processes) -> dict[str, Sample]:
        """Take samples, and keep them in a file line by line. Raises OSError where a process has ended."""
        taken = {one.name: sample(one.process.pid or 0) for one in processes.members if one.name != "proxy"}
        for name, one in taken.items():
            self._peaks[name] = max(self._peaks.get(name, 0), one.memory)
        with (self._folder / "samples").open("a") as file:
            numbers = {name: asdict(one) for name, one in taken.items()}
            file.write(json.dumps({"at": round(time.time())} | numbers) + "\n")
        return taken

    def _at_rest(self, crowd: Crowd, processes: Processes) -> Moment:
        crowd.rest()
        try:
            wait_until(comparison.is_at_rest, _PATIENCE, "rest")
        except AssertionError as error:
            self._troubles.append(str(error))
        time.sleep(_KEPT_ALIVE)
        return Moment(self._take(processes), leftovers(self._folder / "temporary"))


def leftovers(temporary: Path) -> list[str]:
    """Return the paths of files that nobody needs any more: temporary ones, uploads that no row names."""
    return sorted(
        [
            *_files(temporary),
            *_files(Path(settings.FILE_UPLOAD_TEMP_DIR)),
            *_unnamed(Path(settings.MEDIA_ROOT), Document.objects.values_list("file", flat=True)),
            *_unnamed(Path(settings.SERVICE_DOCUMENTS), ServiceDocument.objects.values_list("path", flat=True)),
        ]
    )


def _files(folder: Path) -> Iterator[str]:
    return (str(path) for path in folder.rglob("*") if not path.is_dir())


def _unnamed(folder: Path, named: Collection[str]) -> Iterator[str]:
    known = {str(folder / name) for name in named}
    return (path for path in _files(folder) if path not in known)
