"""What people see of deliveries, how they have one sent again, and when old ones go.

No target is shown whole: it may hold a key.
"""

from collections.abc import Collection, Iterator
from datetime import timedelta
from urllib.parse import urlsplit

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from formation_portal.core.databases import SERVICE
from formation_portal.service.models import Event, EventDelivery
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


KEPT_FOR = timedelta(days=30)
# Of each kind at once, so that whoever wants to write waits for one batch at most; and in one round, so that the
# first round after a flood keeps what is due waiting for seconds. The next rounds go on with it.
_BATCH = 500
_BATCHES = 20


def delete_expired() -> None:
    """Delete what is over. Deliveries first: an event is over when none of its deliveries is left."""
    delete_old_deliveries()
    delete_old_events()


def delete_old_deliveries() -> int:
    """Delete, with their tries, those that were delivered or given up longer ago; how many rows that were."""
    before = timezone.now() - KEPT_FOR
    is_old = Q(delivered_at__lt=before) | Q(dead_at__lt=before)
    return _delete_in_batches(EventDelivery.objects.filter(is_old, next_at=None))


def delete_old_events() -> int:
    """Delete those that happened longer ago and have no delivery, or none any more; how many that were."""
    is_kept = Exists(EventDelivery.objects.filter(event=OuterRef("pk")))
    return _delete_in_batches(Event.objects.filter(~is_kept, created_at__lt=timezone.now() - KEPT_FOR))


def _delete_in_batches(rows: "QuerySet[EventDelivery] | QuerySet[Event]") -> int:
    """In batches, each in a transaction of its own, the oldest first."""
    cleared = 0
    for _ in range(_BATCHES):
        batch = list(rows.order_by("pk").values_list("pk", flat=True)[:_BATCH])
        # The condition counts once more: somebody may have had a delivery sent again meanwhile.
        cleared += rows.filter(pk__in=batch).delete()[0]
        if len(batch) < _BATCH:
            break
    return cleared
