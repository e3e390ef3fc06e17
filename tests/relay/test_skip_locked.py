"""Several at once on PostgreSQL: a row that another is about to take is passed over, and no event is overlooked."""

import contextlib
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections, transaction
from django.db.models import QuerySet
from django.utils import timezone

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.mail.models import Email
from formation_portal.mail.outbox import claim_next as claim_letter
from formation_portal.mail.outbox import queue_email
from formation_portal.relay import entity_status
from formation_portal.relay.calls.claiming import claim
from formation_portal.relay.models import EntityReading
from formation_portal.service.models import Account, Event, EventDelivery, Subscription
from formation_portal.service.webhooks.sending import claim_next as claim_event
from tests import factories
from tests.relay.conftest import read_all_entities, row
from tests.two_connections import _waits_for_a_lock, postgresql_only

pytestmark = [pytest.mark.django_db(databases=["default", "service"], transaction=True), postgresql_only]


@contextlib.contextmanager
def held_elsewhere(rows: QuerySet[Any]) -> Iterator[None]:
    """Another connection has locked the rows, and goes on only when the block has ended."""
    held, may_go_on = threading.Event(), threading.Event()

    def hold() -> None:
        try:
            with transaction.atomic(using=rows.db):
                assert list(rows.select_for_update())
                held.set()
                may_go_on.wait(60)
        finally:
            connections.close_all()

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(60)
    # Whoever waits for the lock is an error, and no test that hangs.
    with connections[rows.db].cursor() as cursor:
        cursor.execute("SET lock_timeout = '2s'")
    try:
        yield
    finally:
        may_go_on.set()
        thread.join(60)
        with connections[rows.db].cursor() as cursor:
            cursor.execute("RESET lock_timeout")


def test_a_worker_takes_the_next_application_while_one_is_held(complete: Draft, owner: Any) -> None:
    other = factories.complete_draft(owner).application
    with held_elsewhere(Application.objects.filter(pk=complete.application.pk)):
        assert claim(complete.application.pk) is None
        assert claim(other.pk).application == other
    assert claim(complete.application.pk).application == complete.application


def test_a_letter_that_is_held_is_passed_over(db: None) -> None:
    for code in ("111 111", "222 222"):
        context = {"code": code, "minutes": 10, "reference": "FP-1"}
        queue_email(kind="code", to="ada@example.com", language="en", context=context)
    first, second = Email.objects.order_by("pk")
    with held_elsewhere(Email.objects.filter(pk=first.pk)):
        assert claim_letter() == second
        assert claim_letter() is None
    assert claim_letter() == first


def test_an_event_that_is_held_is_passed_over_and_its_entity_with_it(db: None) -> None:
    account = Account.objects.create(name="Somebody")
    subscription = Subscription.objects.create(account=account, url="https://receiver.example/")
    rows = []
    for about in ("ent_1", "ent_1", "ent_2"):
        event = Event.objects.create(account=account, type="entity.created", data={})
        rows.append(
            EventDelivery.objects.create(
                subscription=subscription, event=event, about=about, next_at=timezone.now() - timedelta(seconds=1)
            )
        )
    with held_elsewhere(EventDelivery.objects.filter(pk=rows[0].pk)):
        assert claim_event(subscription.pk).delivery == rows[2]
        assert claim_event(subscription.pk) is None
    assert claim_event(subscription.pk).delivery == rows[0]


def test_an_event_while_a_status_is_noted_is_read(submitted: Draft, monkeypatch: pytest.MonkeyPatch) -> None:
    entity_id, note = row("entity").remote_id, entity_status._note_record
    told: list[Future[None]] = []

    def event_arrives() -> None:
        try:
            entity_status.read_entity_soon(entity_id)
        finally:
            connections.close_all()

    def wait_for_the_event() -> None:
        # On a connection of its own: within a transaction PostgreSQL goes on showing what it has shown once.
        try:
            _waits_for_a_lock(told[0])
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:

        def note_while_it_arrives(*of: Any) -> None:
            told.append(pool.submit(event_arrives))
            pool.submit(wait_for_the_event).result()
            note(*of)

        monkeypatch.setattr(entity_status, "_note_record", note_while_it_arrives)
        assert read_all_entities() == 1
        told[0].result()
    assert EntityReading.objects.get().next_at <= timezone.now()
