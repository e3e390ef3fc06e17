"""How the embedded service's events fare: figures for `manage.py doctor` and for metrics, and the check."""

from collections.abc import Iterator
from datetime import timedelta

from django.db.models import Count, Min
from django.utils import timezone

from formation_portal.core.monitoring.checks import Backlog, CheckResult, Verdict, fault, look, ok, verdict_on_age
from formation_portal.service.models import EventDelivery

# The third try comes after half an hour, the last after three days.
_LATE, _TOO_LATE = timedelta(hours=1), timedelta(hours=24)
# A worker looks each second, but events of one entity wait for each other.
_UNTOUCHED = timedelta(minutes=5)


def event_queue() -> Backlog:
    """Two queries."""
    rows = EventDelivery.objects.filter(next_at__isnull=False)
    waiting = rows.aggregate(count=Count("pk"), oldest=Min("event__created_at"))
    return Backlog(waiting["count"], waiting["oldest"], EventDelivery.objects.filter(dead_at__isnull=False).count())


def check_events() -> Iterator[CheckResult]:
    """Whether the embedded service's events reach whoever subscribed."""
    found, now = event_queue(), timezone.now()
    if EventDelivery.objects.filter(next_at__lt=now - _UNTOUCHED, tries=0).exists():
        yield fault("Events", "events are due and nobody posts them", "Start manage.py serve or manage.py webhooks.")
    waiting = found.in_words(now)
    verdict = verdict_on_age(found.age(now), look_after=_LATE, fault_after=_TOO_LATE)
    if verdict is not Verdict.OK:
        yield CheckResult("Events", verdict, waiting, "manage.py webhook_deliveries list --state waiting")
    elif found.given_up:
        remedy = "manage.py webhook_deliveries lists them, and sends them again."
        yield look("Events", f"{waiting}; {found.given_up} given up", remedy)
    else:
        yield ok("Events", waiting)
