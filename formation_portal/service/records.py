"""The service's records as they go out (interface, "Resources and their fields"; supplement, per resource)."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from formation_portal.service.forms import (
    entity_answers_of_agent,
    form_of,
    party_answers_of_agent,
    share_class_answers_of_agent,
)
from formation_portal.service.models import Document, Entity, Party, ShareClass, Shareholding
from formation_portal.service.roles import active_roles

Wire = dict[str, Any]


def time_of(moment: datetime) -> str:
    """RFC 3339 in UTC."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def entity_record(entity: Entity) -> Wire:
    """An entity, with what the agent provides filled in."""
    provided, _ = entity_answers_of_agent(form_of(entity.form))
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
        "created_at": time_of(entity.created_at),
        "updated_at": time_of(entity.updated_at),
    }


def entity_records(entities: Iterable[Entity]) -> list[Wire]:
    """A page of entities."""
    return [entity_record(entity) for entity in entities]


def party_record(party: Party, entity: Entity) -> Wire:
    """A party; a shareholder without shares has the role pending (interface, "States and transitions")."""
    provided, _ = party_answers_of_agent(form_of(entity.form), party.party_type, party.roles)
    active = active_roles(party)
    return {
        **_merged(party.properties, provided),
        "party_id": party.id,
        "entity_id": party.entity_id,
        "party_type": party.party_type,
        "roles": active,
        "pending_roles": [role for role in party.roles if role not in active],
        "created_at": time_of(party.created_at),
        "updated_at": time_of(party.updated_at),
    }


def csp_record(entity: Entity, holder: Party | ShareClass | None = None) -> Wire:
    """The csp-data of the entity or of one holder, with what the agent provides filled in."""
    form = form_of(entity.form)
    if isinstance(holder, Party):
        scope, (_, provided) = "party", party_answers_of_agent(form, holder.party_type, holder.roles)
    elif isinstance(holder, ShareClass):
        scope, (_, provided) = "share_class", share_class_answers_of_agent(form)
    else:
        scope, (_, provided) = "entity", entity_answers_of_agent(form)
    return {
        "csp_form_schema_id": entity.form_id,
        "scope": scope,
        "party_id": holder.id if isinstance(holder, Party) else None,
        "share_class_id": holder.id if isinstance(holder, ShareClass) else None,
        "csp_data": {**(holder or entity).csp_data, **provided},
    }


def share_class_record(row: ShareClass) -> Wire:
    """A class of shares."""
    return {
        **row.properties,
        "id": row.id,
        "created_at": time_of(row.created_at),
        "updated_at": time_of(row.updated_at),
    }


def shareholding_record(row: Shareholding) -> Wire:
    """A shareholding."""
    return {
        "id": row.id,
        "party_id": row.party_id,
        "share_class_id": row.share_class_id,
        "shares_held": row.shares_held,
        "created_at": time_of(row.created_at),
    }


def document_record(row: Document) -> Wire:
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
        "created_at": time_of(row.created_at),
    }


def _merged(own: Wire, provided: Wire) -> Wire:
    """Both, member by member; an object that both have holds the members of both."""
    both = dict(own)
    for name, value in provided.items():
        there = both.get(name)
        both[name] = {**there, **value} if isinstance(there, dict) and isinstance(value, dict) else value
    return both
