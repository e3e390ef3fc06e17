"""Both campaigns against one make of service: faults of every kind, and kill -9 of web, worker and service.

Both set up, probe, make applications, start the processes, wait for rest and compare; `play` is what differs.
"""

import io
import os
import random
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing import Pipe
from pathlib import Path

from django.conf import settings
from django.core.management import CommandError, call_command
from django.core.management.base import OutputWrapper
from django.db import connections
from django.urls import get_resolver

from formation_portal.management.commands.setup_portal import migrate
from formation_portal.relay.service_profile import current_profile
from tests.campaigns.environment import Ports
from tests.other_service.fault_injection import Plan
from tests.service import fault_plan as service_faults
from tests.service.fault_plan import ENDPOINTS, FaultPlan
from tests.waiting import wait_until

from . import applications, comparison, fault_counts, proxy
from .applications import make_reviewed, make_shells
from .connection_refusal import ConnectionRefuser
from .customers import Customer, broken_promises
from .processes import Processes, process_group, relay, serve_site
from .services import ServiceUnderTest

WORKERS = 4
CUSTOMERS = 2
# Seconds after which what is not at rest counts as stuck.
PATIENCE = 1_800.0
_LOOK_SECONDS = 0.1
_RESTED = 4
# An operator probes the service with the patience of an ordinary day.
_PROBE_SECONDS = 15.0
_PATIENT = {"connect_timeout": 3.0, "read_timeout": 10.0, "call_timeout": 10.0, "upload_timeout": 10.0}
# For each time that a kind should be met: shells, which come first, so that most of what happens to entities happens to
# these; and whole applications, where the plan is not through.
_SHELLS, _MORE = 16, 2
KILLED = ("web", "worker", "service")
# Seconds between two kills, at most.
_LONGEST = 0.5
_KILL_LOOK_SECONDS = 0.02


@dataclass
class Result:
    """The figures. `lacking`: what did not happen often enough, in sentences."""

    faults: fault_counts.Faults
    deaths: Counter[str]
    found: comparison.Findings
    unrecorded: list[str]
    seconds: float
    lacking: list[str] = field(default_factory=list)

    def lines(self, *, kills: bool = False) -> Iterator[str]:
        yield f"kills {self.deaths.total()}" if kills else f"faults {self.faults.total()}"
        for name in ("lost", "duplicated", "held", "stuck"):
            yield f"{name} {getattr(self.found, name)}"
        yield f"seconds {self.seconds:.0f}"
        yield f"unrecorded {len(self.unrecorded)}"

    def broken(self, *, may_hold: bool) -> list[str]:
        held = [f"held: {self.found.held}, where nothing may be"] if self.found.held and not may_hold else []
        return [*self.found.sentences, *self.unrecorded, *held, *self.lacking]


class _Later:
    """A plan that begins at each endpoint only after so many calls: faults on faults would only stop the relay."""

    def __init__(self, plan: Plan, *, calls: int, documented_only: bool) -> None:
        self._plan, self._calls, self._documented_only = plan, calls, documented_only
        self._seen: Counter[str] = Counter()
        self.kills_before = plan.kills_before

    def draw(self, endpoint: str, key: str) -> str | None:
        if self._documented_only and endpoint not in ENDPOINTS:
            return None
        self._seen[endpoint] += 1
        return self._plan.draw(endpoint, key) if self._seen[endpoint] > self._calls else None


class Campaign(ABC):
    def __init__(self, make: ServiceUnderTest, ports: Ports, *, seed: int) -> None:
        self.make, self.ports, self.seed = make, ports, seed
        self._heard, self.orders = Pipe(duplex=False)
        self._made = 0

    def run(self) -> Result:
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
        found = comparison.compare(self.make.kept(), may_hold=not self.make.capabilities.honours_keys)
        return Result(self.faults(), people.deaths, found, fault_counts.unrecorded(self.make.folder), seconds)

    def faults(self) -> fault_counts.Faults:
        return fault_counts.faults(self.make.folder, log=Path(settings.LOG_FILE))

    def _prepare(self) -> None:
        migrate("default", OutputWrapper(io.StringIO()))
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
            people.add("operator", _probe_patiently, stays=False)
            people.finish("operator")
        found, expected = current_profile().capabilities, self.make.capabilities
        if replace(found, slowest=0.0) != expected:
            raise RuntimeError(f"The probe has found {found}, not {expected}")

    def make_applications(self, people: Processes, count: int, make: Callable[[range], None]) -> None:
        """Have two customers make more of them at once."""
        for customer in range(CUSTOMERS):
            numbers = range(self._made + customer, self._made + count, CUSTOMERS)
            people.add("customer", partial(make, numbers), stays=False)
        people.finish("customer")
        self._made += count

    def start(self, people: Processes, *, plan: Plan | None = None) -> None:
        people.add("service", lambda: self.make.serve(self.ports.service, is_faulty=True))
        people.add("proxy", lambda: self._proxy(self.make.folder, plan))
        for _ in range(WORKERS):
            people.add("worker", relay)

    def _proxy(self, record: Path, plan: Plan | None) -> None:
        record.mkdir(exist_ok=True)
        proxy.Proxy(
            port=self.ports.proxy, service_port=self.ports.service, plan=plan, record=record, parent=os.getppid()
        ).run(self._heard)

    def until_at_rest(self, people: Processes, *, until: float, meanwhile: Callable[[], None] = lambda: None) -> None:
        """Wait until the relay has nothing more to do, seen a few times in a row."""
        rested = 0
        while rested < _RESTED and time.monotonic() < until:
            time.sleep(_LOOK_SECONDS)
            people.look_after()
            meanwhile()
            rested = rested + 1 if comparison.is_at_rest() else 0
        connections.close_all()


class FaultCampaign(Campaign):
    """Every documented POST meets every kind at least `each` times, and then all comes to rest.

    What customers and agents do with applications, up to a second round and the incorporation, is told in the same
    trouble.
    """

    def __init__(self, make: ServiceUnderTest, ports: Ports, *, seed: int, each: int) -> None:
        super().__init__(make, ports, seed=seed)
        self.each = make.each = each
        make.seed = seed

    def play(self, people: Processes, *, until: float) -> None:
        self.make_applications(people, self.each * _SHELLS, make_shells)
        self.make_applications(people, self.each * self.make.applications, make_reviewed)
        plan = FaultPlan(seed=self.seed, ledger=self.make.folder / "wire-plan", each=self.each, kinds=proxy.KINDS)
        refuser = ConnectionRefuser(self.orders, each=self.each, faults=self.faults)
        # The service's own plan is through by then: as many calls without a fault as with one. A service without keys
        # has the documented calls alone.
        calls = 2 * self.each * len(service_faults.KINDS)
        only = not self.make.capabilities.honours_keys
        self.start(people, plan=_Later(plan, calls=calls, documented_only=only))
        while time.monotonic() < until:
            self.until_at_rest(people, until=until, meanwhile=refuser.look)
            if not self._lacking(self.faults()):
                break
            self.make_applications(people, self.each * _MORE, make_reviewed)

    def _lacking(self, met: fault_counts.Faults) -> list[str]:
        found = fault_counts.all_lacking(met, each=self.each)
        return [f"{kind} was met too seldom by {', '.join(some)}" for kind, some in found.items() if some]

    def result(self, people: Processes, seconds: float) -> Result:
        result = super().result(people, seconds)
        result.lacking = self._lacking(result.faults)
        return result


class KillCampaign(Campaign):
    """Web, worker and service are killed at random moments, each `times` times, while customers save and submit."""

    def __init__(self, make: ServiceUnderTest, ports: Ports, *, seed: int, times: int) -> None:
        super().__init__(make, ports, seed=seed)
        self._times = times
        self._over, self._promised = make.folder / "over", make.folder / "promised"

    def play(self, people: Processes, *, until: float) -> None:
        self.start(people)
        people.add("web", partial(serve_site, self.ports.web))
        for number in range(CUSTOMERS):
            customer = Customer(port=self.ports.web, promised=self._promised, over=self._over)
            people.add("customer", partial(customer.live, number, CUSTOMERS), stays=False)
        self._kill(people)
        self._over.touch()
        people.finish("customer")
        self.until_at_rest(people, until=until)

    def _kill(self, people: Processes) -> None:
        chance = random.Random(self.seed)
        victims = [*KILLED * self._times]
        chance.shuffle(victims)
        for name in victims:
            moment = time.monotonic() + chance.uniform(0, _LONGEST)
            while time.monotonic() < moment:
                time.sleep(_KILL_LOOK_SECONDS)
                people.look_after()
            chance.choice(people.of(name)).kill()
            people.look_after()

    def result(self, people: Processes, seconds: float) -> Result:
        result = super().result(people, seconds)
        broken = broken_promises(self._promised)
        result.found.lost += len(broken)
        result.found.sentences += broken
        seldom = {name: people.deaths[name] for name in KILLED if people.deaths[name] < self._times}
        result.lacking = [f"A {name} was killed {times} times only" for name, times in seldom.items()]
        return result


def _probe_patiently() -> None:
    settings.ENV = settings.ENV.model_copy(update=_PATIENT)

    def has_probed() -> bool:
        try:
            call_command("probe_service", sandbox=True, stdout=io.StringIO())
        except CommandError:
            return False
        return True

    wait_until(has_probed, _PROBE_SECONDS, "the service can be probed")
