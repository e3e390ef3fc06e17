"""Subscribes the portal to the service's events, where the service has the call."""

import uuid
from contextlib import suppress

from formation_portal.contract.events import KINDS
from formation_portal.gateway import FormationService
from formation_portal.gateway.errors import NotFound, UnexpectedAnswer

from . import secret_file


def subscribe(service: FormationService, url: str, *, anew: bool = False) -> bool:
    """Have events posted to the address; False where that was so already.

    With `anew` there is a new secret. Earlier subscriptions of the address are ended once the new one is kept. Raises
    GatewayError; Unsupported where the service has no such call.
    """
    earlier = [one for one in service.webhooks() if one.get("url") == url]
    if earlier and secret_file.is_kept() and not anew:
        return False
    body = {"url": url, "events": sorted(KINDS), "description": "Formation portal"}
    made = service.add_webhook(body, key=uuid.uuid4().hex)
    secret = made.get("secret")
    if not (isinstance(secret, str) and secret.strip()):
        raise UnexpectedAnswer("The service returned no secret")
    secret_file.keep(secret.strip())
    for one in earlier:
        # What is gone already is as it should be.
        with suppress(NotFound):
            service.remove_webhook(str(one.get("id")))
    return True
