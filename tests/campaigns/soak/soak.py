"""One soak from start to end: warm up, look at rest, keep everybody busy, look at rest again."""

import json
import time
from dataclasses import asdict
from io import StringIO
from pathlib import Path

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import OutputWrapper
from django.test import Client
from django.urls import get_resolver, reverse

from formation_portal.accounts import addresses
from formation_portal.gateway.catalog import read_products
from formation_portal.management.commands.setup_portal import prepare
from formation_portal.relay.models import Attempt, Delivery, DeliveryState
from formation_portal.relay.service_profile import EMBEDDED_CAPABILITIES, update_profile
from formation_portal.service.auth import portal_key
from formation_portal.service.catalog.loader import read_catalog
from tests.campaigns.faults import comparison
from tests.campaigns.faults.environment import Ports

from .customers import Crowd, Customer
from .leftovers import temporary_files
from .processes import Processes
from .report import Moment, Report
from .samples import Sample

_SAMPLE_SECONDS = 10.0
# A tenth of the time goes by before anything is compared. Customers hardly pause meanwhile, so that by then every
# thread has done everything that there is to do, as much at once as there ever will be, and has the memory it takes.
_WARM_UP, _HASTE_SECONDS = 0.1, 0.5
# The portal keeps what it has read and drawn of each product, so that every customer must have met all of them by then,
# however long it takes on a machine that has much else to do.
_PRODUCTS = 4
# Seconds that what was begun may take to come to rest, and by which idle connections have ended.
_PATIENCE, _KEPT_ALIVE = 180.0, 5.0


class Soak:
    """`share` of the documented POSTs go wrong; `rate` applications are begun in a minute, by all customers."""

    def __init__(
        self, ports: Ports, folder: Path, *, minutes: float, share: float, customers: int, rate: float
    ) -> None:
        self._ports, self._folder, self._share, self._customers = ports, folder, share, customers
        self._seconds = minutes * 60
        # An application takes some seconds by itself.
        self._between = customers * 60 / rate
        self._peaks: dict[str, int] = {}
        self._troubles: list[str] = []

    def run(self) -> Report:
        """The whole of it."""
        self._prepare()
        customers = [self._customer(number) for number in range(self._customers)]
        with Processes(self._ports, self._folder, share=self._share) as processes:
            processes.warm_up(customers[0].cookies)
            with Crowd(customers, seconds=_HASTE_SECONDS) as crowd:
                self._watch(processes, self._seconds * _WARM_UP)
                while not self._have_met_everything(customers):
                    self._watch(processes, _SAMPLE_SECONDS)
                start = self._at_rest(crowd, processes)
                crowd.seconds = self._between
                crowd.go_on()
                self._watch(processes, self._seconds * (1 - _WARM_UP))
                end = self._at_rest(crowd, processes)
        return self._report(start, end, customers, processes)

    def _prepare(self) -> None:
        prepare(OutputWrapper(StringIO()))
        settings.FORMATION_SERVICE_KEY = portal_key()
        update_profile(can_edit=True, capabilities=EMBEDDED_CAPABILITIES)
        # Loaded once, before the forks, instead of in each process.
        assert get_resolver().url_patterns

    def _customer(self, number: int) -> Customer:
        person = get_user_model().objects.create_user(
            f"customer{number}@example.com", first_name="Ida", last_name="Lund"
        )
        addresses.confirm(person)
        client = Client()
        client.force_login(person, backend=settings.AUTHENTICATION_BACKENDS[0])
        products = [reverse("portal:product", args=[one.key]) for one in read_products(read_catalog())[:_PRODUCTS]]
        cookies = {name: cookie.value for name, cookie in client.cookies.items()}
        return Customer(f"http://127.0.0.1:{self._ports.web}", cookies, products, first=number)

    def _have_met_everything(self, customers: list[Customer]) -> bool:
        tried = sum(one.done + len(one.troubles) for one in customers)
        return tried >= min(_PRODUCTS * len(customers), self._seconds / _SAMPLE_SECONDS)

    def _watch(self, processes: Processes, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(left, _SAMPLE_SECONDS))
            self._take(processes)

    def _take(self, processes: Processes) -> dict[str, Sample]:
        """Samples, kept in a file line by line."""
        taken = processes.samples()
        for name, one in taken.items():
            self._peaks[name] = max(self._peaks.get(name, 0), one.memory)
        with (self._folder / "samples").open("a") as file:
            numbers = {name: asdict(one) for name, one in taken.items()}
            file.write(json.dumps({"at": round(time.time())} | numbers) + "\n")
        return taken

    def _at_rest(self, crowd: Crowd, processes: Processes) -> Moment:
        """What there is once nobody has anything to do."""
        crowd.rest()
        until = time.monotonic() + _PATIENCE
        while not comparison.is_at_rest():
            if time.monotonic() > until:
                self._troubles.append(f"Not at rest after {_PATIENCE:.0f} seconds")
                break
            time.sleep(1)
        time.sleep(_KEPT_ALIVE)
        return Moment(self._take(processes), temporary_files(self._folder / "temporary"))

    def _report(self, start: Moment, end: Moment, customers: list[Customer], processes: Processes) -> Report:
        faults = processes.ledger
        return Report(
            start=start,
            end=end,
            peaks=self._peaks,
            applications=sum(one.done for one in customers),
            calls=Attempt.objects.count(),
            faults=len(faults.read_text().splitlines()) if faults.exists() else 0,
            held=Delivery.objects.filter(state=DeliveryState.HELD).count(),
            troubles=[*self._troubles, *(trouble for one in customers for trouble in one.troubles)],
        )
