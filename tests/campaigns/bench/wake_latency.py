"""Wake latency: from the commit of what a customer saved to the call's arrival at the service."""

import random
import statistics
import time
from collections.abc import Iterator

from django.db import transaction

from formation_portal.applications import services
from formation_portal.relay.models import Attempt, Delivery, DeliveryState
from tests.campaigns.faults import applications

from .saving_while_down import Measure
from .setup import OutageSetup, wait_until


def wake_up(*, small: bool) -> Iterator[Measure]:
    """Of a worker that has nothing else to do."""
    setup = OutageSetup(can_edit=True)
    with setup.workers(1), setup.service():
        committed = dict(_start_one() for _ in range(6 if small else 60))
    arrived = {arrival.request_id: arrival.at for arrival in setup.arrivals}
    taken = [(arrived[request_id] - at) * 1000 for request_id, at in committed.items()]
    yield "wake_up", statistics.median(taken), "ms"
    yield "wake_up_p95", statistics.quantiles(taken, n=20)[-1], "ms"


def _start_one() -> tuple[str, float]:
    """The id of the call that follows, and when what it is about was committed."""
    times: list[float] = []
    with transaction.atomic():
        # Before the worker is woken: the first that was registered is called first.
        transaction.on_commit(lambda: times.append(time.time()))
        application = services.start(owner=applications.customer(), product=applications.product())
    rows = Delivery.objects.filter(application=application)
    wait_until(lambda: not rows.exclude(state=DeliveryState.DONE).exists())
    # It falls asleep again, and is met at any moment of its sleep; no more than a few calls a second are made.
    time.sleep(random.uniform(0.15, 0.5))
    return Attempt.objects.get(delivery__application=application).request_id, times[0]
