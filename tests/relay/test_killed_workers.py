"""A worker that is killed in mid-call keeps nobody waiting: its leases are over with it, here and at the service."""

import multiprocessing
import os
import signal
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone

from formation_portal.applications.draft import Draft
from formation_portal.core.processes import current_process
from formation_portal.relay.calls.sending import make_next_call
from formation_portal.relay.delivery_status import deliveries_of
from formation_portal.relay.models import Delivery
from formation_portal.relay.worker import Worker, drain
from formation_portal.service.models import Entity, KeptAnswer
from tests.relay.calls.status_changes import without_keys

from .conftest import row
from .flaky_transport import FlakyTransport

__all__ = ["without_keys"]

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


def test_what_it_was_sending_is_sent_again_at_once(
    complete: Draft, transport: FlakyTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill_a_worker(complete, monkeypatch)
    assert row("entity").state == "sending"
    assert KeptAnswer.objects.get().status is None
    began = timezone.now()
    Worker().work_once()
    found = row("entity")
    assert (found.state, found.holder, found.lease) == ("unknown", "", None)
    assert found.next_at is not None
    assert found.next_at - began < timedelta(seconds=30), "its lease has 180 s, and the service's 120 s"
    drain()
    assert deliveries_of(complete.application).overall.words == "Received"
    assert Entity.objects.count() == 1
    assert [one.outcome for one in found.tries.order_by("pk")] == ["worker_died", "done"]


def test_without_keys_it_rests_until_nothing_more_can_come_of_it(
    complete: Draft, without_keys: FlakyTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill_a_worker(complete, monkeypatch)
    began = timezone.now()
    Worker().work_once()
    due = row("entity").next_at
    assert due is not None
    assert timedelta(seconds=60) <= due - began < timedelta(seconds=120)


def test_a_worker_that_lives_keeps_its_lease(complete: Draft, transport: FlakyTransport) -> None:
    until = timezone.now() + timedelta(seconds=100)
    Delivery.objects.filter(kind="entity").update(
        state="sending", lease_until=until, next_at=until, holder=current_process()
    )
    assert Worker().work_once() == 0
    assert (row("entity").state, row("entity").next_at, transport.calls) == ("sending", until, [])
