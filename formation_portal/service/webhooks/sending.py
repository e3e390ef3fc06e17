"""Sends what is due: signed, at least once, in order per entity where possible (supplement, "Events")."""

import json
import logging
from collections.abc import Callable

from django.utils import timezone

from formation_portal.service.models import Event
from formation_portal.service.records import time_of
from formation_portal.service.webhooks.claiming import (
    Claim,
    conclude,
    due_subscriptions,
    free_what_the_dead_held,
    take,
)
from formation_portal.service.webhooks.models import EventDelivery
from formation_portal.service.webhooks.posting import Outcome, post
from formation_portal.service.webhooks.signing import signed_headers

logger = logging.getLogger(__name__)

AT_ONCE = 100


def body_of(event: Event) -> bytes:
    """The payload, in the same bytes at every try."""
    said = {"id": event.id, "type": event.type, "created_at": time_of(event.created_at), "data": event.data}
    return json.dumps(said, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def send_due(*, may_go_on: Callable[[], bool] = lambda: True) -> int:
    """Go once round the subscriptions that have something due; how many events were delivered.

    A try in vain ends its subscription's turn, so that a receiver that is down keeps the others waiting once a round,
    and so do many events in a row.
    """
    free_what_the_dead_held()
    delivered = 0
    for subscription_id in due_subscriptions():
        for _ in range(AT_ONCE):
            if not may_go_on() or (claim := take(subscription_id)) is None or not _is_delivered(claim):
                break
            delivered += 1
    return delivered


def _is_delivered(claim: Claim) -> bool:
    if not claim.is_still_ours:
        return False
    outcome = _outcome_of(claim.row)
    conclude(claim, outcome)
    if not outcome.is_delivered:
        _log(claim, outcome)
    return outcome.is_delivered


def _outcome_of(row: EventDelivery) -> Outcome:
    try:
        body = body_of(row.event)
        headers = signed_headers(row.subscription_id, event_id=row.event.id, body=body, at=timezone.now())
        return post(row.subscription.url, body, headers)
    except Exception as error:
        # A fault of ours, such as a key that can't be read, waits like any other, and keeps no other event waiting.
        logger.error("Webhook %s: event %s met %s", row.subscription_id, row.event.id, type(error).__name__)
        return Outcome("failed_here")


def _log(claim: Claim, outcome: Outcome) -> None:
    # Not the target, which may hold a key of its receiver's.
    row = claim.row
    said = f"{outcome.word} {outcome.status or ''}".strip()
    logger.warning("Webhook %s: event %s, try %d: %s", row.subscription_id, row.event.id, row.tries, said)
