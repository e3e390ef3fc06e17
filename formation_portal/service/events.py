"""What happened, written where it happened, in the same transaction (interface, "Events")."""

from typing import Any

from formation_portal.service.models import Document, Entity, Event, Party, Shareholding
from formation_portal.service.webhooks.fan_out import fan_out


def _emit(entity: Entity, kind: str, **data: Any) -> None:
    event = Event.objects.create(account_id=entity.account_id, type=kind, data={"entity_id": entity.id, **data})
    fan_out(event, about=entity.id)


def entity_created(entity: Entity) -> None:
    """**S** entity.created."""
    _emit(entity, "entity.created", status=entity.status, jurisdiction_product_id=entity.item_id)


def status_changed(entity: Entity, *, before: str) -> None:
    """**S** entity.status_changed."""
    _emit(entity, "entity.status_changed", status=entity.status, previous_status=before, note=entity.status_note)


def party(entity: Entity, deed: str, row: Party) -> None:
    """party.added, party.updated, party.removed."""
    _emit(entity, f"party.{deed}", party_id=row.id, party_type=row.party_type, roles=row.roles)


def document_uploaded(entity: Entity, row: Document) -> None:
    """**S** document.uploaded."""
    _emit(entity, "document.uploaded", document_id=row.id, document_key=row.document_key, party_id=row.party_id)


def shareholding_created(entity: Entity, row: Shareholding) -> None:
    """**S** shareholding.created."""
    _emit(
        entity,
        "shareholding.created",
        shareholding_id=row.id,
        party_id=row.party_id,
        share_class_id=row.share_class_id,
        shares_held=row.shares_held,
    )
