"""Sending: signed by the reference library, in order per entity, tried again on the schedule, and then given up."""

import json
import socket
from pathlib import Path
from typing import Any

import pytest
from standardwebhooks import Webhook
from standardwebhooks.webhooks import WebhookVerificationError

from formation_portal.contract.lifecycle import EVENT_KINDS
from formation_portal.service.models import Event, EventDelivery
from formation_portal.service.webhooks import sending
from formation_portal.service.webhooks.sending import claim_next, delete_expired, send_due
from tests import factories
from tests.service.caller import Caller

from .conftest import Clock
from .receiver import Receiver

pytestmark = pytest.mark.django_db(databases=["service"])


def test_the_reference_library_verifies_what_we_send(caller: Caller, receiver: Receiver, secret: str) -> None:
    entity = caller.entity(name="Société Übersee")
    party = caller.person(entity, "director")
    assert send_due() == 2
    for request in receiver.received:
        payload = Webhook(secret).verify(request.body, request.headers)
        assert payload["id"] == request.headers["webhook-id"]
        with pytest.raises(WebhookVerificationError):
            Webhook(secret).verify(request.body.replace(b"ent_", b"ent-"), request.headers)
    assert set(payload) == {"id", "type", "created_at", "data"}
    assert payload["type"] == "party.added"
    assert payload["data"] == {"entity_id": entity, "party_id": party, "party_type": "person", "roles": ["director"]}
    assert receiver.received[1].headers["content-type"] == "application/json"
    assert send_due() == 0


def test_a_receiver_that_is_down_for_an_hour_gets_everything_once_and_in_order(
    caller: Caller, receiver: Receiver, secret: str, clock: Clock
) -> None:
    receiver.status = 503
    entity, other = caller.entity(), caller.entity()
    party = caller.person(entity, "shareholder")
    caller.holding(entity, party, caller.share_class(entity))
    caller.upload(f"/entities/{entity}/documents", file=factories.upload(), document_key="Business plan")
    for _ in range(3):
        clock.move(minutes=20)
        caller.person(other, "director")
        assert send_due() == 0
    caller.delete(f"/entities/{other}/parties/{caller.person(other, 'director')}")
    assert caller.post(f"/entities/{entity}/status", {"status": "withdrawn"}).status_code == 200
    receiver.status = 200
    receiver.received.clear()
    for _ in range(20):
        clock.move(minutes=10)
        send_due()
    assert len(receiver.ids) == len(set(receiver.ids)) == 12
    events = [json.loads(request.body) for request in receiver.received]
    assert [event["type"] for event in events if event["data"]["entity_id"] == entity] == [
        "entity.created",
        "party.added",
        "shareholding.created",
        "party.updated",
        "document.uploaded",
        "entity.status_changed",
    ]
    assert [event["type"] for event in events if event["data"]["entity_id"] == other] == [
        "entity.created",
        *["party.added"] * 4,
        "party.removed",
    ]
    assert not EventDelivery.objects.filter(delivered_at=None).exists()


def test_a_delivery_is_tried_on_the_schedule_and_then_dead(
    caller: Caller, receiver: Receiver, secret: str, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    receiver.status = 500
    caller.entity()
    send_due()
    for wait in (5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400):
        row = EventDelivery.objects.get()
        assert row.next_at is not None
        seconds = (row.next_at - clock.now()).total_seconds()
        assert wait - 30 < seconds <= wait * 1.1
        clock.move(seconds=seconds - 1)
        send_due()
        assert EventDelivery.objects.get().tries == row.tries, "not before its time"
        clock.move(seconds=2)
        send_due()
        assert EventDelivery.objects.get().tries == row.tries + 1
    row = EventDelivery.objects.get()
    assert (row.state, row.next_at, row.tries, row.attempts.count()) == ("dead", None, 10, 10)
    assert len(set(receiver.ids)) == 1, "each try has the same id"
    assert "given up after 10 attempts" in caplog.text
    assert "hidden" not in caplog.text, "a target may hold a key"


def test_an_event_that_is_never_taken_holds_up_no_other_for_days(
    caller: Caller, receiver: Receiver, secret: str, clock: Clock
) -> None:
    receiver.status = 500
    entity = caller.entity()
    send_due()
    receiver.status = 200
    caller.person(entity, "director")
    assert send_due() == 0, "it waits behind the earlier one"
    EventDelivery.objects.filter(tries=1).update(tries=sending.PATIENT_TRIES + 1)
    assert send_due() == 1
    assert json.loads(receiver.received[-1].body)["type"] == "party.added"


def test_one_receiver_that_is_down_keeps_no_other_waiting(caller: Caller, receiver: Receiver, secret: str) -> None:
    with socket.socket() as shut:
        shut.bind(("127.0.0.1", 0))
        caller.webhook(f"http://127.0.0.1:{shut.getsockname()[1]}/", "entity.created")
        caller.entity()
        caller.entity()
        assert send_due() == 2
    assert len(receiver.received) == 2
    assert EventDelivery.objects.filter(delivered_at=None).count() == 2


def test_a_try_whose_sender_died_is_noted_beside_the_earlier_ones(
    caller: Caller, receiver: Receiver, secret: str, clock: Clock
) -> None:
    receiver.status = 500
    caller.entity()
    send_due()
    row = EventDelivery.objects.get()
    for _ in range(2):
        clock.move(hours=1)
        assert claim_next(row.subscription_id) is not None
    outcomes = row.attempts.order_by("pk").values_list("outcome", flat=True)
    assert list(outcomes) == ["refused", "sender_died", ""]
    received = len(receiver.received)
    assert claim_next(row.subscription_id) is None, "what another sender has taken is left alone"
    assert send_due() == 0
    assert len(receiver.received) == received
    # Where a database lets both read the row before either has written it.
    caller.entity()
    seen = EventDelivery.objects.select_related("event", "subscription").get(tries=0)
    assert claim_next(seen.subscription_id) is not None
    assert not seen.claim()
    assert EventDelivery.objects.get(pk=seen.pk).tries == 1


def test_a_fault_of_our_own_waits_like_any_other(
    caller: Caller, receiver: Receiver, secret: str, clock: Clock, settings: Any, tmp_path: Path
) -> None:
    caller.entity()
    settings.DATA_DIR = tmp_path / "nowhere"
    assert send_due() == 0
    row = EventDelivery.objects.get()
    assert (row.attempts.get().outcome, row.lease) == ("failed_here", None)
    settings.DATA_DIR = tmp_path
    clock.move(seconds=6)
    assert send_due() == 1


def test_what_has_been_over_for_thirty_days_or_nobody_wanted_is_cleared_and_what_is_to_be_sent_stays(
    caller: Caller, other_account: Caller, receiver: Receiver, secret: str, clock: Clock
) -> None:
    other_account.entity()
    caller.entity()
    send_due()
    clock.move(days=29, hours=23)
    caller.entity()
    delete_expired()
    assert (Event.objects.count(), EventDelivery.objects.count()) == (3, 2)
    clock.move(hours=2)
    delete_expired()
    assert (Event.objects.count(), EventDelivery.objects.get().state) == (1, "waiting")
    clock.move(days=40)
    delete_expired()
    assert EventDelivery.objects.get().state == "waiting"


def test_an_event_stays_until_its_last_delivery_has_long_been_over(
    caller: Caller, receiver: Receiver, secret: str, clock: Clock
) -> None:
    assert caller.post("/webhooks", {"url": f"{receiver.url}&other=1", "events": EVENT_KINDS}).status_code == 201
    caller.entity()
    assert send_due() == 2
    late, other = EventDelivery.objects.order_by("pk")
    late.next_at, late.delivered_at = clock.now(), None
    late.save()
    clock.move(days=31)
    delete_expired()
    assert Event.objects.count() == 1, "one delivery is still to be made"
    assert not EventDelivery.objects.filter(pk=other.pk).exists()
    EventDelivery.objects.update(next_at=None, dead_at=clock.now())
    clock.move(days=29)
    delete_expired()
    assert EventDelivery.objects.get().state == "dead", "it may still be looked at, and sent again"
    assert Event.objects.count() == 1
    clock.move(days=2)
    delete_expired()
    assert not Event.objects.exists()
