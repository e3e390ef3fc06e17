"""Measure and check the deliveries of the embedded service's events."""

from collections.abc import Iterator
from datetime import timedelta

from django.db.models import Count, Min
from django.utils import timezone

from formation_portal.core.monitoring.checks import Backlog, CheckResult, Verdict, fault, look, ok, verdict_on_age
from formation_portal.service.models import EventDelivery

# The third attempt is made after half an hour, the last after three days.
_LATE = timedelta(hours=1)
_TOO_LATE = timedelta(hours=24)
# A sender checks each second, but events of an entity wait for each other.
_UNTOUCHED = timedelta(minutes=5)


def event_queue() -> Backlog:
    rows = EventDelivery.objects.filter(next_at__isnull=False)
    waiting = rows.aggregate(count=Count("pk"), oldest=Min("event__created_at"))
    return Backlog(waiting["count"], waiting["oldest"], EventDelivery.objects.filter(dead_at__isnull=False).count())


def check_events() -> Iterator[CheckResult]:
    queue = event_queue()
    now = timezone.now()
    if EventDelivery.objects.filter(next_at__lt=now - _UNTOUCHED, tries=0).exists():
        yield fault("Events", "events are due and nobody posts them", "Start manage.py serve or manage.py webhooks.")
    waiting = queue.in_words(now)
    verdict = verdict_on_age(queue.age(now), look_after=_LATE, fault_after=_TOO_LATE)
    if verdict is not Verdict.OK:
        yield CheckResult("Events", verdict, waiting, "manage.py webhook_deliveries list --state waiting")
    elif queue.given_up:
        remedy = "manage.py webhook_deliveries lists them, and sends them again."
        yield look("Events", f"{waiting}; {queue.given_up} given up", remedy)
    else:
        yield ok("Events", waiting)
