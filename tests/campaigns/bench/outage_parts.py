"""What an outage costs: saving meanwhile, its end, a service that asks to wait, and how soon a worker wakes up."""

import itertools
import random
import statistics
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import transaction
from django.test import Client
from django.utils import timezone
from django.utils.http import urlencode

from formation_portal.applications import services
from formation_portal.contract.catalog import CatalogItem
from formation_portal.relay.models import Attempt, Delivery, DeliveryState, ServiceProfile
from tests.campaigns.faults import applications, comparison
from tests.journeys.clients import FORM
from tests.journeys.page import Page
from tests.waiting import wait_until

from . import Measure, forms
from .outage_setup import RETRY_AFTER, Arrival, OutageSetup, wait_for_deliveries

WORKERS = 2
# Questions on the page that is saved.
_SIZE = 60
_WAIT_MS = 250
# Seconds: the longest back-off, which an hour of failing has reached.
_LONGEST = 900
_TRIES = 10


def saving_while_down(*, small: bool) -> Iterator[Measure]:
    """Wall-clock time of a POST with the wait for the worker and without it, for each way to be down; the last line is
    the worse of them."""
    added = []
    for failure in ("refused", "never_accepted"):
        waited, unwaited = (_save_p95(failure, wait_ms=wait, saves=6 if small else 100) for wait in (_WAIT_MS, 0))
        yield f"save_p95_service_down_{failure}", waited, "ms"
        yield f"save_p95_no_wait_{failure}", unwaited, "ms"
        added.append(waited - unwaited)
    yield "save_p95_added", max(added), "ms"


def _save_p95(failure: str, *, wait_ms: int, saves: int) -> float:
    settings.RELAY_WAIT_MS = wait_ms
    setup = OutageSetup(can_edit=True)
    owner, _ = get_user_model().objects.get_or_create(email="saver@example.com")
    client = Client()
    client.force_login(owner, backend=settings.AUTHENTICATION_BACKENDS[0])
    # The same section in applications of which the relay knows nothing yet.
    product = CatalogItem.model_validate(forms.product(_SIZE))
    references = [services.start(owner=owner, product=product).reference for _ in range(saves + 1)]
    Delivery.objects.all().delete()
    addresses = [f"/applications/{reference}/sections/questions/" for reference in references]
    # What a browser posts of it is the same for all that are new.
    first = addresses.pop()
    form = Page(client.get(first).content.decode(), first).form(button="Save")
    form.control("Question number 0").filled = ["Larkfield Holdings"]
    data = urlencode(form.data(form.button("Save")))
    with setup.workers(1), setup.unreachable(failure):
        taken = [_save(client, address, data) for address in addresses]
    return statistics.quantiles(taken, n=20)[-1] * 1000


def _save(client: Client, address: str, data: str) -> float:
    """Seconds. The worst case each time: the breaker is closed, so that the worker tries to call, and may wait."""
    ServiceProfile.objects.update(failures=0, open_until=None, recent_calls=[], retries_left=None)
    began = time.perf_counter()
    answer: Any = client.post(address, data, content_type=FORM)
    taken = time.perf_counter() - began
    assert answer.status_code == 302, answer.status_code
    return taken


def outage_drain(*, small: bool) -> Iterator[Measure]:
    """An hour's outage ends: from the moment when the service is there again until nothing waits."""
    things = 20 if small else 1000
    setup = OutageSetup(can_edit=False)
    numbers = itertools.count()
    while Delivery.objects.count() < things:
        applications.make([next(numbers)])
    with setup.workers(WORKERS):
        wait_until(ServiceProfile.objects.filter(open_until__isnull=False).exists)
        _age(seconds=5 if small else _LONGEST)
        opened = timezone.now()
        with setup.service():
            wait_for_deliveries()
            yield f"outage_drain_{things}", (timezone.now() - opened).total_seconds(), "s"
    yield "outage_calls", len(setup.arrivals), "calls"
    # The relay counts when it decides on a call, the service when it has read it; between them the machine may dawdle.
    claimed = [at.timestamp() for at in Attempt.objects.values_list("started_at", flat=True) if at > opened]
    yield "outage_most_calls_in_a_second", _most_in_a_second([arrival.at for arrival in setup.arrivals]), "calls"
    yield "outage_most_calls_decided_in_a_second", _most_in_a_second(claimed), "calls"
    found = comparison.compare(setup.kept(), may_hold=False)
    yield "outage_lost", found.lost, "things"
    yield "outage_duplicated", found.duplicated, "things"


def _age(*, seconds: float) -> None:
    """The rows as an hour leaves them. The breaker lets one call through in 30 seconds, so that by then the first thing
    of each application has been tried, and each waits for a time of its own within the longest back-off."""
    now = timezone.now()
    for row in Delivery.objects.filter(kind="entity").exclude(state=DeliveryState.SENDING):
        later = now + timedelta(seconds=random.uniform(0, seconds))
        Delivery.objects.filter(pk=row.pk).update(state=DeliveryState.WAITING, attempts=_TRIES, next_at=later)


def _most_in_a_second(times: list[float]) -> int:
    """Of any second, whenever it begins."""
    return max((sum(begin <= at < begin + 1 for at in times) for begin in times), default=0)


def retry_after(*, small: bool) -> Iterator[Measure]:
    """Of a service that answers random calls with Retry-After: by one worker nothing may arrive in that time. Of two,
    the other may be about to call when the answer comes."""
    asked, early = _asked_and_early(5 if small else 50, workers=1)
    yield "retry_after_asked", len(asked), "times"
    yield "retry_after_obeyed", len(asked) - len({arrival.at for arrival, _ in early}), "times"
    asked, early = _asked_and_early(1 if small else 20, workers=2)
    yield "retry_after_asked_of_two_workers", len(asked), "times"
    yield "retry_after_already_on_their_way", len(early), "calls"
    yield "retry_after_latest_of_them", max(((late.at - first.at) * 1000 for first, late in early), default=0), "ms"


def _asked_and_early(most: int, *, workers: int) -> tuple[list[Arrival], list[tuple[Arrival, Arrival]]]:
    """The calls that were asked to wait, and each of them with each that came before the time was over."""
    setup = OutageSetup(can_edit=False, calls_per_second=100)
    applications.make(range(2 if most < 10 else 10))
    with setup.workers(workers), setup.service(share_refused=0.4, most_refused=most):
        wait_for_deliveries()
    arrivals = setup.arrivals
    asked = [arrival for arrival in arrivals if arrival.is_refused]
    early = [(one, other) for one in asked for other in arrivals if one.at < other.at < one.at + RETRY_AFTER]
    return asked, early


def wake_up(*, small: bool) -> Iterator[Measure]:
    """From the commit of what a customer saved to the call's arrival at the service; the worker has nothing else to
    do."""
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
    wait_for_deliveries(application=application)
    # It falls asleep again, and is met at any moment of its sleep; no more than a few calls a second are made.
    time.sleep(random.uniform(0.15, 0.5))
    return Attempt.objects.get(delivery__application=application).request_id, times[0]


def throughput(*, small: bool) -> Iterator[Measure]:
    setup = OutageSetup(can_edit=False, calls_per_second=100_000)
    applications.make(range(2 if small else 20))
    with setup.workers(WORKERS), setup.service():
        wait_for_deliveries()
    times = [arrival.at for arrival in setup.arrivals]
    yield "relay_calls_a_second_unpaced", (len(times) - 1) / (times[-1] - times[0]), "calls"
