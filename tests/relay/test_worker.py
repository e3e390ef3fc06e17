"""The worker: it sends what is saved, a signal ends it, and as many run as one likes."""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from datetime import timedelta
from queue import Empty, Queue
from typing import Any

import pytest
from django.db import connection, connections, transaction
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.relay import wake, worker
from formation_portal.relay.calls.sending import make_next_call
from formation_portal.relay.delivery_status import deliveries_of
from formation_portal.relay.models import Attempt, Delivery, DeliveryState
from formation_portal.relay.service_profile import update_profile
from formation_portal.relay.wake import RELAY
from formation_portal.relay.worker import Worker, drain
from tests import factories
from tests.log_lines import json_lines
from tests.two_connections import postgresql_only
from tests.waiting import wait_until

from .conftest import save, wait_at_most
from .flaky_transport import FlakyTransport, unreachable

pytestmark = pytest.mark.django_db(databases=["default", "service"], transaction=True)


@contextlib.contextmanager
def running() -> Iterator[None]:
    """A worker in a thread of its own, which ends with the block."""
    worker = Worker()

    def run() -> None:
        try:
            worker.run()
        finally:
            connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    if RELAY.is_on_postgresql:
        wait_until(RELAY.is_listened_to)
    yield
    worker.stop()
    RELAY.wake_after_commit()
    thread.join(timeout=20)
    assert not thread.is_alive()


def until_received(draft: Draft) -> None:
    wait_until(lambda: deliveries_of(draft.application).overall.words == "Received")


def test_a_worker_sends_what_was_saved_before_and_after_it_started(complete: Draft) -> None:
    with running():
        until_received(complete)
        save(complete, "the-company", {"entity.name": "Larkspur"})
        until_received(complete)
    assert Delivery.objects.get(kind="entity").acknowledged["answers"]["entity.name"] == "Larkspur"


def test_what_the_relay_logs_names_the_delivery_and_its_attempt(complete: Draft) -> None:
    row = Delivery.objects.get(kind="entity")
    with json_lines() as lines:
        assert make_next_call(complete.application.pk) is not None
    request_id = Attempt.objects.get(delivery=row).request_id
    logged = {(line["logger"].rpartition(".")[2], line.get("delivery"), line.get("request")) for line in lines()}
    assert {(name, row.pk, request_id) for name in ("pipeline", "request_log", "calls")} <= logged
    message = f"Delivery {row.pk} (entity) is done, request {request_id}"
    assert (message, row.pk) in [(line["message"], line["delivery"]) for line in lines()]


def test_several_workers_send_everything_once(complete: Draft, transport: FlakyTransport) -> None:
    with running(), running(), running():
        until_received(complete)
    assert len(transport.calls) == 7
    assert Attempt.objects.exclude(outcome="done").count() == 0


@postgresql_only
def test_a_page_does_not_wait_where_no_worker_runs(complete: Draft, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        wait_at_most(60_000, complete.application)


def test_a_page_does_not_wait_for_what_cannot_be_sent_now(complete: Draft, transport: FlakyTransport) -> None:
    transport.fail_on("POST entities", unreachable)
    with running():
        wait_until(Delivery.objects.filter(state="waiting").exists)
        wait_at_most(60_000, complete.application)
    assert deliveries_of(complete.application).overall.words == "Waiting to retry"


def test_a_page_waits_for_what_is_sent_or_can_be_and_for_no_pause(complete: Draft) -> None:
    assert wake._is_in_motion(complete.application)
    update_profile(paused_until=timezone.now() + timedelta(minutes=1))
    assert not wake._is_in_motion(complete.application)
    update_profile(paused_until=None)
    drain()
    assert not wake._is_in_motion(complete.application)
    Delivery.objects.filter(kind="entity").update(state=DeliveryState.SENDING)
    assert wake._is_in_motion(complete.application)


def test_a_page_never_calls_the_service(complete: Draft, transport: FlakyTransport) -> None:
    with RELAY.listen():
        wait_at_most(30, complete.application)
    assert transport.calls == []


def test_a_second_signal_does_not_wait_for_the_first() -> None:
    """It may come at any moment of the first one's handler, which could let nothing go that it holds."""
    running = Worker()
    kept = signal.getsignal(signal.SIGTERM)

    def comes_again(frame: Any, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code.co_name == "stop":
            sys.setprofile(None)
            os.kill(os.getpid(), signal.SIGTERM)

    try:
        running.stop_on_signals()
        sys.setprofile(comes_again)
        os.kill(os.getpid(), signal.SIGTERM)
        running.run()
    finally:
        sys.setprofile(None)
        signal.signal(signal.SIGTERM, kept)


def test_a_broken_application_stops_no_other(complete: Draft, owner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    other = services.start(owner=owner, product=factories.product())
    broken = complete.application.pk

    def breaks(application_id: int) -> Any:
        if application_id == broken:
            raise KeyError("something nobody thought of")
        return make_next_call(application_id)

    monkeypatch.setattr(worker, "make_next_call", breaks)
    assert Worker().work_once()
    assert deliveries_of(other).overall.words == "Received"


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Queue[None]]:
    """A worker on a connection of its own that looks for work each ten minutes unless it is woken: one item a look."""
    looks: Queue[None] = Queue()
    monkeypatch.setattr(worker, "_idle_seconds", lambda: 600)
    monkeypatch.setattr(Worker, "work_once", lambda _: looks.put(None))
    with running():
        # Once when it starts, and once more when it listens.
        looks.get(timeout=60)
        looks.get(timeout=60)
        yield looks


@postgresql_only
def test_a_worker_is_woken_by_a_commit_and_not_before(complete: Draft, looked: Queue[None]) -> None:
    with transaction.atomic():
        save(complete, "the-company", {"entity.name": "Larkspur"})
        assert looked.empty()
    looked.get(timeout=60)


def listening() -> list[int]:
    """The server's processes for those who listen."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pid FROM pg_stat_activity WHERE application_name LIKE '%relay'")
        return [pid for (pid,) in cursor.fetchall()]


@postgresql_only
def test_a_worker_listens_again_after_its_connection_was_lost(looked: Queue[None]) -> None:
    [lost] = listening()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [lost])
    looked.get(timeout=60)
    wait_until(lambda: listening() not in ([], [lost]), seconds=60)
    # It looks every second until it listens.
    with contextlib.suppress(Empty):
        while True:
            looked.get(timeout=3)
    RELAY.wake_after_commit()
    looked.get(timeout=60)


@postgresql_only
@pytest.mark.usefixtures("db")
def test_a_page_waits_only_while_a_worker_lives() -> None:
    with running():
        assert RELAY.is_listened_to()
    wait_until(lambda: not RELAY.is_listened_to(), seconds=60)
