"""The service's records as they go out (interface, "Resources and their fields"; supplement, per resource)."""

from datetime import UTC, datetime
from typing import Any

from formation_portal.service.entity_forms import active_roles, answers_by_agent, parsed_form
from formation_portal.service.models import Document, Entity, Party, ShareClass, Shareholding

Json = dict[str, Any]


def format_time(moment: datetime) -> str:
    """RFC 3339 in UTC."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def serialize_entity(entity: Entity) -> Json:
    """An entity, with what the agent provides filled in."""
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
    """A party; a shareholder without shares has the role pending (interface, "States and transitions")."""
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
    """The csp-data of the entity or of one holder, with what the agent provides filled in."""
    _, provided = answers_by_agent(parsed_form(entity.form), holder or entity)
    scope = "party" if isinstance(holder, Party) else "share_class" if holder else "entity"
    return {
        "csp_form_schema_id": entity.form_id,
        "scope": scope,
        "party_id": holder.id if isinstance(holder, Party) else None,
        "share_class_id": holder.id if isinstance(holder, ShareClass) else None,
        "csp_data": {**(holder or entity).csp_data, **provided},
    }


def serialize_share_class(row: ShareClass) -> Json:
    """A class of shares."""
    return {
        **row.properties,
        "id": row.id,
        "created_at": format_time(row.created_at),
        "updated_at": format_time(row.updated_at),
    }


def serialize_shareholding(row: Shareholding) -> Json:
    """A shareholding."""
    return {
        "id": row.id,
        "party_id": row.party_id,
        "share_class_id": row.share_class_id,
        "shares_held": row.shares_held,
        "created_at": format_time(row.created_at),
    }


def serialize_document(row: Document) -> Json:
    """A document, without its bytes."""
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
    """Both, member by member; an object that both have holds the members of both."""
    both = dict(own)
    for name, value in provided.items():
        there = both.get(name)
        both[name] = {**there, **value} if isinstance(there, dict) and isinstance(value, dict) else value
    return both
