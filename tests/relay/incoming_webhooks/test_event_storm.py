"""Many events at once: repeated, reordered, forged and late. What the portal knows in the end is what the service has.

The service's own outbox is posted by its own signing to the portal's own receiver; nothing in between is believed.
"""

import json
import random
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from formation_portal.contract.lifecycle import State
from formation_portal.relay.document_status import read_due_documents
from formation_portal.relay.models import Delivery, ReceivedEvent
from formation_portal.relay.worker import drain
from formation_portal.service.models import Document, Entity, EventDelivery
from formation_portal.service.webhooks import events
from formation_portal.service.webhooks.sending import body_of, signed_headers
from tests import factories
from tests.relay.flaky_transport import FlakyTransport

from .conftest import WRONG, post, standard

pytestmark = pytest.mark.django_db(databases=["default", "service"])

APPLICATIONS = 4
# How many happenings later a webhook arrives at most.
LONGEST = 40
REPEATED, REORDERED, FORGED, STALE = 0.20, 0.20, 0.05, 0.05


@dataclass(frozen=True)
class SignedEvent:
    """One webhook on its way: true, forged, or late."""

    body: bytes
    subscription: str
    kind: str = "true"

    @property
    def name(self) -> str:
        return str(json.loads(self.body)["id"])

    def headers(self) -> dict[str, str]:
        if self.kind == "forged":
            return standard(self.body, secret=WRONG, name=self.name)
        late = timedelta(minutes=6) if self.kind == "stale" else timedelta()
        return signed_headers(self.subscription, event_id=self.name, body=self.body, at=timezone.now() - late)


@pytest.fixture
def entities(owner: Any, transport: FlakyTransport, settings: Any, tmp_path: Path) -> list[Entity]:
    """Applications at the service, whose documents nothing but a hint would have read."""
    settings.RELAY_CALLS_PER_SECOND = 1_000_000
    for _ in range(APPLICATIONS):
        factories.submitted_draft(owner)
    drain()
    Delivery.objects.filter(kind="document").update(read_next_at=timezone.now() + timedelta(days=1))
    settings.DATA_DIR = tmp_path
    call_command("register_webhook", wait=0)
    EventDelivery.objects.all().delete()
    return list(Entity.objects.order_by("created_at"))


def happens(entities: list[Entity], chance: random.Random) -> SignedEvent:
    """Something happens at the service; the webhook that it leaves."""
    entity = chance.choice(entities)
    for document in Document.objects.filter(entity=entity):
        Document.objects.filter(pk=document.pk).update(status=chance.choice(("pending", "rejected")))
    events.status_changed(entity, before=State.SUBMITTED_FOR_REVIEW)
    row = EventDelivery.objects.select_related("event").get(delivered_at=None)
    EventDelivery.objects.update(delivered_at=timezone.now())
    return SignedEvent(body_of(row.event), row.subscription_id)


def arrivals(count: int, chance: random.Random) -> list[tuple[float, int, str]]:
    """When each webhook arrives, which happening it tells of, and what it is. Happening 7 happens at 7."""
    true = round(count * (1 - REPEATED - FORGED - STALE))
    is_late = set(chance.sample(range(true), round(count * REORDERED)))
    found = [(one + (chance.uniform(1, LONGEST) if one in is_late else 0), one, "true") for one in range(true)]
    for kind, part in (("true", REPEATED), ("forged", FORGED), ("stale", STALE)):
        chosen = chance.choices(range(true), k=round(count * part))
        found += [(one + chance.uniform(0, LONGEST), one, kind) for one in chosen]
    return sorted(found)


def document_statuses() -> dict[str, str]:
    return dict(Delivery.objects.filter(kind="document", state="done").values_list("remote_id", "document_status"))


def at_the_service() -> dict[str, str]:
    documents = Document.objects.values_list("id", "status")
    return {name: "" if status == "pending" else status for name, status in documents}


@pytest.mark.parametrize("count", [100, pytest.param(1_000, marks=pytest.mark.long)])
def test_whatever_becomes_of_webhooks_the_portal_knows_what_the_service_has(
    count: int, entities: list[Entity], transport: FlakyTransport
) -> None:
    chance = random.Random(20_260_102)
    sent: list[SignedEvent] = []
    answers: dict[str, list[int]] = {"true": [], "forged": [], "stale": []}
    for at, number, kind in (order := arrivals(count, chance)):
        while len(sent) <= at and len(sent) <= max(one for _, one, _ in order):
            sent.append(happens(entities, chance))
        signed = replace(sent[number], kind=kind)
        answers[kind].append(post(signed.body, signed.headers()).status_code)
        if not chance.randrange(5):
            read_due_documents()
    read_due_documents()
    assert sum(map(len, answers.values())) == count
    assert set(answers["true"]) == {200}
    assert set(answers["forged"]) == set(answers["stale"]) == {401}, "0 forged accepted"
    assert set(ReceivedEvent.objects.values_list("event_id", flat=True)) == {one.name for one in sent}
    assert document_statuses() == at_the_service()
    assert "rejected" in document_statuses().values()


def test_only_what_was_forged_changes_nothing(entities: list[Entity], transport: FlakyTransport) -> None:
    chance = random.Random(20_260_103)
    before = document_statuses()
    for _ in range(20):
        signed = happens(entities, chance)
        for kind in ("forged", "stale"):
            assert post(signed.body, replace(signed, kind=kind).headers()).status_code == 401
    transport.calls.clear()
    assert read_due_documents() == 0
    assert transport.endpoints == []
    assert document_statuses() == before != at_the_service()
