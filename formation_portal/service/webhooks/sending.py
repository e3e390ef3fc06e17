"""Claim due events and send them: signed, at least once, in order per entity if possible (INTERFACE.md, "Events")."""

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
from formation_portal.service.schemas import format_time
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
# The random share by which waits are lengthened, so that attempts after an outage don't all come at once.
_JITTER = 0.1
# The tries (over two and a half hours) for which an entity's later events wait for an earlier event. After that the
# later events go ahead, so that an event that is never accepted does not hold them up for days.
PATIENT_TRIES = 4
# The outcome of an attempt whose lease ended before its sender recorded a result.
SENDER_DIED = "sender_died"
# The most events that are sent to a subscription in a row.
BATCH_SIZE = 100
KEPT_FOR = timedelta(days=30)
# Old rows are deleted in small batches, so that other writers wait only for a single batch. A round deletes a limited
# number, so that due events wait for seconds at most, and the next round deletes more.
_OLD_AT_ONCE = 500
_OLD_BATCHES = 20


def wait_after(tries: int) -> timedelta | None:
    """Return the wait after this number of failed attempts, or None if there is no further attempt."""
    if tries >= MAX_TRIES:
        return None
    return _WAITS[tries - 1] * random.uniform(1, 1 + _JITTER)  # noqa: S311  # no secret depends on this random number


def claim_next(subscription_id: str) -> DeliveryAttempt | None:
    """Claim the subscription's oldest due event, and return a committed attempt to send it; None if no event is due."""
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
    """Record the result of an attempt. If another sender has taken over the delivery, update only the attempt."""
    row = attempt.delivery
    now = timezone.now()
    changes: dict[str, datetime | None] = {"lease": None, "next_at": None}
    if outcome == DELIVERED:
        changes["delivered_at"] = now
    elif (wait := wait_after(row.tries)) is not None:
        changes["next_at"] = now + wait
    else:
        changes["dead_at"] = now
    with transaction.atomic(using=SERVICE):
        DeliveryAttempt.objects.filter(pk=attempt.pk).update(ended_at=now, outcome=outcome, status=status)
        EventDelivery.objects.filter(pk=row.pk, lease=row.lease).update(**changes)
    if "dead_at" in changes:
        logger.error("Webhook %s: event %s given up after %d attempts", row.subscription_id, row.event.id, row.tries)


def _due(subscription_id: str, now: datetime) -> "QuerySet[EventDelivery]":
    """Return the due deliveries in order. An event waits for earlier events of its entity."""
    open_rows = EventDelivery.objects.filter(next_at__isnull=False)
    earlier = open_rows.filter(
        subscription=OuterRef("subscription"),
        about=OuterRef("about"),
        event__lt=OuterRef("event"),
        tries__lte=PATIENT_TRIES,
    )
    due = open_rows.filter(subscription=subscription_id, next_at__lte=now).exclude(Exists(earlier))
    return due.select_related("event", "subscription").order_by("event")


def secret_of(subscription_id: str) -> str:
    digest = hmac.digest(signing_key().encode(), subscription_id.encode(), hashlib.sha256)
    return "whsec_" + base64.b64encode(digest).decode()


def signing_key() -> str:
    """Return the key that the secrets of subscriptions are derived from."""
    return secret_store.read_or_create(StoredSecret.SIGNING_KEY, secret_store.new_secret)


def signed_headers(subscription_id: str, *, event_id: str, body: bytes, at: datetime) -> dict[str, str]:
    """Return the headers that sign an event for an attempt at this time, since receivers refuse old signatures."""
    signature = Webhook(secret_of(subscription_id)).sign(event_id, at, body.decode())
    return {
        "webhook-id": event_id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": signature,
    }


def body_of(event: Event) -> bytes:
    """Return the event's payload, whose bytes are the same for each attempt."""
    payload = {"id": event.id, "type": event.type, "created_at": format_time(event.created_at), "data": event.data}
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def send_due(*, may_go_on: Callable[[], bool] = lambda: True) -> int:
    """Send a batch of due events to each subscription. Return the number of delivered events.

    A failed attempt ends the batch, so that in each round a receiver that is down delays other receivers only once.
    """
    delivered = 0
    due = EventDelivery.objects.filter(next_at__lte=timezone.now())
    for subscription_id in list(due.order_by("subscription_id").values_list("subscription_id", flat=True).distinct()):
        for _ in range(BATCH_SIZE):
            if not may_go_on():
                return delivered
            attempt = claim_next(subscription_id)
            if attempt is None or not _deliver(attempt):
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
        # After an error of the service, such as an unreadable key, the event is retried without delaying other events.
        logger.error("Webhook %s: event %s met %s", row.subscription_id, row.event.id, type(error).__name__)
        outcome = "failed_here"
        status = None
    record_result(attempt, outcome, status)
    if outcome != DELIVERED:
        # The target is not logged, since it may hold a key of its receiver.
        result = f"{outcome} {status or ''}".strip()
        logger.warning("Webhook %s: event %s, try %d: %s", row.subscription_id, row.event.id, row.tries, result)
    return outcome == DELIVERED


def delete_expired() -> None:
    """Delete deliveries that ended longer than KEPT_FOR ago, with their attempts, and old events without deliveries."""
    before = timezone.now() - KEPT_FOR
    is_old = Q(delivered_at__lt=before) | Q(dead_at__lt=before)
    _delete_in_batches(EventDelivery.objects.filter(is_old, next_at=None))
    has_deliveries = Exists(EventDelivery.objects.filter(event=OuterRef("pk")))
    _delete_in_batches(Event.objects.filter(~has_deliveries, created_at__lt=before))


def _delete_in_batches(rows: "QuerySet[EventDelivery] | QuerySet[Event]") -> None:
    for _ in range(_OLD_BATCHES):
        batch = list(rows.order_by("pk").values_list("pk", flat=True)[:_OLD_AT_ONCE])
        # The condition is checked again, since a delivery may have been scheduled again meanwhile.
        rows.filter(pk__in=batch).delete()
        if len(batch) < _OLD_AT_ONCE:
            break


def webhook_sender() -> BackgroundWorker:
    return BackgroundWorker(
        name="Event sender",
        work=send_due,
        hourly=delete_expired,
        stop_timeout=POST_SECONDS,
        channel=EVENTS,
    )
