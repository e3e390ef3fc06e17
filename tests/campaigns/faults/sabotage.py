"""Five ways to break the relay on purpose, each as a patch in the workers.

What a campaign can't fail on, it doesn't prove.
"""

import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import models

from formation_portal.relay import service_profile
from formation_portal.relay.calls import claiming, reconciliation, sending
from formation_portal.relay.calls.reconciliation import Evidence
from formation_portal.relay.calls.routes import Claim
from formation_portal.relay.models import Attempt, Delivery, DeliveryState
from formation_portal.relay.service_profile import Profile
from formation_portal.relay.sync import requeue
from formation_portal.relay.timing import FAILURES
from tests.service.fault_plan import ERROR_AFTER, ERROR_BEFORE

from .base_campaign import BaseCampaign
from .environment import Ports
from .fault_plans import Aim
from .processes import Processes, relay
from .proxy import ANSWER_LOST, LATE_SECONDS, WORKER_KILLED
from .services import WithoutKeys

State = DeliveryState
# Each with three parties.
_APPLICATIONS = 2
# Seconds. What is broken may never come to rest.
_PATIENCE = 60.0
_LOOK_SECONDS = 0.1
_ENDPOINT = "parties"


@dataclass(frozen=True, slots=True)
class Sabotage:
    """A patch, and the fault that it can't bear, on the wire or in the service."""

    patch: Callable[[], None]
    kind: str
    # Where the machine is busy, even a relay that doesn't wait takes its time: what is late must be later.
    slower: int = 1
    # All of the parties; or fewer in a row than open the breaker, which would make even a hasty relay wait.
    times: int = 6

    @property
    def is_on_the_wire(self) -> bool:
        """Whether the proxy makes the fault, and not the service."""
        return self.kind in (ANSWER_LOST, WORKER_KILLED)


def _retry_blindly() -> None:
    """What may have arrived is sent again like what surely did not."""
    sending.ResultWriter.write_unknown = sending.ResultWriter.write_waiting  # type: ignore[method-assign]


def _look_at_once() -> None:
    """Nobody waits for what may still be on its way."""
    service_profile.Profile.settle_time = property(lambda self: timedelta(0))  # type: ignore[assignment,method-assign]


def _return_leases() -> None:
    """What a dead worker was sending counts as never sent."""

    def give_up(rows: Iterable[Delivery], known: Profile, *, now: datetime) -> None:
        for row in rows:
            if row.lease_until is not None and row.lease_until <= now:
                row.state, row.next_at, row.lease, row.lease_until = State.QUEUED, now, None, None
                row.save()

    claiming._expire_leases = give_up


def _record_afterwards() -> None:
    """The attempt is written down when it is over; if it ever is."""
    pending: list[Attempt] = []

    class Later:
        class objects(models.Manager[Attempt]):  # noqa: N801  # as it is called
            @staticmethod
            def create(**values: Any) -> Attempt:  # type: ignore[override]
                pending.append(Attempt(**values))
                return pending[-1]

    conclude = sending.record_result

    def conclude_late(claim: Claim, *more: Any) -> Delivery | None:
        while pending:
            pending.pop().save()
        return conclude(claim, *more)

    claiming.Attempt = Later  # type: ignore[assignment,misc]
    sending.record_result = conclude_late


def _match_by_existence() -> None:
    """Somebody like that is there: so it has arrived."""
    count = reconciliation._resolve_doubt

    def believe(row: Delivery, free: Collection[str], found: Evidence, known: Profile, now: datetime) -> str:
        if not found.matches:
            return count(row, free, found, known, now)
        row.remote_id = next(iter(free), "")
        row.acknowledged, row.state, row.unclear_since = row.sent, State.DONE, None
        requeue(row)
        return reconciliation.Conclusion.BOUND

    reconciliation._resolve_doubt = believe


def _break_nothing() -> None:
    """To see that the aim alone does no harm."""


SABOTAGES = {
    "nothing": Sabotage(_break_nothing, ANSWER_LOST),
    "blind retry": Sabotage(_retry_blindly, ERROR_AFTER),
    "no settle wait": Sabotage(_look_at_once, ANSWER_LOST, slower=8, times=FAILURES - 1),
    "lease returns to queued": Sabotage(_return_leases, WORKER_KILLED),
    "attempt recorded after the call": Sabotage(_record_afterwards, ERROR_AFTER),
    "match by existence": Sabotage(_match_by_existence, ERROR_BEFORE),
}


class Sabotaged(BaseCampaign):
    """A small campaign against the make without keys, aimed at what was broken."""

    def __init__(self, make: WithoutKeys, ports: Ports, *, seed: int, sabotage: Sabotage) -> None:
        super().__init__(make, ports, seed=seed)
        self._sabotage, self._other = sabotage, make

    def play(self, people: Processes, *, until: float) -> None:
        """Every party's first try meets the fault."""
        self.slower = self._sabotage.slower
        settings.RELAY_PACE *= self.slower
        self.make_applications(people, _APPLICATIONS)
        on_the_wire = self._sabotage.is_on_the_wire
        ledger = self.make.folder / "wire-plan" if on_the_wire else self.make.ledger
        aim = Aim(endpoint=_ENDPOINT, kind=self._sabotage.kind, times=self._sabotage.times, ledger=ledger)
        self._other.plan = None if on_the_wire else aim
        self.start(people, plan=aim if on_the_wire else None, work=self._work)
        until = min(until, time.monotonic() + _PATIENCE)
        self.until_at_rest(people, until=until)
        # What doesn't wait is at rest before what is late has come to the service.
        self._await_faults(people, aim, until=min(until, time.monotonic() + 2 * LATE_SECONDS * self.slower))

    def _await_faults(self, people: Processes, aim: Aim, *, until: float) -> None:
        while self.faults().total() < aim.hits and time.monotonic() < until:
            time.sleep(_LOOK_SECONDS)
            people.look_after()

    def _work(self) -> None:
        self._sabotage.patch()
        relay()
