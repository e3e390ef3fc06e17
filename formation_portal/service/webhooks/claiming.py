"""Takes the next event that is due for one try, and commits that, with the attempt, before a socket opens."""

import logging
import uuid
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, F, OuterRef
from django.utils import timezone

from formation_portal.databases import SERVICE
from formation_portal.processes import ended_among, this_process
from formation_portal.service.webhooks import schedule
from formation_portal.service.webhooks.models import DeliveryAttempt, EventDelivery
from formation_portal.service.webhooks.posting import Outcome

logger = logging.getLogger(__name__)

# The sender of an attempt died, or was asleep for so long that somebody else went on.
SENDER_DIED = "sender_died"


@dataclass(frozen=True, slots=True)
class Claim:
    """A delivery that is ours until its lease ends, with the attempt that is about to be made."""

    row: EventDelivery
    lease: uuid.UUID
    attempt: DeliveryAttempt
    until: datetime

    @property
    def is_still_ours(self) -> bool:
        """Whether there is time enough for a try before somebody else takes it."""
        return timezone.now() < self.until - schedule.MARGIN


def due_subscriptions() -> list[str]:
    """The subscriptions with something to send."""
    due = EventDelivery.objects.filter(next_at__lte=timezone.now())
    return list(due.order_by("subscription_id").values_list("subscription_id", flat=True).distinct())


def free_what_the_dead_held() -> None:
    """What a process of this machine was sending when it ended is due now, and not when its lease is over."""
    now = timezone.now()
    held = EventDelivery.objects.filter(next_at__gt=now).exclude(holder="")
    if ended := ended_among(held.values_list("holder", flat=True)):
        held.filter(holder__in=ended).update(next_at=now, holder="")


def take(subscription_id: str) -> Claim | None:
    """The subscription's oldest event that may be sent now, with its attempt committed; None where there is none."""
    with transaction.atomic(using=SERVICE, durable=True):
        now = timezone.now()
        row = _next(subscription_id, now)
        if row is None:
            return None
        lease, until = uuid.uuid4(), now + schedule.LEASE
        # Whoever took it in between has counted a try.
        mine = EventDelivery.objects.filter(pk=row.pk, tries=row.tries, next_at=row.next_at)
        if not mine.update(tries=F("tries") + 1, lease=lease, next_at=until, holder=this_process()):
            return None
        row.tries += 1
        row.attempts.filter(ended_at=None).update(ended_at=now, outcome=SENDER_DIED)
        return Claim(row, lease, row.attempts.create(started_at=now), until)


def conclude(claim: Claim, outcome: Outcome) -> None:
    """Keep what became of the try. Where another has taken it over meanwhile, only the attempt learns of it."""
    now, row = timezone.now(), claim.row
    wait = None if outcome.is_delivered else schedule.wait_after(row.tries)
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
        tries__lte=schedule.PATIENT_TRIES,
    )
    due = open_rows.filter(subscription=subscription_id, next_at__lte=now).exclude(Exists(earlier))
    return due.select_related("event", "subscription").order_by("event").first()
