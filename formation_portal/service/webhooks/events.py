"""Write the interface's events, with a delivery for each subscription, in the transaction of the change."""

from typing import Any

from django.utils import timezone

from formation_portal.core.databases import SERVICE
from formation_portal.core.nodes.wake import Channel
from formation_portal.service.entity_forms import active_roles
from formation_portal.service.models import Document, Entity, Event, EventDelivery, Party, Shareholding, Subscription

# Wakes the senders of events.
EVENTS = Channel("events", SERVICE)


def _emit(entity: Entity, event_type: str, *data: dict[str, Any]) -> None:
    """Write an event about the entity for each item of `data`, in order, and the deliveries of the events."""
    now = timezone.now()
    events = Event.objects.bulk_create(
        Event(account_id=entity.account_id, type=event_type, data={"entity_id": entity.id, **members})
        for members in data
    )
    # Python filters the few subscriptions of an account, since not every database can search lists in JSON.
    subscriptions = [
        row for row in Subscription.objects.filter(account_id=entity.account_id) if event_type in row.events
    ]
    deliveries = []
    for event in events:
        for subscription in subscriptions:
            deliveries.append(EventDelivery(subscription=subscription, event=event, about=entity.id, next_at=now))
    EventDelivery.objects.bulk_create(deliveries)
    if deliveries:
        EVENTS.wake_after_commit()


def entity_created(entity: Entity) -> None:
    _emit(entity, "entity.created", {"status": entity.status, "jurisdiction_product_id": entity.item_id})


def status_changed(entity: Entity, *, before: str) -> None:
    data = {"status": entity.status, "previous_status": before, "note": entity.status_note}
    _emit(entity, "entity.status_changed", data)


def party_changed(entity: Entity, change: str, *rows: Party) -> None:
    """Emit party.added, party.updated or party.removed for each party."""
    data = ({"party_id": row.id, "party_type": row.party_type, "roles": active_roles(row)} for row in rows)
    _emit(entity, f"party.{change}", *data)


def document_uploaded(entity: Entity, row: Document) -> None:
    data = {"document_id": row.id, "document_key": row.document_key, "party_id": row.party_id}
    _emit(entity, "document.uploaded", data)


def shareholding_created(entity: Entity, row: Shareholding) -> None:
    data = {
        "shareholding_id": row.id,
        "party_id": row.party_id,
        "share_class_id": row.share_class_id,
        "shares_held": row.shares_held,
    }
    _emit(entity, "shareholding.created", data)


def webhook_tested(subscription: Subscription) -> Event:
    """Emit webhook.test for a subscription, even if it does not list this type of event."""
    event = Event.objects.create(
        account_id=subscription.account_id, type="webhook.test", data={"webhook_id": subscription.id}
    )
    EventDelivery.objects.create(subscription=subscription, event=event, about=subscription.id, next_at=timezone.now())
    EVENTS.wake_after_commit()
    return event
