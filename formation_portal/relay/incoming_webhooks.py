"""Receive the service's events, subscribe to them, and keep the secrets that sign them.

An event's content is never trusted: the event is kept once, and only makes the relay read the entity again soon.
"""

import hashlib
import hmac
import json
import logging
import re
import uuid
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from standardwebhooks import Webhook
from standardwebhooks.webhooks import WebhookVerificationError

from formation_portal.contract.lifecycle import EVENT_KINDS
from formation_portal.core.background import hourly_task
from formation_portal.core.integers import parse_integer
from formation_portal.core.nodes import secret_store
from formation_portal.core.nodes.secret_store import StoredSecret
from formation_portal.gateway import FormationService
from formation_portal.gateway.errors import NotFound, UnexpectedAnswer
from formation_portal.relay.document_status import read_documents_soon
from formation_portal.relay.entity_status import read_entity_soon
from formation_portal.relay.models import ReceivedEvent, RefusedEvents
from formation_portal.relay.refused_events import STANDARD, TOLERANCE_SECONDS, count_refused_event, refusal_reason

logger = logging.getLogger(__name__)

Headers = Mapping[str, str]


def _is_signed(secret: str, body: bytes, headers: Headers) -> bool:
    signed = {name: headers.get(name, "") for name in ("webhook-id", "webhook-timestamp", "webhook-signature")}
    try:
        Webhook(secret).verify(body, signed, json_parse=False)
    except (WebhookVerificationError, ValueError):
        # The library splits and decodes the headers of strangers, and raises ValueError for malformed ones.
        return False
    return True


def _is_plainly_signed(secret: str, body: bytes, headers: Headers) -> bool:
    """Tell whether the signature is the hex HMAC-SHA256 of `timestamp.payload`. The id isn't signed."""
    sent_at = headers.get("X-Webhook-Timestamp", "")
    seconds = parse_integer(sent_at, digits=12)
    if seconds is None or abs(timezone.now().timestamp() - seconds) > TOLERANCE_SECONDS:
        return False
    expected = hmac.new(secret.encode(), f"{sent_at}.".encode() + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), headers.get("X-Webhook-Signature", "").lower().encode())


_SIGNATURE_CHECKS = {STANDARD: _is_signed, "plain": _is_plainly_signed}


def signing_secrets() -> tuple[str, ...]:
    return tuple(dict.fromkeys((*settings.WEBHOOK_SECRET.split(), *_stored_secrets())))


def _stored_secrets() -> list[str]:
    return secret_store.read(StoredSecret.WEBHOOK_SECRET).split()


class Subscribed(NamedTuple):
    webhook_id: str
    is_new: bool


def subscribe(service: FormationService, url: str, *, is_renewal: bool = False) -> Subscribed:
    """Subscribe a URL to events, and end its earlier subscriptions. Raises GatewayError.
    If the secret of an earlier one is stored, that one is kept instead, unless `is_renewal`.
    """
    earlier = [webhook for webhook in service.webhooks() if webhook.get("url") == url]
    RefusedEvents.objects.all().delete()
    if earlier and _stored_secrets() and not is_renewal:
        return Subscribed(str(earlier[-1].get("id")), is_new=False)
    body = {"url": url, "events": sorted(EVENT_KINDS), "description": "Formation portal"}
    added = service.add_webhook(body, key=uuid.uuid4().hex)
    secret = added.get("secret")
    if not (isinstance(secret, str) and secret.strip()):
        raise UnexpectedAnswer("The service returned no secret")
    secret_store.replace(StoredSecret.WEBHOOK_SECRET, secret.strip())
    for webhook in earlier:
        # A subscription that is already gone needs no removal.
        with suppress(NotFound):
            service.remove_webhook(str(webhook.get("id")))
    return Subscribed(str(added["id"]), is_new=True)


BODY_LIMIT = 256 * 1024
# Longer than a service keeps resending an event, and long enough for an operator to look at it.
KEPT_FOR = timedelta(days=30)
MEDIA_TYPE = "application/json"
_NAME = re.compile(r"[!-~]{1,200}")


def receive(body: bytes, *, headers: Headers, media_type: str) -> bool:
    """Keep an event, once. Return False for an event that can't be verified or read, which is only counted."""
    event = None
    is_signed = _SIGNATURE_CHECKS[settings.WEBHOOK_SCHEME]
    secrets = signing_secrets()
    if not any(is_signed(secret, body, headers) for secret in secrets):
        reason = refusal_reason(headers, has_secret=bool(secrets))
    else:
        reason = RefusedEvents.Reason.CONTENT
        with suppress(ValueError, RecursionError):
            event = json.loads(body)
    if media_type != MEDIA_TYPE or not isinstance(event, dict):
        logger.warning("Event refused: %s", reason.label)
        count_refused_event(reason)
        return False
    kind = _short_word(event.get("type"))
    data = event.get("data")
    about = _short_word(data.get("entity_id")) if isinstance(data, dict) else ""
    # Use an id that is signed, else a digest of the whole event.
    event_id = _short_word(event.get("id"))
    if not event_id and settings.WEBHOOK_SCHEME == STANDARD:
        event_id = _short_word(headers.get("webhook-id"))
    event_id = event_id or f"sha256:{hashlib.sha256(body).hexdigest()}"
    with transaction.atomic():
        _, is_new = ReceivedEvent.objects.get_or_create(
            event_id=event_id, defaults={"kind": kind, "about": about, "body": body}
        )
        # An event of another kind is only kept.
        if is_new and kind in EVENT_KINDS and about:
            read_documents_soon(about)
            read_entity_soon(about)
    return True


def _short_word(value: Any) -> str:
    return value if isinstance(value, str) and _NAME.fullmatch(value) else ""


@hourly_task
def delete_old_events() -> None:
    ReceivedEvent.objects.filter(received_at__lt=timezone.now() - KEPT_FOR).delete()
