"""Takes the next event that is due for one try, and says when it is tried again or given up (supplement, "Events").

A try is committed, with its attempt, before a socket opens.
"""

import logging
import random
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, F, OuterRef
from django.utils import timezone

from formation_portal.core.databases import SERVICE
from formation_portal.core.processes import current_process, held_by_ended
from formation_portal.service.models import DeliveryAttempt, EventDelivery
from formation_portal.service.webhooks.posting import PostResult

_WAITS = (
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    *(timedelta(hours=hours) for hours in (2, 5, 10, 14, 20, 24)),
)
MAX_TRIES = len(_WAITS) + 1
# Spreads the tries after an outage, so that they don't all come in one instant.
_JITTER = 0.1
# A try has an address to look up and POST_SECONDS for everything else; nobody else takes it meanwhile.
LEASE = timedelta(minutes=3)
# A try isn't begun when its lease is nearly over, as after the process was asleep.
MARGIN = timedelta(minutes=1)
# Later events of an entity wait behind an earlier one that was tried so often: through an outage of two hours and a
# half. After that they go ahead, so that one that is never taken holds up no other for days.
PATIENT_TRIES = 4


def wait_after(tries: int) -> timedelta | None:
    """How long to wait after so many tries in vain; None where there are no more."""
    if tries >= MAX_TRIES:
        return None
    return _WAITS[tries - 1] * random.uniform(1, 1 + _JITTER)  # noqa: S311  # no secret depends on it


logger = logging.getLogger(__name__)

# The sender of an attempt died, or was asleep for so long that somebody else went on.
SENDER_DIED = "sender_died"


@dataclass(frozen=True, slots=True)
class EventClaim:
    """A delivery that is ours until its lease ends, with the attempt that is about to be made."""

    row: EventDelivery
    lease: uuid.UUID
    attempt: DeliveryAttempt
    until: datetime

    @property
    def has_time_left(self) -> bool:
        """Whether there is time enough for a try before somebody else takes it."""
        return timezone.now() < self.until - MARGIN


def due_subscriptions() -> list[str]:
    """The subscriptions with something to send."""
    due = EventDelivery.objects.filter(next_at__lte=timezone.now())
    return list(due.order_by("subscription_id").values_list("subscription_id", flat=True).distinct())


def release_dead_leases() -> None:
    """What a process of this machine was sending when it ended is due now, and not when its lease is over."""
    now = timezone.now()
    held_by_ended(EventDelivery.objects.filter(next_at__gt=now)).update(next_at=now, holder="")


def claim_next(subscription_id: str) -> EventClaim | None:
    """The subscription's oldest event that may be sent now, with its attempt committed; None where there is none."""
    with transaction.atomic(using=SERVICE, durable=True):
        now = timezone.now()
        row = _next(subscription_id, now)
        if row is None:
            return None
        lease, until = uuid.uuid4(), now + LEASE
        # Whoever took it in between has counted a try.
        mine = EventDelivery.objects.filter(pk=row.pk, tries=row.tries, next_at=row.next_at)
        if not mine.update(tries=F("tries") + 1, lease=lease, next_at=until, holder=current_process()):
            return None
        row.tries += 1
        row.attempts.filter(ended_at=None).update(ended_at=now, outcome=SENDER_DIED)
        return EventClaim(row, lease, row.attempts.create(started_at=now), until)


def record_result(claim: EventClaim, outcome: PostResult) -> None:
    """Keep what became of the try. Where another has taken it over meanwhile, only the attempt learns of it."""
    now, row = timezone.now(), claim.row
    wait = None if outcome.is_delivered else wait_after(row.tries)
    is_dead = not outcome.is_delivered and wait is None
    with transaction.atomic(using=SERVICE):
        DeliveryAttempt.objects.filter(pk=claim.attempt.pk).update(
            ended_at=now, outcome=outcome.word, status=outcome.status
        )
        EventDelivery.objects.filter(pk=row.pk, lease=claim.lease).update(
            lease=None,
            holder="",
            next_at=None if wait is None else now + wait,
            delivered_at=now if outcome.is_delivered else None,
            dead_at=now if is_dead else None,
        )
    if is_dead:
        logger.error("Webhook %s: event %s given up after %d attempts", row.subscription_id, row.event.id, row.tries)


def _next(subscription_id: str, now: datetime) -> EventDelivery | None:
    open_rows = EventDelivery.objects.filter(next_at__isnull=False)
    earlier = open_rows.filter(
        subscription=OuterRef("subscription"),
        about=OuterRef("about"),
        event__lt=OuterRef("event"),
        tries__lte=PATIENT_TRIES,
    )
    due = open_rows.filter(subscription=subscription_id, next_at__lte=now).exclude(Exists(earlier))
    return due.select_related("event", "subscription").order_by("event").first()
