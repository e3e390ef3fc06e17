"""Parties of an entity (interface, "Party", "POST …/parties", "GET …/parties"; supplement, "Parties")."""

from typing import Annotated, Any, Literal

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from ninja import Body, Router

from formation_portal.contract import canonical
from formation_portal.service import events, roles, storage
from formation_portal.service.access import (
    HOLDS,
    entity_to_read,
    entity_to_write,
    parties_of,
    party_of,
    share_class_ids,
)
from formation_portal.service.forms import askable_of_party, form_of
from formation_portal.service.models import Entity, Party, role_mark
from formation_portal.service.pagination import PER_PAGE, PageNumber, PerPage, page_of
from formation_portal.service.problems import Refusal, refuse_if_any
from formation_portal.service.records import party_record
from formation_portal.service.routing import JSON, route
from formation_portal.service.shapes.base import EntityId, One, Page, PartyId, RoleName
from formation_portal.service.shapes.party import PartyIn, PartyOut, PartyPatch
from formation_portal.service.writing import Reader, Said

router = Router(tags=["Parties"])

Wire = dict[str, Any]
READ, WRITE = "parties:read", "parties:write"
# What a body says of a party besides its properties.
_OWN_MEMBERS = {"party_type", "roles"}


@route(router, "POST", "/entities/{entity_id}/parties", scopes=WRITE, gives=One[PartyOut], status=201, takes=JSON)
def add_party(request: HttpRequest, entity_id: EntityId, body: Annotated[PartyIn, Body()]) -> Wire:
    """Adds a person, company or foundation in its roles; a shareholder without shares is a potential one."""
    entity = entity_to_write(request, entity_id)
    roles.refuse_unfit(form_of(entity.form), body.party_type, body.roles)
    party = Party(entity=entity, party_type=body.party_type, roles=body.roles)
    said = _said(entity, party, body.model_dump(exclude=_OWN_MEMBERS, exclude_unset=True))
    party.properties = said.laid_over({})
    party.save(force_insert=True)
    events.party(entity, "added", party)
    return {"data": party_record(party, entity)}


@route(router, "GET", "/entities/{entity_id}/parties", scopes=READ, gives=Page[PartyOut], refuses=(422,))
def list_parties(
    request: HttpRequest,
    entity_id: EntityId,
    role: RoleName | None = None,
    party_type: Literal["person", "corporate", "foundation"] | None = None,
    page: PageNumber = 1,
    per_page: PerPage = PER_PAGE,
) -> Wire:
    """The entity's parties with their roles, oldest first. `role` finds who has it; a pending role is not had yet."""
    entity = entity_to_read(request, entity_id)
    parties = parties_of(entity)
    if role is not None:
        parties = _in_role(parties, role)
    if party_type is not None:
        parties = parties.filter(party_type=party_type)
    return page_of(
        parties, page=page, per_page=per_page, out=lambda rows: [party_record(party, entity) for party in rows]
    )


@route(router, "GET", "/entities/{entity_id}/parties/{party_id}", scopes=READ, gives=One[PartyOut])
def get_party(request: HttpRequest, entity_id: EntityId, party_id: PartyId) -> Wire:
    """**S** One party."""
    entity = entity_to_read(request, entity_id)
    return {"data": party_record(party_of(entity, party_id), entity)}


@route(
    router,
    "PATCH",
    "/entities/{entity_id}/parties/{party_id}",
    scopes=WRITE,
    gives=One[PartyOut],
    takes=JSON,
    refuses=(409,),
)
def update_party(request: HttpRequest, entity_id: EntityId, party_id: PartyId, body: PartyPatch) -> Wire:
    """**S** Changes roles and properties; null clears a property. Its kind stays."""
    entity = entity_to_write(request, entity_id)
    party = party_of(entity, party_id)
    if body.roles is not None:
        roles.refuse_unfit(form_of(entity.form), party.party_type, body.roles)
        if canonical.SHAREHOLDER not in body.roles:
            _refuse_holder(party)
        party.roles = body.roles
    party.properties = _said(entity, party, body.properties).laid_over(party.properties)
    party.save()
    events.party(entity, "updated", party)
    return {"data": party_record(party, entity)}


@route(
    router, "DELETE", "/entities/{entity_id}/parties/{party_id}", scopes=WRITE, gives=None, status=204, refuses=(409,)
)
def remove_party(request: HttpRequest, entity_id: EntityId, party_id: PartyId) -> None:
    """**S** Removes a party with its answers and documents; one that holds shares gives them up first."""
    entity = entity_to_write(request, entity_id)
    party = party_of(entity, party_id)
    _refuse_holder(party)
    events.party(entity, "removed", party)
    storage.remove_after_commit(list(party.documents.values_list("path", flat=True)))
    party.delete()


def _said(entity: Entity, party: Party, body: Wire) -> Said:
    reader = Reader(today=timezone.now().date(), share_classes=share_class_ids(entity))
    said = reader.properties(body, askable_of_party(form_of(entity.form), party.party_type, party.roles))
    refuse_if_any(said.complaints)
    return said


def _in_role(parties: QuerySet[Party], role: str) -> QuerySet[Party]:
    there = parties.filter(role_text__contains=role_mark(role))
    return there.filter(HOLDS) if role == canonical.SHAREHOLDER else there


def _refuse_holder(party: Party) -> None:
    if getattr(party, "holds", False):
        raise Refusal("conflict", "This party holds shares; remove its shareholdings first.")
