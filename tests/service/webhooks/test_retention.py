"""Events and their deliveries go some weeks after the last is over, a bounded number at once."""

import pytest

from formation_portal.contract.lifecycle import EVENT_KINDS
from formation_portal.service.models import Event, EventDelivery
from formation_portal.service.webhooks.sending import delete_expired, send_due
from tests.service.caller import Caller

from .conftest import Clock
from .receiver import Receiver

pytestmark = pytest.mark.django_db(databases=["service"])


def test_what_is_long_over_is_cleared_and_what_is_still_to_be_sent_stays(
    caller: Caller, receiver: Receiver, secret: str, clock: Clock
) -> None:
    caller.entity()
    send_due()
    clock.move(days=29)
    caller.entity()
    delete_expired()
    assert EventDelivery.objects.count() == 2
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


def test_an_event_that_nobody_wanted_goes_as_late(caller: Caller, clock: Clock) -> None:
    caller.entity()
    clock.move(days=29, hours=23)
    caller.entity()
    delete_expired()
    assert Event.objects.count() == 2
    clock.move(hours=2)
    delete_expired()
    assert Event.objects.count() == 1, "thirty days are over for the first"
