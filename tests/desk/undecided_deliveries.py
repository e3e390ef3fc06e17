"""Things at the service as the relay leaves them when it can go no further, and the desk's pages about them."""

from datetime import timedelta
from typing import Any

from django.test import Client
from django.utils import timezone

from formation_portal.relay.models import Attempt, Delivery
from tests.desk.decision_setup import sound
from tests.encrypted_rows import update_each
from tests.markup import Markup

LIST = "/desk/deliveries/"


def put(kind: str, state: str, reason: str = "", *, hours: float = 1, **more: Any) -> Delivery:
    row = Delivery.objects.filter(kind=kind).order_by("pk")[0]
    at = timezone.now() - timedelta(hours=hours)
    changes = {"state": state, "reason": reason, "unclear_since": at, "key": "k1", "sent": row.wanted} | more
    update_each(Delivery.objects.filter(pk=row.pk), **changes)
    Attempt.objects.create(
        delivery=row, key="k1", request_id=f"req-{row.pk}", outcome="Unclear", status=502, ended_at=timezone.now()
    )
    return Delivery.objects.get(pk=row.pk)


def page_of(client: Client, path: str) -> Markup:
    return sound(client.get(path), 200)


def titles(client: Client, query: str = "") -> list[str]:
    return [one.text for one in page_of(client, f"{LIST}{query}").all("a", class_="thing")]


def path(row: Delivery, more: str = "") -> str:
    return f"{LIST}{row.pk}/{more}"


def post(client: Client, row: Delivery, **form: str) -> Any:
    seen = {"seen": row.updated_at.isoformat()}
    return client.post(path(row, "decision/"), seen | form)
