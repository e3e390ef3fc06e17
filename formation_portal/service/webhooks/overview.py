"""What people see of deliveries, and how they have one sent again. No target is shown whole: it may hold a key."""

from collections.abc import Collection, Iterator
from urllib.parse import urlsplit

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from formation_portal.core.databases import SERVICE
from formation_portal.service.models import EventDelivery
from formation_portal.service.serializers import format_time

_WHICH = {
    "dead": Q(dead_at__isnull=False),
    "waiting": Q(next_at__isnull=False),
    "delivered": Q(delivered_at__isnull=False),
    "all": Q(),
}
STATES = tuple(_WHICH)


class NoSuchDelivery(Exception):
    """There is none with this number."""


def lines(*, state: str, limit: int) -> Iterator[str]:
    """One line a delivery, the newest first."""
    rows = EventDelivery.objects.filter(_WHICH[state]).select_related("event", "subscription").order_by("-pk")
    return (_line(row) for row in rows[:limit])


def counts() -> dict[str, int]:
    """How many there are in each state."""
    return {state: EventDelivery.objects.filter(which).count() for state, which in _WHICH.items()}


def describe_delivery(number: int) -> list[str]:
    """One delivery, and each try. Raises NoSuchDelivery."""
    row = EventDelivery.objects.filter(pk=number).select_related("event", "subscription").first()
    if row is None:
        raise NoSuchDelivery(number)
    next_try = [f"next try: {format_time(row.next_at)}"] if row.next_at else []
    tries = [
        f"  {format_time(one.started_at)}  {one.outcome or 'in progress'}{f' {one.status}' if one.status else ''}"
        for one in row.attempts.order_by("pk")
    ]
    return [_line(row), *next_try, *tries]


def send_again(numbers: Collection[int]) -> int:
    """All of them from the first try on, now, whatever became of them; how many. Raises NoSuchDelivery, and changes
    nothing."""
    with transaction.atomic(using=SERVICE):
        found = EventDelivery.objects.filter(pk__in=numbers)
        if missing := set(numbers) - set(found.values_list("pk", flat=True)):
            raise NoSuchDelivery(min(missing))
        return _start_anew(found)


def send_dead_again() -> int:
    """Everything that could not be delivered, from the first try on, now; how many."""
    return _start_anew(EventDelivery.objects.filter(_WHICH["dead"]))


def _start_anew(found: QuerySet[EventDelivery]) -> int:
    return found.update(tries=0, lease=None, holder="", next_at=timezone.now(), delivered_at=None, dead_at=None)


def _line(row: EventDelivery) -> str:
    host = urlsplit(row.subscription.url).netloc
    return f"{row.pk}  {row.state}  {row.event.type}  {row.event.id}  {row.about}  {host}  tries: {row.tries}"
