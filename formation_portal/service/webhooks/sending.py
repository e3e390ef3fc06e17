"""Claims the events that are due and sends them: signed, at least once, in order per entity where possible (supplement,
"Events").

A try is committed, with its attempt, before a socket opens. Headers are signed as Standard Webhooks has it, with a
secret for each subscription. That is derived from the subscription's id by a key of the service's own, which is a file,
or encrypted (core/nodes/secret_store.py). So a copy of the database signs nothing.
"""

import base64
import hashlib
import hmac
import json
import logging
import random
import uuid
from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from standardwebhooks import Webhook

from formation_portal.core.background import BackgroundWorker
from formation_portal.core.databases import SERVICE
from formation_portal.core.nodes import secret_store
from formation_portal.core.nodes.secret_store import StoredSecret
from formation_portal.service.models import DeliveryAttempt, Event, EventDelivery
from formation_portal.service.serializers import format_time
from formation_portal.service.webhooks.events import EVENTS
from formation_portal.service.webhooks.posting import DELIVERED, POST_SECONDS, post

logger = logging.getLogger(__name__)

_WAITS = (
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    *(timedelta(hours=hours) for hours in (2, 5, 10, 14, 20, 24)),
)
MAX_TRIES = len(_WAITS) + 1
# Spreads the tries after an outage, so that they don't all come in one instant.
_JITTER = 0.1
# Later events of an entity wait behind an earlier one that was tried so often: through an outage of two hours and a
# half. After that they go ahead, so that one that is never taken holds up no other for days.
PATIENT_TRIES = 4


def wait_after(tries: int) -> timedelta | None:
    """How long to wait after so many tries in vain; None where there are no more."""
    if tries >= MAX_TRIES:
        return None
    return _WAITS[tries - 1] * random.uniform(1, 1 + _JITTER)  # noqa: S311  # no secret depends on it


# The sender of an attempt died, or was asleep for so long that somebody else went on.
SENDER_DIED = "sender_died"


def claim_next(subscription_id: str) -> DeliveryAttempt | None:
    """The attempt to send the subscription's oldest event that may be sent now, committed; None where there is none."""
    with transaction.atomic(using=SERVICE, durable=True):
        now = timezone.now()
        lease = uuid.uuid4()
        row = EventDelivery.claim_first(_due(subscription_id, now), lease=lease)
        if row is None:
            return None
        row.lease = lease
        row.attempts.filter(ended_at=None).update(ended_at=now, outcome=SENDER_DIED)
        return row.attempts.create(started_at=now)


def record_result(attempt: DeliveryAttempt, outcome: str, status: int | None) -> None:
    """Keep what became of the try. Where another has taken it over meanwhile, only the attempt learns of it."""
    now, row = timezone.now(), attempt.delivery
    is_delivered = outcome == DELIVERED
    wait = None if is_delivered else wait_after(row.tries)
    is_dead = not is_delivered and wait is None
    with transaction.atomic(using=SERVICE):
        DeliveryAttempt.objects.filter(pk=attempt.pk).update(ended_at=now, outcome=outcome, status=status)
        EventDelivery.objects.filter(pk=row.pk, lease=row.lease).update(
            lease=None,
            next_at=None if wait is None else now + wait,
            delivered_at=now if is_delivered else None,
            dead_at=now if is_dead else None,
        )
    if is_dead:
        logger.error("Webhook %s: event %s given up after %d attempts", row.subscription_id, row.event.id, row.tries)


def _due(subscription_id: str, now: datetime) -> "QuerySet[EventDelivery]":
    """In order; an event waits behind an earlier one about the same entity, also while somebody sends that."""
    open_rows = EventDelivery.objects.filter(next_at__isnull=False)
    earlier = open_rows.filter(
        subscription=OuterRef("subscription"),
        about=OuterRef("about"),
        event__lt=OuterRef("event"),
        tries__lte=PATIENT_TRIES,
    )
    due = open_rows.filter(subscription=subscription_id, next_at__lte=now).exclude(Exists(earlier))
    return due.select_related("event", "subscription").order_by("event")


BATCH_SIZE = 100

KEPT_FOR = timedelta(days=30)
# Of old rows at once, so that whoever wants to write waits for one batch at most; and in one round, so that the first
# round after a flood keeps what is due waiting for seconds. The next rounds go on with it.
_OLD_AT_ONCE, _OLD_BATCHES = 500, 20


def secret_of(subscription_id: str) -> str:
    """The secret, as its receiver keeps it. The service's own key is made on the first call."""
    key = signing_key()
    digest = hmac.digest(key.encode(), subscription_id.encode(), hashlib.sha256)
    return "whsec_" + base64.b64encode(digest).decode()


def signing_key() -> str:
    """The key that each subscription's secret is derived from."""
    return secret_store.read_or_create(StoredSecret.SIGNING_KEY, secret_store.new_secret)


def signed_headers(subscription_id: str, *, event_id: str, body: bytes, at: datetime) -> dict[str, str]:
    """What goes along with the body. Each try has a time of its own, since receivers refuse old ones."""
    signature = Webhook(secret_of(subscription_id)).sign(event_id, at, body.decode())
    return {
        "webhook-id": event_id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": signature,
    }


def body_of(event: Event) -> bytes:
    """The payload, in the same bytes at every try."""
    said = {"id": event.id, "type": event.type, "created_at": format_time(event.created_at), "data": event.data}
    return json.dumps(said, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def send_due(*, may_go_on: Callable[[], bool] = lambda: True) -> int:
    """Go once round the subscriptions that have something due; how many events were delivered.

    A try in vain ends its subscription's turn, so that a receiver that is down keeps the others waiting once a round,
    and so do many events in a row.
    """
    delivered = 0
    due = EventDelivery.objects.filter(next_at__lte=timezone.now())
    for subscription_id in list(due.order_by("subscription_id").values_list("subscription_id", flat=True).distinct()):
        for _ in range(BATCH_SIZE):
            if not may_go_on() or (attempt := claim_next(subscription_id)) is None or not _deliver(attempt):
                break
            delivered += 1
    return delivered


def _deliver(attempt: DeliveryAttempt) -> bool:
    row = attempt.delivery
    if not row.has_time_left:
        return False
    try:
        body = body_of(row.event)
        headers = signed_headers(row.subscription_id, event_id=row.event.id, body=body, at=timezone.now())
        outcome, status = post(row.subscription.url, body, headers)
    except Exception as error:
        # A fault of ours, such as a key that can't be read, waits like any other, and keeps no other event waiting.
        logger.error("Webhook %s: event %s met %s", row.subscription_id, row.event.id, type(error).__name__)
        outcome, status = "failed_here", None
    record_result(attempt, outcome, status)
    if outcome != DELIVERED:
        # Not the target, which may hold a key of its receiver's.
        said = f"{outcome} {status or ''}".strip()
        logger.warning("Webhook %s: event %s, try %d: %s", row.subscription_id, row.event.id, row.tries, said)
    return outcome == DELIVERED


def delete_expired() -> None:
    """Delete what was over some weeks ago: deliveries first, with their attempts, then events without any delivery."""
    before = timezone.now() - KEPT_FOR
    is_old = Q(delivered_at__lt=before) | Q(dead_at__lt=before)
    _delete_in_batches(EventDelivery.objects.filter(is_old, next_at=None))
    is_kept = Exists(EventDelivery.objects.filter(event=OuterRef("pk")))
    _delete_in_batches(Event.objects.filter(~is_kept, created_at__lt=before))


def _delete_in_batches(rows: "QuerySet[EventDelivery] | QuerySet[Event]") -> None:
    """The oldest first, each batch in a transaction of its own."""
    for _ in range(_OLD_BATCHES):
        batch = list(rows.order_by("pk").values_list("pk", flat=True)[:_OLD_AT_ONCE])
        # The condition counts once more: somebody may have had a delivery sent again meanwhile.
        rows.filter(pk__in=batch).delete()
        if len(batch) < _OLD_AT_ONCE:
            break


def webhook_sender() -> BackgroundWorker:
    """One that runs in the caller's thread, or beside it."""
    return BackgroundWorker(
        name="events",
        log_name="Event sender",
        work=send_due,
        hourly=delete_expired,
        stop_timeout=POST_SECONDS,
        channel=EVENTS,
    )
