"""An hour's outage ends: how long a thousand waiting things take to arrive, how fast the calls come, and how well."""

import random
from collections.abc import Iterator
from datetime import timedelta
from itertools import count

from django.utils import timezone

from formation_portal.relay.models import Attempt, Delivery, DeliveryState, ServiceProfile
from tests.campaigns.faults import applications, comparison

from .saving_while_down import Measure
from .setup import OutageSetup, is_all_delivered, wait_until

WORKERS = 2
# Seconds: the longest back-off, which an hour of failing has reached, and what nothing here may take.
_LONGEST, _PATIENCE = 900, 900.0
_TRIES = 10


def outage_drain(*, small: bool) -> Iterator[Measure]:
    """From the moment when the service is there again until nothing waits."""
    things = 20 if small else 1000
    setup = OutageSetup(can_edit=False)
    _apply_for(things)
    with setup.workers(WORKERS):
        wait_until(lambda: ServiceProfile.objects.filter(open_until__isnull=False).exists())
        _age(seconds=5 if small else _LONGEST)
        opened = timezone.now()
        with setup.service():
            wait_until(is_all_delivered, seconds=_PATIENCE)
            yield f"outage_drain_{things}", (timezone.now() - opened).total_seconds(), "s"
    yield "outage_calls", len(setup.arrivals), "calls"
    # The relay counts when it decides on a call, the service when it has read it; between them the machine may dawdle.
    claimed = [at.timestamp() for at in Attempt.objects.values_list("started_at", flat=True) if at > opened]
    yield "outage_most_calls_in_a_second", most_in_a_second([arrival.at for arrival in setup.arrivals]), "calls"
    yield "outage_most_calls_decided_in_a_second", most_in_a_second(claimed), "calls"
    found = comparison.compare(setup.kept(), may_hold=False)
    yield "outage_lost", found.lost, "things"
    yield "outage_duplicated", found.duplicated, "things"


def throughput(*, small: bool) -> Iterator[Measure]:
    """How fast two workers are where nobody asks them to be slow."""
    setup = OutageSetup(can_edit=False, calls_per_second=100_000)
    applications.make(range(2 if small else 20))
    with setup.workers(WORKERS), setup.service():
        wait_until(is_all_delivered, seconds=_PATIENCE)
    times = [arrival.at for arrival in setup.arrivals]
    yield "relay_calls_a_second_unpaced", (len(times) - 1) / (times[-1] - times[0]), "calls"


def _apply_for(things: int) -> None:
    """Submitted applications with so many things in all that have to be brought to the service."""
    numbers = count()
    while Delivery.objects.count() < things:
        applications.make([next(numbers)])


def _age(*, seconds: float) -> None:
    """The rows as an hour leaves them. The breaker lets one call through in 30 seconds, so that by then the first thing
    of each application has been tried, and each waits for a time of its own within the longest back-off."""
    now = timezone.now()
    for row in Delivery.objects.filter(kind="entity").exclude(state=DeliveryState.SENDING):
        later = now + timedelta(seconds=random.uniform(0, seconds))
        Delivery.objects.filter(pk=row.pk).update(state=DeliveryState.WAITING, attempts=_TRIES, next_at=later)


def most_in_a_second(times: list[float]) -> int:
    """Of any second, whenever it begins."""
    return max((sum(begin <= at < begin + 1 for at in times) for begin in times), default=0)
