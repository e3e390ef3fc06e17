"""An event is posted as soon as it is committed: PostgreSQL wakes the sender, which does not wait for its next look."""

import pytest
from django.db import connections

from formation_portal.service.models import EventDelivery
from formation_portal.service.webhooks.sending import webhook_sender
from tests.looking import resting
from tests.service.caller import Caller

from .receiver import Receiver

pytestmark = [
    pytest.mark.skipif(
        connections["service"].vendor != "postgresql", reason="not run: on SQLite a sender looks each second"
    ),
    pytest.mark.django_db(databases=["default", "service"], transaction=True),
]


def test_an_event_is_posted_at_its_commit(caller: Caller, receiver: Receiver, secret: str) -> None:
    with resting(webhook_sender()):
        caller.entity()
        assert receiver.wait_for(1)
    assert EventDelivery.objects.get().delivered_at is not None


def test_an_event_that_somebody_asks_for_as_a_test_is_posted_at_its_commit_too(
    caller: Caller, receiver: Receiver
) -> None:
    # Subscribed to other events alone, so that nothing else wakes the sender.
    subscription = caller.webhook(receiver.url, "document.uploaded")
    with resting(webhook_sender()):
        assert caller.post(f"/webhooks/{subscription}/test", {}).status_code == 202
        assert receiver.wait_for(1)
    assert EventDelivery.objects.get().event.type == "webhook.test"
