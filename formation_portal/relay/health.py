"""Count open deliveries for metrics, and check deliveries, their worker and received events for `manage.py doctor`."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import Count, F, Max, Min, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from formation_portal.core.monitoring.checks import CheckResult, Verdict, age_in_words, fault, look, ok, verdict_on_age

from .models import Attempt, Delivery, DeliveryState, ReceivedEvent
from .refused_events import refusal_notices
from .service_profile import current_profile, service_notices
from .wake import RELAY

# A retry waits for up to fifteen minutes, and an outage of the service may last for hours.
_LATE = timedelta(hours=1)
_TOO_LATE = timedelta(hours=24)
# A worker looks for due rows every second. While many are due, it makes calls all the time.
_UNTOUCHED = timedelta(minutes=2)
# Deliveries not done, without those that wait until their customer submits. Each half of the condition has its index.
_OPEN = Q(state__in=set(DeliveryState) - {DeliveryState.DONE, DeliveryState.QUEUED}) | Q(
    state=DeliveryState.QUEUED, next_at__isnull=False
)
_WAITS_FOR_PEOPLE = frozenset({DeliveryState.HELD, DeliveryState.REFUSED})


class OpenDeliveries(NamedTuple):
    state: DeliveryState
    number: int
    oldest: datetime


def open_deliveries() -> list[OpenDeliveries]:
    """Count the open deliveries by state, without those that wait for a submission, in one database query."""
    tries = Attempt.objects.filter(delivery=OuterRef("pk"), key=OuterRef("key")).order_by("pk")
    since = Coalesce(Subquery(tries.values("started_at")[:1]), F("updated_at"))
    rows = Delivery.objects.filter(_OPEN).annotate(since=since)
    totals = rows.order_by().values("state").annotate(count=Count("pk"), oldest=Min("since"))
    return [OpenDeliveries(DeliveryState(total["state"]), total["count"], total["oldest"]) for total in totals]


def last_event() -> datetime | None:
    last: datetime | None = ReceivedEvent.objects.aggregate(last=Max("received_at"))["last"]
    return last


def is_paused() -> bool:
    """Tell whether sending is paused: the service asks for a pause, refuses our key, or does not answer."""
    return current_profile().is_paused(timezone.now())


def check_deliveries() -> Iterator[CheckResult]:
    now = timezone.now()
    totals = open_deliveries()
    ages = [now - total.oldest for total in totals if total.state not in _WAITS_FOR_PEOPLE]
    counts = ", ".join(f"{total.number} {total.state}" for total in totals) or "none open"
    age = max(ages, default=None)
    if age is not None:
        counts += f"; the oldest on its way for {age_in_words(age)}"
    verdict = verdict_on_age(age, look_after=_LATE, fault_after=_TOO_LATE)
    if verdict is not Verdict.OK:
        yield CheckResult(
            "Deliveries", verdict, counts, "See /desk/deliveries/, and the lines about service and relay."
        )
    elif any(total.state == DeliveryState.HELD for total in totals):
        yield look("Deliveries", counts, "An agent resolves what is held, at /desk/deliveries/.")
    else:
        yield ok("Deliveries", counts)


def check_relay() -> Iterator[CheckResult]:
    now = timezone.now()
    overdue = Delivery.objects.filter(next_at__lt=now - _UNTOUCHED)
    is_moving = Attempt.objects.filter(started_at__gt=now - _UNTOUCHED).exists()
    start = "Start manage.py serve or manage.py relay."
    if not is_paused() and not is_moving and overdue.exists():
        yield fault("Relay worker", "deliveries are due and nobody sends them", start)
    elif RELAY.is_on_postgresql and not RELAY.is_listened_to():
        yield look("Relay worker", "none listens to PostgreSQL", start)
    else:
        yield ok("Relay worker", "nothing waits that is due")
    for notice, is_trouble in service_notices():
        if is_trouble:
            yield look("Relay", notice, "See /desk/deliveries/.")


def check_received_events() -> Iterator[CheckResult]:
    notices = refusal_notices()
    for notice in notices:
        yield look("Events received", notice.text, notice.remedy)
    if not notices:
        yield ok("Events received", "none was rejected in the last 24 hours")
