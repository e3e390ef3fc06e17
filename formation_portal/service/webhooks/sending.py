"""Sends what is due: signed, at least once, in order per entity where possible (supplement, "Events").

Headers are signed as Standard Webhooks has it, with a secret for each subscription.

A secret is derived from the subscription's id by a key of the service's own, which is a file. So a copy of the database
signs nothing.
"""

import base64
import hashlib
import hmac
import json
import logging
import secrets
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.utils import timezone
from standardwebhooks import Webhook

from formation_portal.core.background import BackgroundWorker
from formation_portal.core.storage import read_or_create_secret
from formation_portal.service.models import Event, EventDelivery
from formation_portal.service.serializers import format_time
from formation_portal.service.webhooks.claiming import (
    EventClaim,
    claim_next,
    due_subscriptions,
    record_result,
    release_dead_leases,
)
from formation_portal.service.webhooks.posting import POST_SECONDS, PostResult, post
from formation_portal.service.webhooks.retention import delete_expired

logger = logging.getLogger(__name__)

KEY_FILE = "webhook-signing-key"
BATCH_SIZE = 100


def secret_of(subscription_id: str) -> str:
    """The secret, as its receiver keeps it. The service's own key is made on the first call and kept in DATA_DIR."""
    key = read_or_create_secret(Path(settings.DATA_DIR) / KEY_FILE, lambda: secrets.token_urlsafe(48))
    digest = hmac.digest(key.encode(), subscription_id.encode(), hashlib.sha256)
    return "whsec_" + base64.b64encode(digest).decode()


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
    release_dead_leases()
    delivered = 0
    for subscription_id in due_subscriptions():
        for _ in range(BATCH_SIZE):
            if not may_go_on() or (claim := claim_next(subscription_id)) is None or not _deliver(claim):
                break
            delivered += 1
    return delivered


def _deliver(claim: EventClaim) -> bool:
    if not claim.has_time_left:
        return False
    outcome = _post(claim.row)
    record_result(claim, outcome)
    if not outcome.is_delivered:
        # Not the target, which may hold a key of its receiver's.
        row, said = claim.row, f"{outcome.word} {outcome.status or ''}".strip()
        logger.warning("Webhook %s: event %s, try %d: %s", row.subscription_id, row.event.id, row.tries, said)
    return outcome.is_delivered


def _post(row: EventDelivery) -> PostResult:
    try:
        body = body_of(row.event)
        headers = signed_headers(row.subscription_id, event_id=row.event.id, body=body, at=timezone.now())
        return post(row.subscription.url, body, headers)
    except Exception as error:
        # A fault of ours, such as a key that can't be read, waits like any other, and keeps no other event waiting.
        logger.error("Webhook %s: event %s met %s", row.subscription_id, row.event.id, type(error).__name__)
        return PostResult("failed_here")


def webhook_sender() -> BackgroundWorker:
    """One that runs in the caller's thread, or beside it."""
    return BackgroundWorker(
        name="events", log_name="Event sender", work=send_due, hourly=delete_expired, stop_timeout=POST_SECONDS
    )
