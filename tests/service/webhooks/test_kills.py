"""kill -9 of a sender loses nothing: the attempt is known, its lease ends, the event goes again under the same id."""

import multiprocessing
import threading

import pytest
from django.db import connections

from formation_portal.service.models import Event, EventDelivery
from formation_portal.service.webhooks.sending import send_due, webhook_sender
from tests.service.caller import Caller

from .conftest import Clock
from .receiver import Receiver

pytestmark = pytest.mark.django_db(databases=["service"], transaction=True)


def test_a_sender_that_is_killed_while_it_posts_loses_nothing(
    caller: Caller, receiver: Receiver, secret: str, clock: Clock
) -> None:
    receiver.is_silent = True
    for _ in range(3):
        caller.entity()
    killed = 3
    for count in range(1, killed + 1):
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
    assert sorted(outcomes) == ["delivered"] * 3 + ["sender_died"] * killed


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
    with webhook_sender().running(), webhook_sender().running(), webhook_sender().running():
        assert receiver.wait_for(12)
    while send_due():
        pass
    assert len(receiver.ids) == len(set(receiver.ids)) == 12
