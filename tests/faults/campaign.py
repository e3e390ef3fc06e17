"""One mode of the campaign: the service, the proxy and four relay workers, until everything has come to rest."""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing import Pipe
from pathlib import Path

from django.conf import settings
from django.urls import get_resolver

from formation_portal.management.preparation import migrate
from formation_portal.relay.profile import remember
from formation_portal.service.faults import ENDPOINTS, FaultPlan

from . import applications, ledger, proxy, tally
from .entrance import NEVER_ACCEPTED, REFUSED
from .environment import Ports
from .ledger import Findings
from .makes import Make
from .processes import Crew, crew, relay
from .proxy import Order
from .tally import Faults

WORKERS = 4
FIRST_CALL = ENDPOINTS[0]
CUSTOMERS = 2
# Applications to begin with, and more where the plan is not through, for each time that a kind should be met.
_FIRST, _MORE = 12, 4
_LOOK_SECONDS = 0.25
# Seconds after which what is not at rest counts as stuck.
PATIENCE = 170.0


@dataclass
class Result:
    """What one mode came to."""

    faults: Faults
    found: Findings
    unrecorded: list[str]
    seconds: float
    lacking: dict[str, list[str]] = field(default_factory=dict)

    def lines(self) -> Iterator[str]:
        """The figures, a line each."""
        yield f"faults {self.faults.total()}"
        yield f"lost {self.found.lost}"
        yield f"duplicated {self.found.duplicated}"
        yield f"held {self.found.held}"
        yield f"stuck {self.found.stuck}"
        yield f"seconds {self.seconds:.0f}"
        yield f"unrecorded {len(self.unrecorded)}"

    def broken(self, *, may_hold: bool) -> list[str]:
        """What of the promise is broken, in sentences; nothing where it is kept."""
        held = [f"held: {self.found.held}, where nothing may be"] if self.found.held and not may_hold else []
        lacking = [f"{kind} was met too seldom by {', '.join(some)}" for kind, some in self.lacking.items() if some]
        return [*self.found.sentences, *self.unrecorded, *held, *lacking]


class Campaign:
    """One mode: what it runs against, and how hard."""

    def __init__(
        self, make: Make, ports: Ports, *, seed: int, each: int, sabotage: Callable[[], None] = lambda: None
    ) -> None:
        self.make, self.ports, self.seed, self.each = make, ports, seed, each
        self._sabotage = sabotage
        self._heard, self._orders = Pipe(duplex=False)
        self._number = 0

    def run(self) -> Result:
        """The whole mode."""
        began = time.monotonic()
        self._prepare()
        with crew() as people:
            self._start(people)
            self._until_through(people, until=began + PATIENCE)
        return self._result(time.monotonic() - began)

    def _prepare(self) -> None:
        migrate("default", lambda said: None)
        settings.FORMATION_SERVICE_KEY = self.make.prepare()
        remember(can_edit=self.make.can_edit, capabilities=self.make.capabilities)
        applications.customer()
        # Loaded once, before the forks, instead of in each process.
        assert get_resolver().url_patterns
        self._make_applications(self.each * _FIRST)

    def _make_applications(self, count: int) -> None:
        """Two customers at once, each in a process of its own."""
        with crew() as people:
            for customer in range(CUSTOMERS):
                numbers = range(self._number + customer, self._number + count, CUSTOMERS)
                people.add("customer", _making(numbers))
            people.join()
        self._number += count

    def _start(self, people: Crew) -> None:
        make, ports = self.make, self.ports
        self._orders.send(self._order(Counter()))
        people.add("service", lambda: make.serve(ports.service, seed=self.seed, each=self.each))
        people.add("proxy", self._proxy)
        for _ in range(WORKERS):
            people.add("worker", self._work)

    def _proxy(self) -> None:
        plan = FaultPlan(seed=self.seed, ledger=self.make.folder / "wire-plan", each=self.each, kinds=proxy.KINDS)
        proxy.Proxy(
            port=self.ports.proxy,
            service_port=self.ports.service,
            plan=plan,
            record=self.make.folder,
            orders=self._heard,
            parent=os.getppid(),
        ).run()

    def _work(self) -> None:
        self._sabotage()
        relay()

    def _until_through(self, people: Crew, *, until: float) -> None:
        """Until every kind was met often enough and all is at rest, seen twice."""
        rested = 0
        while rested < 2 and time.monotonic() < until:
            time.sleep(_LOOK_SECONDS)
            people.look_after()
            met = self._faults()
            self._orders.send(self._order(met))
            rested = rested + 1 if ledger.is_at_rest() else 0
            if rested == 2 and self._lacking(met):
                self._make_applications(self.each * _MORE)
                rested = 0

    def _order(self, met: Faults) -> Order:
        """Until every entity's first call was shut out often enough, nobody gets in: then no other call is made."""
        lacking = tally.lacking(met, (REFUSED, NEVER_ACCEPTED), each=self.each)
        shut = next((kind for kind, some in lacking.items() if FIRST_CALL in some), None)
        return Order(shut, lacking)

    def _faults(self) -> Faults:
        return tally.faults(self.make.folder, log=Path(settings.LOG_FILE))

    def _lacking(self, met: Faults) -> dict[str, list[str]]:
        found = tally.lacking(met, tally.KINDS, each=self.each)
        return {kind: endpoints for kind, endpoints in found.items() if endpoints}

    def _result(self, seconds: float) -> Result:
        met = self._faults()
        found = ledger.compare(self.make.kept(), may_hold=not self.make.capabilities.honours_keys)
        return Result(met, found, tally.unrecorded(self.make.folder), seconds, self._lacking(met))


def _making(numbers: range) -> Callable[[], None]:
    return lambda: applications.make(numbers)
