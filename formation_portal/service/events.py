"""What happened, written where it happened, in the same transaction (interface, "Events")."""

from typing import Any

from formation_portal.service.models import Document, Entity, Event, Party, Shareholding
from formation_portal.service.roles import active_roles
from formation_portal.service.webhooks.fan_out import fan_out


def _emit(entity: Entity, kind: str, *told: dict[str, Any]) -> None:
    """Write events of one kind about the entity, in the order of what they tell."""
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


def party(entity: Entity, deed: str, *rows: Party) -> None:
    """party.added, party.updated or party.removed of each, with the roles that its record shows."""
    _emit(entity, f"party.{deed}", *map(_told, rows))


def _told(row: Party) -> dict[str, Any]:
    return {"party_id": row.id, "party_type": row.party_type, "roles": active_roles(row)}


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
