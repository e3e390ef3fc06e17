"""A killed worker loses nothing, since its leases end by time; one that is told to end makes its call first."""

import multiprocessing
import os
import signal
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections, transaction
from django.utils import timezone

from formation_portal.applications.draft import Draft
from formation_portal.core.databases import SERVICE
from formation_portal.relay.calls.sending import make_next_call
from formation_portal.relay.delivery_status import deliveries_of
from formation_portal.relay.models import Delivery
from formation_portal.relay.worker import Worker, drain
from formation_portal.service.models import Account, Entity, KeptAnswer
from tests.waiting import wait_until
from tests.worker_process import end, tell_to_end, worker_process

from .conftest import row
from .flaky_transport import FlakyTransport

pytestmark = pytest.mark.django_db(databases=["default", "service"], transaction=True)


def kill_a_worker(draft: Draft, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the service makes the entity, in the same process."""

    def die(*_: Any) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    with monkeypatch.context() as patch:
        patch.setattr("formation_portal.service.webhooks.events.entity_created", die)
        connections.close_all()
        worker = multiprocessing.get_context("fork").Process(target=make_next_call, args=(draft.application.pk,))
        worker.start()
        worker.join()
    assert worker.exitcode == -signal.SIGKILL


def end_leases(settings: Any) -> None:
    """Let as much time pass as the relay's lease and the service's hold on the key have."""
    past = timezone.now() - timedelta(seconds=1)
    assert Delivery.objects.filter(state="sending").update(lease_until=past, next_at=past)
    given_up = timedelta(seconds=settings.SERVICE_GIVEN_UP_SECONDS + 1)
    KeptAnswer.objects.filter(status=None).update(started_at=timezone.now() - given_up)


def test_what_a_killed_worker_sent_is_sent_again_later(
    complete: Draft, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    kill_a_worker(complete, monkeypatch)
    assert row("entity").state == "sending"
    assert KeptAnswer.objects.get().status is None
    assert Worker().work_once() == 0
    assert row("entity").state == "sending", "its lease has not ended"
    end_leases(settings)
    Worker().work_once()
    found = row("entity")
    assert (found.state, found.lease, found.lease_until) == ("unknown", None, None)
    drain()
    assert deliveries_of(complete.application).overall.words == "Received"
    assert Entity.objects.count() == 1
    assert [one.outcome for one in found.calls.order_by("pk")] == ["worker_died", "done"]


@pytest.mark.usefixtures("without_keys")
def test_without_keys_what_it_was_sending_rests_until_nothing_more_can_come_of_it(
    complete: Draft, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    kill_a_worker(complete, monkeypatch)
    end_leases(settings)
    began = timezone.now()
    Worker().work_once()
    assert timedelta(seconds=60) <= row("entity").next_at - began < timedelta(seconds=120)


@pytest.mark.usefixtures("complete")
def test_a_worker_that_lives_keeps_its_lease(transport: FlakyTransport) -> None:
    until = timezone.now() + timedelta(seconds=100)
    Delivery.objects.filter(kind="entity").update(state="sending", lease_until=until, next_at=until)
    assert Worker().work_once() == 0
    assert (row("entity").state, row("entity").next_at, transport.calls) == ("sending", until, [])


def test_a_worker_that_is_told_to_end_makes_its_call_once_and_begins_no_other(complete: Draft) -> None:
    # The service writes only when this transaction is over.
    with worker_process("relay") as process:
        with transaction.atomic(using=SERVICE):
            lock_service()
            wait_until(Delivery.objects.filter(state="sending").exists, seconds=60)
            tell_to_end(process)
        end(process)
    entity = row("entity")
    assert (entity.state, entity.lease, [call.outcome for call in entity.calls.all()]) == ("done", None, ["done"])
    assert not Delivery.objects.exclude(kind="entity").filter(calls__isnull=False).exists()
    drain()
    assert Entity.objects.count() == 1


def lock_service() -> None:
    if connections[SERVICE].vendor == "postgresql":
        Account.objects.select_for_update().get(name="portal")
        with connections[SERVICE].cursor() as cursor:
            cursor.execute(f"LOCK TABLE {Entity._meta.db_table} IN EXCLUSIVE MODE")
