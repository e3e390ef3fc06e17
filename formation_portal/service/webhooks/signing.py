"""Each subscription's secret, and the headers that are signed with it (Standard Webhooks).

A secret is derived from the subscription's id by a key of the service's own, which is a file. So a copy of the database
signs nothing.
"""

import base64
import hashlib
import hmac
import os
import secrets
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from django.conf import settings
from standardwebhooks import Webhook

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
    """Made on the first call and kept in DATA_DIR. Nobody ever reads half of it: it gets its name when it is whole."""
    path = Path(settings.DATA_DIR) / KEY_FILE
    if not path.exists():
        unseen = path.with_name(f"{KEY_FILE}-{secrets.token_hex(8)}")
        with os.fdopen(os.open(unseen, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(secrets.token_urlsafe(48).encode())
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(unseen, path)
        unseen.unlink()
    return path.read_bytes()
