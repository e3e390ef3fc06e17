"""The events of the interface, written where they happen, in the same transaction, with a row for each subscription."""

from collections.abc import Iterable
from typing import Any

from django.utils import timezone

from formation_portal.service.entity_forms import active_roles
from formation_portal.service.models import Document, Entity, Event, EventDelivery, Party, Shareholding, Subscription


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


def _emit(entity: Entity, kind: str, *told: dict[str, Any]) -> None:
    """Write events of one kind about the entity, one for each data, in their order."""
    account = entity.account_id
    events = [Event(account_id=account, type=kind, data={"entity_id": entity.id, **data}) for data in told]
    fan_out(Event.objects.bulk_create(events), account_id=account, about=entity.id)


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
