"""A row for each subscription that wants an event, in the transaction in which the event is written."""

from collections.abc import Iterable

from django.utils import timezone

from formation_portal.service.models import Event
from formation_portal.service.webhooks.models import EventDelivery, Subscription


def fan_out(events: Iterable[Event], *, account_id: int, about: str) -> None:
    """Write what is to be sent of an account's events. `about` is the id of the entity that all are about."""
    now = timezone.now()
    wanted = Subscription.objects.filter(account_id=account_id)
    # Lists in JSON can't be searched in every database, and an account has few.
    EventDelivery.objects.bulk_create(
        EventDelivery(subscription=one, event=event, about=about, next_at=now)
        for event in events
        for one in wanted
        if event.type in one.events
    )
