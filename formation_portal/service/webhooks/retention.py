"""Events and their deliveries are kept for some weeks, then deleted in batches."""

from datetime import timedelta

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from formation_portal.service.models import Event, EventDelivery

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
