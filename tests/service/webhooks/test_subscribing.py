"""Subscriptions: made, listed, ended; their secret is shown once; and what happened is written for each of them."""

import stat
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core import serializers
from django.db import transaction

from formation_portal.core.databases import SERVICE
from formation_portal.core.nodes.secret_store import StoredSecret
from formation_portal.service.models import Event, EventDelivery, KeptAnswer, Subscription
from formation_portal.service.routes.webhooks import MAX_WEBHOOKS
from formation_portal.service.webhooks.sending import secret_of
from tests.service.caller import Caller, pointers, problem

pytestmark = pytest.mark.django_db(databases=["service"])

URL = "https://hooks.example.com/in"
BODY = {"url": URL, "events": ["party.added", "entity.created"], "description": "Ours"}


def test_the_secret_is_shown_once_and_is_nowhere_in_the_database(caller: Caller) -> None:
    made = caller.post("/webhooks", BODY, Idempotency_Key="once").json()["data"]
    assert made["secret"].startswith("whsec_")
    again = caller.post("/webhooks", BODY, Idempotency_Key="once")
    assert again["Idempotent-Replayed"] == "true"
    assert again.json()["data"] == {**made, "secret": None}
    record = {name: value for name, value in made.items() if name != "secret"}
    assert caller.get(f"/webhooks/{made['id']}").json()["data"] == record
    assert caller.get("/webhooks").json()["data"] == [record]
    rows = serializers.serialize("json", [*Subscription.objects.all(), *KeptAnswer.objects.all()])
    assert made["secret"] not in rows
    assert made["secret"].encode() not in bytes(KeptAnswer.objects.get().body)


def test_each_subscription_has_a_secret_of_its_own_made_by_a_key_that_only_we_can_read(caller: Caller) -> None:
    first, second = caller.webhook(), caller.webhook()
    assert secret_of(first) != secret_of(second)
    assert secret_of(first) == secret_of(first)
    path = Path(settings.DATA_DIR) / StoredSecret.SIGNING_KEY
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not list(path.parent.glob(f"{StoredSecret.SIGNING_KEY}-*")), "what it was written under first is gone"


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("events", []),
        ("events", ["party.vanished"]),
        ("url", "https://user:word@hooks.example.com/"),
        ("url", "https://hooks.example.com/#part"),
        ("url", "https://hooks.example.com/\r\nX-More: 1"),
        ("url", "https://hooks.example.com:65536/"),
        ("url", "https://10.0.0.8/in"),
        ("url", "https://[::ffff:127.0.0.1]/in"),
        ("url", f"https://hooks.example.com/{'a' * 2000}"),
        ("description", "two\nlines"),
        ("url", "http://localhost/in"),
        ("url", "http://[::1]/"),
    ],
)
def test_what_no_subscription_can_be_is_refused_at_its_member(
    caller: Caller, settings: Any, member: str, value: Any
) -> None:
    settings.WEBHOOK_TARGETS = ()
    answer = caller.post("/webhooks", BODY | {member: value})
    assert answer.status_code == 422
    assert pointers(answer)[0].startswith(f"/{member}")
    assert not Subscription.objects.exists()


def test_a_target_inside_is_refused_by_a_code_of_its_own(caller: Caller, settings: Any) -> None:
    settings.WEBHOOK_TARGETS = ()
    answer = caller.post("/webhooks", BODY | {"url": "https://127.0.0.1/in"})
    assert problem(answer, 422, "validation_failed", "/url")["errors"][0]["code"] == "target_not_allowed"


def test_an_account_has_so_many_and_may_end_one(caller: Caller) -> None:
    made = [caller.webhook() for _ in range(MAX_WEBHOOKS)]
    problem(caller.post("/webhooks", BODY), 409, "conflict")
    assert caller.delete(f"/webhooks/{made[0]}").status_code == 204
    assert caller.post("/webhooks", BODY).status_code == 201


def test_an_event_is_written_for_whoever_of_its_account_wants_it(caller: Caller, other_account: Caller) -> None:
    wants = caller.webhook(URL, "party.added")
    caller.webhook(URL, "party.removed")
    other_account.webhook(URL, "party.added")
    entity = caller.entity()
    party = caller.person(entity, "director")
    row = EventDelivery.objects.select_related("event").get()
    assert (row.subscription_id, row.about) == (wants, entity)
    assert row.event.data["party_id"] == party


def test_what_was_undone_is_told_to_nobody(caller: Caller, entity: str) -> None:
    caller.webhook(URL, "party.added")
    with transaction.atomic(using=SERVICE):
        caller.person(entity, "director")
        assert EventDelivery.objects.exists()
        transaction.set_rollback(True, using=SERVICE)
    assert not EventDelivery.objects.exists()
    assert not Event.objects.filter(type="party.added").exists()


def test_a_test_event_goes_to_one_subscription_of_ones_own(caller: Caller, other_account: Caller) -> None:
    theirs, chosen, _ = other_account.webhook(), caller.webhook(), caller.webhook()
    for name in (theirs, "wh_of_another", "ent_1"):
        assert caller.post(f"/webhooks/{name}/test", {}).status_code == 404
    answer = caller.post(f"/webhooks/{chosen}/test", {})
    assert answer.status_code == 202
    event = Event.objects.get()
    assert answer.json() == {"data": {"id": event.id, "type": "webhook.test"}}
    assert (event.type, event.data) == ("webhook.test", {"webhook_id": chosen})
    delivery = EventDelivery.objects.get()
    assert (delivery.subscription_id, delivery.event_id, delivery.next_at is not None) == (chosen, event.pk, True)
