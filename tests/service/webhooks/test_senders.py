"""Senders that are killed, that are told to end, or that are several: nothing is lost, and nothing sent twice."""

import multiprocessing
import threading

import pytest
from django.db import connections

from formation_portal.service.models import Event, EventDelivery
from formation_portal.service.webhooks.sending import send_due, webhook_sender
from tests.service.caller import Caller
from tests.worker_process import end, tell_to_end, worker_process

from .conftest import Clock
from .receiver import Received, Receiver

pytestmark = pytest.mark.django_db(databases=["service"], transaction=True)


def test_a_sender_that_is_killed_while_it_posts_loses_nothing(
    caller: Caller, receiver: Receiver, secret: str, clock: Clock
) -> None:
    receiver.is_silent = True
    for _ in range(3):
        caller.entity()
    for count in (1, 2, 3):
        connections.close_all()
        sender = multiprocessing.get_context("fork").Process(target=send_due)
        sender.start()
        assert receiver.wait_for(count)
        assert EventDelivery.objects.filter(attempts__ended_at=None, attempts__isnull=False).count() == 1
        sender.kill()
        sender.join()
        assert EventDelivery.objects.filter(lease__isnull=False, next_at__gt=clock.now()).exists()
        clock.move(seconds=EventDelivery.LEASE.total_seconds() + 1)
    receiver.is_silent = False
    while send_due():
        clock.move(hours=1)
    rows = EventDelivery.objects.all()
    assert {row.state for row in rows} == {"delivered"}
    assert len(set(receiver.ids)) == 3
    outcomes = [one.outcome for row in rows for one in row.attempts.all()]
    assert sorted(outcomes) == ["delivered"] * 3 + ["sender_died"] * 3


def test_a_thread_clears_what_is_over_and_sends_what_happens_while_it_runs(
    caller: Caller, receiver: Receiver, secret: str, clock: Clock
) -> None:
    caller.entity()
    send_due()
    clock.move(days=31)
    over = Event.objects.get()
    with webhook_sender().running():
        caller.entity()
        assert receiver.wait_for(2)
    assert not any(thread.name == "Event sender" for thread in threading.enumerate())
    assert not Event.objects.filter(pk=over.pk).exists()
    assert EventDelivery.objects.get().state == "delivered"


def test_two_senders_at_once_send_nothing_twice(caller: Caller, receiver: Receiver, secret: str) -> None:
    for _ in range(12):
        caller.entity()
    with webhook_sender().running(), webhook_sender().running():
        assert receiver.wait_for(12)
    while send_due():
        pass
    assert len(receiver.ids) == len(set(receiver.ids)) == 12


@pytest.mark.django_db(databases=["default", "service"], transaction=True)
def test_what_is_under_way_is_sent_once_and_the_rest_stays(
    caller: Caller, receiver: Receiver, secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        caller.entity()
    has_come, may_answer = threading.Event(), threading.Event()
    keep = receiver.keep

    def keep_late(request: Received) -> None:
        has_come.set()
        may_answer.wait(30)
        keep(request)

    monkeypatch.setattr(receiver, "keep", keep_late)
    with worker_process("webhooks") as process:
        assert has_come.wait(60)
        tell_to_end(process)
        may_answer.set()
        end(process)
    first, second = EventDelivery.objects.order_by("event")
    assert (first.state, first.tries) == ("delivered", 1)
    assert (second.delivered_at, second.tries) == (None, 0)
    assert send_due() == 1, "others go on with the rest"
    assert len(receiver.ids) == len(set(receiver.ids)) == 2
