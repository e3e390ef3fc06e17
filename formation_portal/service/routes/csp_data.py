"""The provider's answers of entity, parties and share classes (interface, "csp-data"; supplement, "Entities")."""

from typing import Annotated, Any

from django.http import HttpRequest
from django.utils import timezone
from ninja import Body, Router

from formation_portal.service import events
from formation_portal.service.access import (
    entity_to_read,
    entity_to_write,
    party_of,
    share_class_ids,
    share_class_of,
)
from formation_portal.service.forms import (
    Askable,
    askable_of_entity,
    askable_of_party,
    askable_of_share_class,
    form_of,
)
from formation_portal.service.models import Entity, Party, ShareClass
from formation_portal.service.problems import Refusal, refuse_if_any
from formation_portal.service.records import csp_record
from formation_portal.service.routing import JSON, route
from formation_portal.service.shapes.base import EntityId, One, PartyId, ShareClassId
from formation_portal.service.shapes.entity import CspDataIn, CspDataOut
from formation_portal.service.writing import Reader

router = Router(tags=["CSP data"])

Wire = dict[str, Any]


@route(router, "POST", "/entities/{entity_id}/csp-data", scopes="entities:write", gives=One[CspDataOut], takes=JSON)
def submit_csp_data(request: HttpRequest, entity_id: EntityId, body: Annotated[CspDataIn, Body()]) -> Wire:
    """Merges answers key by key; null clears. `scope` and an id say whose they are, if not the entity's own."""
    entity = entity_to_write(request, entity_id)
    if body.csp_form_schema_id.lower() != entity.form_id:
        detail = f"This entity uses the form schema {entity.form_id}; post answers to that schema."
        raise Refusal("schema_superseded", detail)
    party_id, share_class_id = getattr(body, "party_id", None), getattr(body, "share_class_id", None)
    holder = _holder(entity, party_id=party_id, share_class_id=share_class_id)
    reader = Reader(today=timezone.now().date(), share_classes=share_class_ids(entity))
    said = reader.csp_data(body.csp_data, _askable(entity, holder))
    refuse_if_any(said.complaints)
    row = holder or entity
    before, row.csp_data = row.csp_data, said.laid_over(row.csp_data)
    row.save()
    if isinstance(holder, Party) and holder.csp_data != before:
        events.party(entity, "updated", holder)
    return {"data": csp_record(entity, holder)}


@route(router, "GET", "/entities/{entity_id}/csp-data", scopes="entities:read", gives=One[CspDataOut], refuses=(422,))
def get_csp_data(
    request: HttpRequest,
    entity_id: EntityId,
    party_id: PartyId | None = None,
    share_class_id: ShareClassId | None = None,
) -> Wire:
    """**S** The answers of the entity, or of the party or share class that is named."""
    entity = entity_to_read(request, entity_id)
    return {"data": csp_record(entity, _holder(entity, party_id=party_id, share_class_id=share_class_id))}


def _holder(entity: Entity, *, party_id: str | None, share_class_id: str | None) -> Party | ShareClass | None:
    if party_id is not None:
        return party_of(entity, party_id)
    return share_class_of(entity, share_class_id) if share_class_id is not None else None


def _askable(entity: Entity, holder: Party | ShareClass | None) -> Askable:
    form = form_of(entity.form)
    if isinstance(holder, Party):
        return askable_of_party(form, holder.party_type, holder.roles)
    return askable_of_share_class(form) if isinstance(holder, ShareClass) else askable_of_entity(form)
