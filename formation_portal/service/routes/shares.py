"""Share classes and shareholdings of an entity (INTERFACE.md, "Share classes", "Shareholdings").

**S** marks the supplementary calls.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Query, Router
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from formation_portal.contract import canonical
from formation_portal.contract.fields.iso_codes import CURRENCIES, is_currency
from formation_portal.service import queries
from formation_portal.service.entity_forms import active_roles, parsed_form, share_class_fields
from formation_portal.service.models import Entity, Party, ShareClass, Shareholding
from formation_portal.service.parsing import AnswerParser
from formation_portal.service.pipeline import JSON, route
from formation_portal.service.problems import ApiError, ErrorDetail, pointer, raise_if_any, shown_name
from formation_portal.service.schemas import (
    EntityId,
    One,
    OpenBody,
    Page,
    Paging,
    PartyId,
    RecordOut,
    ShareClassId,
    ShareholdingId,
    StrictBody,
    Time,
    Words,
    integral,
)
from formation_portal.service.serializers import Json, serialize_share_class
from formation_portal.service.submission_check import refuse_impossible_values
from formation_portal.service.webhooks import events

Currency = Annotated[str, WithJsonSchema({"type": "string", "enum": sorted(CURRENCIES)})]
# Bounded, so that it leaves digits for its fraction among the fifteen that every reader of JSON takes exactly.
ParValue = Annotated[float, Field(ge=0, le=10**12)]
Shares = Annotated[int, Field(ge=1, le=10**15), BeforeValidator(integral)]


class ShareClassIn(OpenBody):
    """The body of POST …/share-classes; other members are `share_class.*` properties of the form schema."""

    name: Words
    currency: Currency
    par_value: ParValue
    voting_rights: bool
    dividend_rights: bool


class ShareClassPatch(OpenBody):
    """The body of PATCH …/share-classes/{id}: properties; null clears one that POST does not require."""


class ShareClassOut(BaseModel):
    """A class of shares; further properties of the form schema stand beside these members."""

    model_config = ConfigDict(extra="allow")

    id: ShareClassId
    name: str
    currency: str
    par_value: float | int
    voting_rights: bool
    dividend_rights: bool
    created_at: Time
    updated_at: Time


class ShareholdingIn(StrictBody):
    """The body of POST …/shareholdings."""

    party_id: PartyId
    share_class_id: ShareClassId
    shares_held: Shares


class ShareholdingPatch(StrictBody):
    """The body of PATCH …/shareholdings/{id}."""

    shares_held: Shares


class ShareholdingOut(RecordOut):
    """The number of shares of one class that a party holds."""

    id: ShareholdingId
    party_id: PartyId
    share_class_id: ShareClassId
    shares_held: int
    created_at: Time


router = Router(tags=["Shares"])
READ = "entities:read"
WRITE = "entities:write"
CLASSES = "/entities/{entity_id}/share-classes"
ONE_CLASS = f"{CLASSES}/{{share_class_id}}"
# The properties that every class has (INTERFACE.md, "Share classes"). They can be changed, never cleared.
_REQUIRED = ("name", "currency", "par_value", "voting_rights", "dividend_rights")


@route(router, "POST", CLASSES, scopes=WRITE, gives=One[ShareClassOut], status=201, takes=JSON)
def add_share_class(request: HttpRequest, entity_id: EntityId, body: ShareClassIn) -> Json:
    """Defines a class of shares. Its name is unique within the entity."""
    entity = _writable_entity(request, entity_id)
    row = ShareClass(entity=entity)
    _change(row, entity, body.model_dump())
    return {"data": serialize_share_class(row)}


@route(router, "GET", CLASSES, scopes=READ, gives=Page[ShareClassOut], refuses=(422,))
def list_share_classes(request: HttpRequest, entity_id: EntityId, paging: Query[Paging]) -> Json:
    """**S** The entity's classes of shares, oldest first."""
    rows = ShareClass.objects.filter(entity=_readable_entity(request, entity_id)).order_by("created_at", "id")
    return queries.paginate(rows, paging, serialize_share_class)


@route(router, "GET", ONE_CLASS, scopes=READ, gives=One[ShareClassOut], refuses=(422,))
def get_share_class(request: HttpRequest, entity_id: EntityId, share_class_id: ShareClassId) -> Json:
    """**S** One class of shares."""
    return {"data": serialize_share_class(queries.share_class_of(_readable_entity(request, entity_id), share_class_id))}


@route(router, "PATCH", ONE_CLASS, scopes=WRITE, gives=One[ShareClassOut], takes=JSON, refuses=(409,))
def update_share_class(
    request: HttpRequest, entity_id: EntityId, share_class_id: ShareClassId, body: ShareClassPatch
) -> Json:
    """**S** Changes properties of a class of shares."""
    entity = _writable_entity(request, entity_id)
    row = queries.share_class_of(entity, share_class_id)
    _change(row, entity, body.properties)
    return {"data": serialize_share_class(row)}


@route(router, "DELETE", ONE_CLASS, scopes=WRITE, gives=None, status=204, refuses=(409, 422))
def remove_share_class(request: HttpRequest, entity_id: EntityId, share_class_id: ShareClassId) -> None:
    """**S** Removes a class without shareholdings."""
    row = queries.share_class_of(_writable_entity(request, entity_id), share_class_id)
    if row.shareholdings.exists():
        raise ApiError("conflict", "Shares of this class are held. Remove its shareholdings first.")
    row.delete()


def _readable_entity(request: HttpRequest, entity_id: str) -> Entity:
    return _with_share_structure(queries.entity_to_read(request, entity_id))


def _writable_entity(request: HttpRequest, entity_id: str) -> Entity:
    return _with_share_structure(queries.entity_to_write(request, entity_id))


def _with_share_structure(entity: Entity) -> Entity:
    if parsed_form(entity.form).share_section is None:
        raise ApiError("not_applicable", "This product has no share classes and no shareholdings.")
    return entity


def _change(row: ShareClass, entity: Entity, body: Mapping[str, Any]) -> None:
    """Change the class by the body and save it. Raises 422, or 409 if another class has the name."""
    answers = AnswerParser().properties(body, share_class_fields(parsed_form(entity.form)))
    properties = answers.merged_into(row.properties)
    errors = list(answers.errors)
    refused_pointers = {error.pointer for error in answers.errors}
    for name in _REQUIRED:
        if name not in properties and pointer(name) not in refused_pointers:
            errors.append(
                ErrorDetail(pointer(name), "required", f"{name} is missing. Every share class needs it.", name)
            )
    if (code := properties.get("currency")) is not None and not is_currency(code):
        errors.append(
            ErrorDetail(
                "/currency", "currency_not_allowed", "currency must be a code in ISO 4217, like USD.", "currency"
            )
        )
    if properties.get("par_value", 0) < 0:
        errors.append(ErrorDetail("/par_value", "negative", "par_value must be 0 or more.", "par_value"))
    raise_if_any(errors)
    row.properties = properties
    row.name = properties["name"]
    refuse_impossible_values(entity, row, answers)
    for other in ShareClass.objects.filter(entity=entity).exclude(pk=row.pk):
        if other.name.casefold() == row.name.casefold():
            detail = f"This entity has a share class named {shown_name(other.name)} already. Send another name."
            raise ApiError("conflict", detail, members={"existing_id": other.id})
    row.save()


HOLDINGS = "/entities/{entity_id}/shareholdings"
ONE_HOLDING = f"{HOLDINGS}/{{shareholding_id}}"


@route(router, "POST", HOLDINGS, scopes=WRITE, gives=One[ShareholdingOut], status=201, takes=JSON)
def add_shareholding(request: HttpRequest, entity_id: EntityId, body: ShareholdingIn) -> Json:
    """Allocates shares, which makes a potential shareholder an active one. A party has one shareholding per class."""
    entity = _writable_entity(request, entity_id)
    party = queries.party_of(entity, body.party_id, member="party_id")
    share_class = queries.share_class_of(entity, body.share_class_id, member="share_class_id")
    if canonical.SHAREHOLDER not in party.roles:
        raise ApiError("conflict", "Give this party the role shareholder first.")
    if existing := Shareholding.objects.filter(party=party, share_class=share_class).first():
        raise ApiError(
            "conflict",
            "This party holds shares of this class already. Change that shareholding.",
            members={"existing_id": existing.id},
        )
    row = Shareholding.objects.create(party=party, share_class=share_class, shares_held=body.shares_held)
    events.shareholding_created(entity, row)
    _report_changed_roles(entity, party)
    return {"data": row}


def _report_changed_roles(entity: Entity, before: Party) -> None:
    """Emit an event if the party has become a shareholder, or is none any more."""
    party = queries.party_of(entity, before.id)
    if active_roles(party) != active_roles(before):
        events.party_changed(entity, "updated", party)


@route(router, "GET", HOLDINGS, scopes=READ, gives=Page[ShareholdingOut], refuses=(422,))
def list_shareholdings(request: HttpRequest, entity_id: EntityId, paging: Query[Paging]) -> Json:
    """**S** The entity's shareholdings, oldest first."""
    entity = _readable_entity(request, entity_id)
    rows = Shareholding.objects.filter(party__entity=entity).order_by("created_at", "id")
    return queries.paginate(rows, paging)


@route(router, "GET", ONE_HOLDING, scopes=READ, gives=One[ShareholdingOut], refuses=(422,))
def get_shareholding(request: HttpRequest, entity_id: EntityId, shareholding_id: ShareholdingId) -> Json:
    """**S** One shareholding."""
    return {"data": queries.shareholding_of(_readable_entity(request, entity_id), shareholding_id)}


@route(router, "PATCH", ONE_HOLDING, scopes=WRITE, gives=One[ShareholdingOut], takes=JSON, refuses=(409,))
def update_shareholding(
    request: HttpRequest, entity_id: EntityId, shareholding_id: ShareholdingId, body: ShareholdingPatch
) -> Json:
    """**S** Changes how many shares are held."""
    row = queries.shareholding_of(_writable_entity(request, entity_id), shareholding_id)
    row.shares_held = body.shares_held
    row.save(update_fields=["shares_held"])
    return {"data": row}


@route(router, "DELETE", ONE_HOLDING, scopes=WRITE, gives=None, status=204, refuses=(409, 422))
def remove_shareholding(request: HttpRequest, entity_id: EntityId, shareholding_id: ShareholdingId) -> None:
    """**S** Removes a shareholding. Without any shares the party is a potential shareholder again."""
    entity = _writable_entity(request, entity_id)
    row = queries.shareholding_of(entity, shareholding_id)
    party = queries.party_of(entity, row.party_id)
    row.delete()
    _report_changed_roles(entity, party)
