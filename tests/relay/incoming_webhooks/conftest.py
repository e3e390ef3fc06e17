"""A portal that has subscribed, and whoever posts to it."""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from standardwebhooks import Webhook

from formation_portal.applications.draft import Draft
from formation_portal.core.nodes import secret_store
from formation_portal.core.nodes.secret_store import StoredSecret
from formation_portal.relay.models import Delivery

URL = "/webhooks/formation-service/"
SECRET = "whsec_" + base64.b64encode(b"of the service, 32 bytes long...").decode()
WRONG = "whsec_" + base64.b64encode(b"of somebody else, as long as it.").decode()

Sign = Callable[..., dict[str, str]]


def event(about: str = "ent_1", **more: Any) -> dict[str, Any]:
    """One as INTERFACE.md shows it."""
    data = {"entity_id": about, "party_id": "pty_1", "party_type": "person", "roles": ["director"]}
    return {"id": "evt_1", "type": "party.added", "created_at": "2026-01-02T03:04:05Z", "data": data} | more


def written(value: Any) -> bytes:
    return json.dumps(value).encode()


def standard(body: bytes, *, secret: str = SECRET, at: datetime | None = None, name: str = "evt_1") -> dict[str, str]:
    """Signed by the reference library."""
    at = at or timezone.now()
    signature = Webhook(secret).sign(name, at, body.decode("utf-8", "replace"))
    return {"webhook-id": name, "webhook-timestamp": str(int(at.timestamp())), "webhook-signature": signature}


def plain(body: bytes, *, secret: str = SECRET, at: datetime | None = None, name: str = "evt_1") -> dict[str, str]:
    """The plainer scheme, as INTERFACE.md has it."""
    stamp = str(int((at or timezone.now()).timestamp()))
    signature = hmac.new(secret.encode(), f"{stamp}.".encode() + body, hashlib.sha256).hexdigest()
    return {"X-Webhook-Id": name, "X-Webhook-Timestamp": stamp, "X-Webhook-Signature": signature}


def post(body: bytes, headers: dict[str, str], media_type: str = "application/json") -> Any:
    client = Client(enforce_csrf_checks=True)
    return client.generic("POST", URL, body, content_type=media_type, headers=headers)


@pytest.fixture(params=[standard, plain], ids=["standard", "plain"])
def sign(request: pytest.FixtureRequest, settings: Any, tmp_path: Any) -> Sign:
    """Either scheme, with its setting, and the secret kept as `register_webhook` keeps it."""
    settings.WEBHOOK_SCHEME = request.param.__name__
    settings.DATA_DIR = tmp_path
    secret_store.replace(StoredSecret.WEBHOOK_SECRET, SECRET)
    return request.param


@pytest.fixture
def entity(submitted: Draft) -> str:
    """The id of an entity whose documents are not to be read for long."""
    Delivery.objects.filter(kind="document").update(read_next_at=timezone.now() + timedelta(days=1))
    return submitted.application.deliveries.get(kind="entity").remote_id
