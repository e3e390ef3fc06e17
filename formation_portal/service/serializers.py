"""Serialize the service's records (interface, "Resources and their fields"; supplement, per resource)."""

from datetime import UTC, datetime
from typing import Any

from formation_portal.service.entity_forms import active_roles, answers_by_agent, parsed_form
from formation_portal.service.models import Document, Entity, Party, ShareClass, Shareholding

Json = dict[str, Any]


def format_time(moment: datetime) -> str:
    """Return a time as in RFC 3339, in UTC."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def serialize_entity(entity: Entity) -> Json:
    """Serialize an entity with the answers that the agent provides."""
    provided, _ = answers_by_agent(parsed_form(entity.form), entity)
    return {
        **_merged(entity.properties, provided),
        "id": entity.id,
        "status": entity.status,
        "status_note": entity.status_note,
        "client_reference": entity.client_reference,
        "jurisdiction_product_id": entity.item_id,
        "jurisdiction": entity.item.document["jurisdiction"],
        "product": entity.item.document["product"],
        "schema_id": entity.form_id,
        "schema_version": entity.form.version,
        "created_at": format_time(entity.created_at),
        "updated_at": format_time(entity.updated_at),
    }


def serialize_party(party: Party, entity: Entity) -> Json:
    """Serialize a party. The role of a shareholder without shares is pending (interface, "States and transitions")."""
    provided, _ = answers_by_agent(parsed_form(entity.form), party)
    active = active_roles(party)
    return {
        **_merged(party.properties, provided),
        "party_id": party.id,
        "entity_id": party.entity_id,
        "party_type": party.party_type,
        "roles": active,
        "pending_roles": [role for role in party.roles if role not in active],
        "created_at": format_time(party.created_at),
        "updated_at": format_time(party.updated_at),
    }


def serialize_csp_data(entity: Entity, holder: Party | ShareClass | None = None) -> Json:
    """Serialize the csp-data of a party or share class, or of the entity, with the answers that the agent provides."""
    record = holder or entity
    _, provided = answers_by_agent(parsed_form(entity.form), record)
    scope = "entity"
    party_id = None
    share_class_id = None
    if isinstance(holder, Party):
        scope = "party"
        party_id = holder.id
    elif holder is not None:
        scope = "share_class"
        share_class_id = holder.id
    return {
        "csp_form_schema_id": entity.form_id,
        "scope": scope,
        "party_id": party_id,
        "share_class_id": share_class_id,
        "csp_data": {**record.csp_data, **provided},
    }


def serialize_share_class(row: ShareClass) -> Json:
    return {
        **row.properties,
        "id": row.id,
        "created_at": format_time(row.created_at),
        "updated_at": format_time(row.updated_at),
    }


def serialize_shareholding(row: Shareholding) -> Json:
    return {
        "id": row.id,
        "party_id": row.party_id,
        "share_class_id": row.share_class_id,
        "shares_held": row.shares_held,
        "created_at": format_time(row.created_at),
    }


def serialize_document(row: Document) -> Json:
    return {
        "id": row.id,
        "document_key": row.document_key,
        "scope": "party" if row.party_id else "entity",
        "party_id": row.party_id,
        "name": row.name,
        "mime_type": row.mime_type,
        "size": row.size,
        "sha256": row.sha256,
        "status": row.status,
        "created_at": format_time(row.created_at),
    }


def _merged(own: Json, provided: Json) -> Json:
    """Return the members of both. An object that both have gets the members of both."""
    merged = dict(own)
    for name, value in provided.items():
        own_value = own.get(name)
        if isinstance(own_value, dict) and isinstance(value, dict):
            merged[name] = {**own_value, **value}
        else:
            merged[name] = value
    return merged
