"""States of the API keys: used, without an end, revoked, made just now, and what the form refuses."""

from collections.abc import Iterator
from datetime import timedelta

from django.contrib.auth import get_user_model
from django.utils import timezone

from formation_portal.desk.api_keys.keys import make_key, revoke
from formation_portal.service.models import ApiKey
from tests.journeys.page_states.screenshots import Shot, press


def api_key_states() -> Iterator[Shot]:
    """Each for an agent."""
    agent = get_user_model().objects.get(email="agent@example.com")
    ends = timezone.now() + timedelta(days=30)
    made = [
        make_key(by=agent, name=name, scopes=["entities:read"], account="Larkfield", expires_at=ends)[0]
        for name in ("Ledger import", "Registry bridge")
    ]
    ApiKey.objects.filter(pk=made[0].pk).update(last_used_at=timezone.now(), expires_at=None)
    revoke(made[1].pk, by=agent)
    yield Shot("api-keys", "/desk/api-keys/", who="agent")
    yield Shot("api-keys-refused", "/desk/api-keys/", who="agent", act=lambda tab: press(tab, "Make key"))
    yield Shot("api-key-revocation", f"/desk/api-keys/{made[0].pk}/revocation/", who="agent")
