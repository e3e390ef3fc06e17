"""What every campaign has in common: the set-up, the probe, the processes, the wait for rest, the comparison."""

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from io import StringIO
from multiprocessing import Pipe
from pathlib import Path

from django.conf import settings
from django.core.management.base import OutputWrapper
from django.db import connections
from django.urls import get_resolver

from formation_portal.management.commands.setup_portal import migrate
from formation_portal.relay.service_profile import current_profile
from tests.other_service.fault_injection import Plan

from . import applications, comparison, fault_counts
from .environment import Ports
from .probe import probe
from .processes import Processes, process_group, relay
from .proxy import LATE_SECONDS, Proxy
from .result import Result
from .services import ServiceUnderTest

WORKERS = 4
CUSTOMERS = 2
# Seconds after which what is not at rest counts as stuck.
PATIENCE = 1_800.0
_LOOK_SECONDS = 0.1
_RESTED = 4


class BaseCampaign(ABC):
    """One campaign against one make of service."""

    # How much slower time passes than in other campaigns: what is late, and what waits for it.
    slower = 1

    def __init__(self, make: ServiceUnderTest, ports: Ports, *, seed: int) -> None:
        self.make, self.ports, self.seed = make, ports, seed
        self._heard, self.orders = Pipe(duplex=False)
        self._made = 0

    def run(self) -> Result:
        """From the empty databases to the figures."""
        began = time.monotonic()
        self._prepare()
        self._probe()
        with process_group() as people:
            self.play(people, until=began + PATIENCE)
        return self.result(people, time.monotonic() - began)

    @abstractmethod
    def play(self, people: Processes, *, until: float) -> None:
        """What happens, until all is at rest, or until a moment of the monotonic clock."""

    def result(self, people: Processes, seconds: float) -> Result:
        """What it came to."""
        found = comparison.compare(self.make.kept(), may_hold=not self.make.capabilities.honours_keys)
        return Result(self.faults(), people.deaths, found, fault_counts.unrecorded(self.make.folder), seconds)

    def faults(self) -> fault_counts.Faults:
        """What has happened so far."""
        return fault_counts.faults(self.make.folder, log=Path(settings.LOG_FILE))

    def _prepare(self) -> None:
        migrate("default", OutputWrapper(StringIO()))
        settings.FORMATION_SERVICE_KEY = self.make.prepare()
        applications.customer()
        applications.agent()
        # Loaded once, before the forks, instead of in each process.
        assert get_resolver().url_patterns

    def _probe(self) -> None:
        """An operator finds out what the service honours, while all is well. Raises RuntimeError for anything else."""
        with process_group() as people:
            people.add("service", lambda: self.make.serve(self.ports.service))
            people.add("proxy", lambda: self._proxy(self.make.folder / "probe", None))
            people.add("operator", probe, stays=False)
            people.finish("operator")
        found, expected = current_profile().capabilities, self.make.capabilities
        if replace(found, slowest=0.0) != expected:
            raise RuntimeError(f"The probe has found {found}, not {expected}")

    def make_applications(
        self, people: Processes, count: int, make: Callable[[range], None] = applications.make
    ) -> None:
        """More of them, by two customers at once."""
        for customer in range(CUSTOMERS):
            numbers = range(self._made + customer, self._made + count, CUSTOMERS)
            people.add("customer", partial(make, numbers), stays=False)
        people.finish("customer")
        self._made += count

    def start(self, people: Processes, *, plan: Plan | None = None, work: Callable[[], None] = relay) -> None:
        """The service, the proxy with its plan, and the workers."""
        people.add("service", lambda: self.make.serve(self.ports.service, is_faulty=True))
        people.add("proxy", lambda: self._proxy(self.make.folder, plan))
        for _ in range(WORKERS):
            people.add("worker", work)

    def _proxy(self, record: Path, plan: Plan | None) -> None:
        record.mkdir(exist_ok=True)
        ports, late = self.ports, LATE_SECONDS * self.slower
        proxy = Proxy(
            port=ports.proxy, service_port=ports.service, plan=plan, record=record, parent=os.getppid(), late=late
        )
        proxy.run(self._heard)

    def until_at_rest(self, people: Processes, *, until: float, meanwhile: Callable[[], None] = lambda: None) -> None:
        """Until the relay has nothing more to do, seen a few times in a row."""
        rested = 0
        while rested < _RESTED and time.monotonic() < until:
            time.sleep(_LOOK_SECONDS)
            people.look_after()
            meanwhile()
            rested = rested + 1 if comparison.is_at_rest() else 0
        connections.close_all()
