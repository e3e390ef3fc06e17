"""Serialize records with members of a form schema (INTERFACE.md, "Where answers go")."""

from typing import Any

from formation_portal.service.entity_forms import active_roles, answers_by_agent, parsed_form
from formation_portal.service.models import Entity, Party, ShareClass

Json = dict[str, Any]


def serialize_entity(entity: Entity) -> Json:
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
        "created_at": entity.created_at,
        "updated_at": entity.updated_at,
    }


def serialize_party(party: Party, entity: Entity) -> Json:
    """Serialize a party. A shareholder role without shares is pending (INTERFACE.md, "States and transitions")."""
    provided, _ = answers_by_agent(parsed_form(entity.form), party)
    active = active_roles(party)
    return {
        **_merged(party.properties, provided),
        "party_id": party.id,
        "entity_id": party.entity_id,
        "party_type": party.party_type,
        "roles": active,
        "pending_roles": [role for role in party.roles if role not in active],
        "created_at": party.created_at,
        "updated_at": party.updated_at,
    }


def serialize_csp_data(entity: Entity, holder: Party | ShareClass | None = None) -> Json:
    """Serialize the csp-data of a party or share class or, without `holder`, of the entity."""
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
        "created_at": row.created_at,
        "updated_at": row.updated_at,
    }


def _merged(own: Json, provided: Json) -> Json:
    """Merge the members of both objects, and those of their first-level objects of the same name."""
    merged = dict(own)
    for name, value in provided.items():
        own_value = own.get(name)
        if isinstance(own_value, dict) and isinstance(value, dict):
            merged[name] = {**own_value, **value}
        else:
            merged[name] = value
    return merged
