"""Each subscription's secret, and the headers that are signed with it (Standard Webhooks).

A secret is derived from the subscription's id by a key of the service's own, which is a file. So a copy of the database
signs nothing.
"""

import base64
import hashlib
import hmac
import secrets
from datetime import datetime
from pathlib import Path

from django.conf import settings
from standardwebhooks import Webhook

from formation_portal import secret_files

KEY_FILE = "webhook-signing-key"


def secret_of(subscription_id: str) -> str:
    """The secret, as its receiver keeps it."""
    digest = hmac.digest(_key(), subscription_id.encode(), hashlib.sha256)
    return "whsec_" + base64.b64encode(digest).decode()


def signed_headers(subscription_id: str, *, event_id: str, body: bytes, at: datetime) -> dict[str, str]:
    """What goes along with the body. Each try has a time of its own, since receivers refuse old ones."""
    signature = Webhook(secret_of(subscription_id)).sign(event_id, at, body.decode())
    return {
        "webhook-id": event_id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": signature,
    }


def _key() -> bytes:
    """Made on the first call and kept in DATA_DIR."""
    return secret_files.kept(Path(settings.DATA_DIR) / KEY_FILE, lambda: secrets.token_urlsafe(48)).encode()
