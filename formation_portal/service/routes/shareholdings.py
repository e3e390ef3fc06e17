"""Shareholdings of an entity (interface, "POST …/shareholdings"; supplement, "Share classes, shareholdings")."""

from django.db import IntegrityError, transaction
from django.http import HttpRequest
from ninja import Router

from formation_portal.contract import canonical
from formation_portal.core.databases import SERVICE
from formation_portal.service.entity_forms import active_roles
from formation_portal.service.models import Entity, Party, ShareClass, Shareholding
from formation_portal.service.problems import ApiError
from formation_portal.service.queries import (
    PER_PAGE,
    PageNumber,
    PerPage,
    entity_to_read,
    entity_to_write,
    paginate,
    party_of,
    share_class_of,
    shareholding_of,
    with_body_pointer,
)
from formation_portal.service.routing import JSON, route
from formation_portal.service.schemas.base import EntityId, One, Page, ShareholdingId
from formation_portal.service.schemas.share import ShareholdingIn, ShareholdingOut, ShareholdingPatch
from formation_portal.service.serializers import Json, serialize_shareholding
from formation_portal.service.webhooks import events

router = Router(tags=["Shares"])
READ, WRITE = "entities:read", "entities:write"
ONE = "/entities/{entity_id}/shareholdings/{shareholding_id}"


@route(
    router,
    "POST",
    "/entities/{entity_id}/shareholdings",
    scopes=WRITE,
    gives=One[ShareholdingOut],
    status=201,
    takes=JSON,
)
def add_shareholding(request: HttpRequest, entity_id: EntityId, body: ShareholdingIn) -> Json:
    """Allocates shares, which makes a potential shareholder an active one. One per party and class."""
    entity = entity_to_write(request, entity_id)
    party, share_class = _party_and_class(entity, body)
    if canonical.SHAREHOLDER not in party.roles:
        raise ApiError("conflict", "Give this party the role shareholder first.")
    _refuse_duplicate(party, share_class)
    row = Shareholding(party=party, share_class=share_class, shares_held=body.shares_held)
    try:
        with transaction.atomic(using=SERVICE):
            row.save(force_insert=True)
    except IntegrityError:
        _refuse_duplicate(party, share_class)
        raise
    events.shareholding_created(entity, row)
    _report_changed_roles(entity, party)
    return {"data": serialize_shareholding(row)}


def _report_changed_roles(entity: Entity, before: Party) -> None:
    """With the first shares a potential shareholder becomes an active one, and with the last the other way round."""
    party = party_of(entity, before.id)
    if active_roles(party) != active_roles(before):
        events.party_changed(entity, "updated", party)


def _party_and_class(entity: Entity, body: ShareholdingIn) -> tuple[Party, ShareClass]:
    try:
        party = party_of(entity, body.party_id)
    except ApiError as absent:
        raise with_body_pointer("party_id", absent) from None
    try:
        return party, share_class_of(entity, body.share_class_id)
    except ApiError as absent:
        raise with_body_pointer("share_class_id", absent) from None


def _refuse_duplicate(party: Party, share_class: ShareClass) -> None:
    twin = Shareholding.objects.filter(party=party, share_class=share_class).first()
    if twin is not None:
        raise ApiError("conflict", "This party holds shares of this class.", members={"existing_id": twin.id})


@route(router, "GET", "/entities/{entity_id}/shareholdings", scopes=READ, gives=Page[ShareholdingOut], refuses=(422,))
def list_shareholdings(
    request: HttpRequest, entity_id: EntityId, page: PageNumber = 1, per_page: PerPage = PER_PAGE
) -> Json:
    """**S** The entity's shareholdings, oldest first."""
    entity = entity_to_read(request, entity_id)
    rows = Shareholding.objects.filter(party__entity=entity).order_by("created_at", "id")
    return paginate(
        rows, page=page, per_page=per_page, out=lambda holdings: [serialize_shareholding(row) for row in holdings]
    )


@route(router, "GET", ONE, scopes=READ, gives=One[ShareholdingOut])
def get_shareholding(request: HttpRequest, entity_id: EntityId, shareholding_id: ShareholdingId) -> Json:
    """**S** One shareholding."""
    return {"data": serialize_shareholding(shareholding_of(entity_to_read(request, entity_id), shareholding_id))}


@route(router, "PATCH", ONE, scopes=WRITE, gives=One[ShareholdingOut], takes=JSON, refuses=(409,))
def update_shareholding(
    request: HttpRequest, entity_id: EntityId, shareholding_id: ShareholdingId, body: ShareholdingPatch
) -> Json:
    """**S** Changes how many shares are held."""
    row = shareholding_of(entity_to_write(request, entity_id), shareholding_id)
    row.shares_held = body.shares_held
    row.save(update_fields=["shares_held"])
    return {"data": serialize_shareholding(row)}


@route(router, "DELETE", ONE, scopes=WRITE, gives=None, status=204, refuses=(409,))
def remove_shareholding(request: HttpRequest, entity_id: EntityId, shareholding_id: ShareholdingId) -> None:
    """**S** Takes the shares back; with the last ones its party is a potential shareholder again."""
    entity = entity_to_write(request, entity_id)
    row = shareholding_of(entity, shareholding_id)
    party = party_of(entity, row.party_id)
    row.delete()
    _report_changed_roles(entity, party)
