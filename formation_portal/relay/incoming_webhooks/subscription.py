"""The subscription to the service's events, and the secrets that sign them: from subscribing, or a setting."""

import uuid
from contextlib import suppress
from pathlib import Path

from django.conf import settings

from formation_portal.contract.lifecycle import EVENT_KINDS
from formation_portal.core.storage import replace_secret
from formation_portal.gateway import FormationService
from formation_portal.gateway.errors import NotFound, UnexpectedAnswer

FILE_NAME = "portal-webhook-secret"


def signing_secrets() -> tuple[str, ...]:
    """Every secret that counts, none being among them as little as an empty one."""
    return tuple(dict.fromkeys((*settings.WEBHOOK_SECRET.split(), *_stored())))


def has_secret() -> bool:
    """Whether the service gave us one when we subscribed."""
    return bool(_stored())


def store_secret(secret: str) -> None:
    """Take the place of the one before."""
    replace_secret(_secret_path(), secret)


def _stored() -> list[str]:
    try:
        return _secret_path().read_text().split()
    except FileNotFoundError:
        return []


def _secret_path() -> Path:
    return Path(settings.DATA_DIR) / FILE_NAME


def subscribe(service: FormationService, url: str, *, anew: bool = False) -> bool:
    """Have events posted to the address; False where that was so already.

    With `anew` there is a new secret. Earlier subscriptions of the address are ended once the new one is kept. Raises
    GatewayError; Unsupported where the service has no such call.
    """
    earlier = [one for one in service.webhooks() if one.get("url") == url]
    if earlier and has_secret() and not anew:
        return False
    body = {"url": url, "events": sorted(EVENT_KINDS), "description": "Formation portal"}
    made = service.add_webhook(body, key=uuid.uuid4().hex)
    secret = made.get("secret")
    if not (isinstance(secret, str) and secret.strip()):
        raise UnexpectedAnswer("The service returned no secret")
    store_secret(secret.strip())
    for one in earlier:
        # What is gone already is as it should be.
        with suppress(NotFound):
            service.remove_webhook(str(one.get("id")))
    return True
