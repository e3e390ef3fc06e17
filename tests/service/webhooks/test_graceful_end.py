"""`manage.py webhooks` ends in order: the event that is under way is sent once, and no other is begun."""

import threading

import pytest

from formation_portal.service.models import EventDelivery
from formation_portal.service.webhooks.sending import send_due
from tests.service.caller import Caller
from tests.worker_process import end, tell_to_end, worker_process

from .receiver import Received, Receiver


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
