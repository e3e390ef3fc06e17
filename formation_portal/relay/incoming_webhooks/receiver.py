"""Takes events in: each is kept once, as it came, and makes the relay read what it is about again soon."""

import hashlib
import json
import logging
import re
from contextlib import suppress
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from formation_portal.contract.lifecycle import EVENT_KINDS
from formation_portal.core.background import hourly_task
from formation_portal.relay.document_status import read_soon
from formation_portal.relay.models import ReceivedEvent

from . import signatures

logger = logging.getLogger(__name__)

BODY_LIMIT = 256 * 1024
# Longer than a service goes on sending the same event, and long enough for a look at what came.
KEPT_FOR = timedelta(days=30)
MEDIA_TYPE = "application/json"
_NAME = re.compile(r"[!-~]{1,200}")


def receive(body: bytes, *, headers: signatures.Headers, media_type: str) -> bool:
    """Keep the event, once; False where it isn't surely the service's, and then nothing happens.

    What it says of itself decides only whether it was here before, and which application is read again.
    """
    event = None
    if media_type == MEDIA_TYPE and signatures.is_signed(body, headers):
        with suppress(ValueError, RecursionError):
            event = json.loads(body)
    if not isinstance(event, dict):
        logger.warning("Event refused: no valid signature from the last five minutes")
        return False
    kind, data = _short_word(event.get("type")), event.get("data")
    about = _short_word(data.get("entity_id")) if isinstance(data, dict) else ""
    # The id that is signed, else all that the event says.
    named = _short_word(event.get("id")) or _short_word(signatures.signed_id(headers))
    event_id = named or f"sha256:{hashlib.sha256(body).hexdigest()}"
    with transaction.atomic():
        _, is_new = ReceivedEvent.objects.get_or_create(
            event_id=event_id, defaults={"kind": kind, "about": about, "body": body}
        )
        # One of another kind is only kept.
        if is_new and kind in EVENT_KINDS and about:
            read_soon(about)
    return True


def _short_word(value: Any) -> str:
    """A short word of visible characters; nothing where it is something else."""
    return value if isinstance(value, str) and _NAME.fullmatch(value) else ""


@hourly_task
def delete_old_events() -> None:
    """Delete the events that came longer ago than KEPT_FOR."""
    ReceivedEvent.objects.filter(received_at__lt=timezone.now() - KEPT_FOR).delete()
