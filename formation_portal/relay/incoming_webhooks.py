"""Events that the service posts to us, the subscription to them, and the secrets that sign them.

WEBHOOK_SCHEME says which of two schemes signs them; whatever is wrong with a signature, the answer is the same: no. No
event is believed: each is kept once, as it came, and only makes the relay read again soon, from the service itself,
what it is about.
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
from formation_portal.relay.document_status import read_soon
from formation_portal.relay.entity_status import read_entity_soon
from formation_portal.relay.models import ReceivedEvent, RefusedEvents
from formation_portal.relay.refused_events import (
    STANDARD,
    TOLERANCE_SECONDS,
    count_refused_event,
    refusal_reason,
)

logger = logging.getLogger(__name__)

Headers = Mapping[str, str]


def _is_standard(secret: str, body: bytes, headers: Headers) -> bool:
    given = {name: headers.get(name, "") for name in ("webhook-id", "webhook-timestamp", "webhook-signature")}
    try:
        Webhook(secret).verify(body, given, json_parse=False)
    except (WebhookVerificationError, ValueError):
        # The library splits and decodes what strangers send, and says ValueError of what can't be.
        return False
    return True


def _is_plain(secret: str, body: bytes, headers: Headers) -> bool:
    """Hex HMAC-SHA256 over `timestamp.payload`. The id isn't signed, so nothing depends on it."""
    sent_at = headers.get("X-Webhook-Timestamp", "")
    seconds = parse_integer(sent_at, digits=12)
    if seconds is None or abs(timezone.now().timestamp() - seconds) > TOLERANCE_SECONDS:
        return False
    wanted = hmac.new(secret.encode(), f"{sent_at}.".encode() + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(wanted.encode(), headers.get("X-Webhook-Signature", "").lower().encode())


def signing_secrets() -> tuple[str, ...]:
    """Every secret that counts, of the setting and from subscribing; an empty one is none."""
    return tuple(dict.fromkeys((*settings.WEBHOOK_SECRET.split(), *_stored_secrets())))


def _stored_secrets() -> list[str]:
    """What the service gave us when we subscribed."""
    return secret_store.read(StoredSecret.WEBHOOK_SECRET).split()


class Subscribed(NamedTuple):
    """A subscription to the service's events. `is_new`: it was made just now."""

    webhook_id: str
    is_new: bool


def subscribe(service: FormationService, url: str, *, anew: bool = False) -> Subscribed:
    """Have events posted to the address, with a new secret where `anew` is set, and count refused events from zero.

    Earlier subscriptions of the address are ended once the new one is kept. Raises GatewayError; Unsupported where the
    service has no such call.
    """
    earlier = [one for one in service.webhooks() if one.get("url") == url]
    RefusedEvents.objects.all().delete()
    if earlier and _stored_secrets() and not anew:
        return Subscribed(str(earlier[-1].get("id")), is_new=False)
    body = {"url": url, "events": sorted(EVENT_KINDS), "description": "Formation portal"}
    made = service.add_webhook(body, key=uuid.uuid4().hex)
    secret = made.get("secret")
    if not (isinstance(secret, str) and secret.strip()):
        raise UnexpectedAnswer("The service returned no secret")
    secret_store.replace(StoredSecret.WEBHOOK_SECRET, secret.strip())
    for one in earlier:
        # What is gone already is as it should be.
        with suppress(NotFound):
            service.remove_webhook(str(one.get("id")))
    return Subscribed(str(made["id"]), is_new=True)


BODY_LIMIT = 256 * 1024
# Longer than a service goes on sending the same event, and long enough for a look at what came.
KEPT_FOR = timedelta(days=30)
MEDIA_TYPE = "application/json"
_NAME = re.compile(r"[!-~]{1,200}")


def receive(body: bytes, *, headers: Headers, media_type: str) -> bool:
    """Keep an event, once. Return False for one that isn't surely the service's, which is only counted.

    What it says of itself decides only whether it was here before, and which application is read again.
    """
    event = None
    check = _is_standard if settings.WEBHOOK_SCHEME == STANDARD else _is_plain
    known_secrets = signing_secrets()
    if not any(check(secret, body, headers) for secret in known_secrets):
        reason = refusal_reason(headers, has_secret=bool(known_secrets))
    else:
        reason = RefusedEvents.Reason.CONTENT
        with suppress(ValueError, RecursionError):
            event = json.loads(body)
    if media_type != MEDIA_TYPE or not isinstance(event, dict):
        logger.warning("Event refused: %s", reason.label)
        count_refused_event(reason)
        return False
    kind, data = _short_word(event.get("type")), event.get("data")
    about = _short_word(data.get("entity_id")) if isinstance(data, dict) else ""
    # The id that is signed, else all that the event says.
    signed_id = headers.get("webhook-id", "") if settings.WEBHOOK_SCHEME == STANDARD else ""
    named = _short_word(event.get("id")) or _short_word(signed_id)
    event_id = named or f"sha256:{hashlib.sha256(body).hexdigest()}"
    with transaction.atomic():
        _, is_new = ReceivedEvent.objects.get_or_create(
            event_id=event_id, defaults={"kind": kind, "about": about, "body": body}
        )
        # One of another kind is only kept.
        if is_new and kind in EVENT_KINDS and about:
            read_soon(about)
            read_entity_soon(about)
    return True


def _short_word(value: Any) -> str:
    """A short word of visible characters; nothing where it is something else."""
    return value if isinstance(value, str) and _NAME.fullmatch(value) else ""


@hourly_task
def delete_old_events() -> None:
    """Delete the events that came longer ago than KEPT_FOR."""
    ReceivedEvent.objects.filter(received_at__lt=timezone.now() - KEPT_FOR).delete()
