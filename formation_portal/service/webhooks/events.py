"""The events of the interface, written where they happen, in the same transaction, with a row for each subscription."""

from typing import Any

from django.utils import timezone

from formation_portal.core.databases import SERVICE
from formation_portal.core.nodes.wake import Channel
from formation_portal.service.entity_forms import active_roles
from formation_portal.service.models import Document, Entity, Event, EventDelivery, Party, Shareholding, Subscription

# Those who send events.
EVENTS = Channel("events", SERVICE)


def _emit(entity: Entity, kind: str, *told: dict[str, Any]) -> None:
    """Write events of one kind about the entity, one for each data, in their order, and what is to be sent of them."""
    account, now = entity.account_id, timezone.now()
    events = Event.objects.bulk_create(
        Event(account_id=account, type=kind, data={"entity_id": entity.id, **data}) for data in told
    )
    # Lists in JSON can't be searched in every database, and an account has few.
    wanted = Subscription.objects.filter(account_id=account)
    deliveries = [
        EventDelivery(subscription=one, event=event, about=entity.id, next_at=now)
        for event in events
        for one in wanted
        if kind in one.events
    ]
    EventDelivery.objects.bulk_create(deliveries)
    if deliveries:
        EVENTS.wake_after_commit()


def entity_created(entity: Entity) -> None:
    """**S** entity.created."""
    _emit(entity, "entity.created", {"status": entity.status, "jurisdiction_product_id": entity.item_id})


def status_changed(entity: Entity, *, before: str) -> None:
    """**S** entity.status_changed."""
    told = {"status": entity.status, "previous_status": before, "note": entity.status_note}
    _emit(entity, "entity.status_changed", told)


def party_changed(entity: Entity, change: str, *rows: Party) -> None:
    """party.added, party.updated or party.removed of each, with the roles that its record shows."""
    data = ({"party_id": row.id, "party_type": row.party_type, "roles": active_roles(row)} for row in rows)
    _emit(entity, f"party.{change}", *data)


def document_uploaded(entity: Entity, row: Document) -> None:
    """**S** document.uploaded."""
    told = {"document_id": row.id, "document_key": row.document_key, "party_id": row.party_id}
    _emit(entity, "document.uploaded", told)


def shareholding_created(entity: Entity, row: Shareholding) -> None:
    """**S** shareholding.created."""
    told = {
        "shareholding_id": row.id,
        "party_id": row.party_id,
        "share_class_id": row.share_class_id,
        "shares_held": row.shares_held,
    }
    _emit(entity, "shareholding.created", told)


def webhook_tested(subscription: Subscription) -> Event:
    """**S** webhook.test, to one subscription, whatever events it lists."""
    event = Event.objects.create(
        account_id=subscription.account_id, type="webhook.test", data={"webhook_id": subscription.id}
    )
    EventDelivery.objects.create(subscription=subscription, event=event, about=subscription.id, next_at=timezone.now())
    EVENTS.wake_after_commit()
    return event
