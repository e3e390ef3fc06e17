"""Add, find, change and remove parties (INTERFACE.md, "Parties"). **S** marks its supplementary calls.

`reuse` is declared before `{party_id}`, which would match its path.
"""

from typing import Annotated, Literal

from django.db.models import Q
from django.http import HttpRequest
from ninja import Body, Query, Router
from pydantic import BaseModel, ConfigDict, Field

from formation_portal.contract import canonical
from formation_portal.contract.record import MAX_PARTIES
from formation_portal.service import identifiers, queries, storage
from formation_portal.service.auth import key_of
from formation_portal.service.entity_forms import parsed_form, party_fields, refuse_unsuitable_roles
from formation_portal.service.idempotency import forget_answers
from formation_portal.service.models import Entity, Party, prefix_marks, role_mark
from formation_portal.service.parsing import AnswerParser, ParsedAnswers
from formation_portal.service.pipeline import JSON, route
from formation_portal.service.problems import ApiError, ErrorDetail, invalid, pointer, raise_if_any
from formation_portal.service.schemas import (
    EntityId,
    Line,
    One,
    OpenBody,
    Page,
    Paging,
    PartyId,
    Pattern,
    RoleName,
    Roles,
    StrictBody,
    Time,
    Words,
)
from formation_portal.service.serializers import Json, serialize_party
from formation_portal.service.submission_check import refuse_impossible_values
from formation_portal.service.webhooks import events

SomeRoles = Annotated[Roles, Field(min_length=1)]


class PersonIn(OpenBody):
    """The body of POST …/parties for a person."""

    party_type: Literal["person"]
    first_name: Words
    last_name: Words
    email: Line | None = None
    roles: SomeRoles


class CorporateIn(OpenBody):
    """The body of POST …/parties for a company."""

    party_type: Literal["corporate"]
    name: Words
    roles: SomeRoles


class FoundationIn(OpenBody):
    """The body of POST …/parties for a foundation."""

    party_type: Literal["foundation"]
    name: Words
    roles: SomeRoles


PartyIn = Annotated[PersonIn | CorporateIn | FoundationIn, Field(discriminator="party_type")]


class PartyPatch(OpenBody):
    """The body of PATCH …/parties/{partyId}: roles and properties; null clears a property."""

    roles: Roles | None = None


class ReuseIn(StrictBody):
    """The body of POST …/parties/reuse."""

    source_party_id: PartyId
    roles: SomeRoles


class PartyOut(BaseModel):
    """A party; its properties stand beside these members. A pending role becomes active when shares are allocated."""

    model_config = ConfigDict(extra="allow")

    party_id: PartyId
    entity_id: str
    party_type: Literal["person", "corporate", "foundation"]
    roles: list[RoleName]
    pending_roles: list[RoleName]
    created_at: Time
    updated_at: Time


router = Router(tags=["Parties"])
READ = "parties:read"
WRITE = "parties:write"
PARTIES = "/entities/{entity_id}/parties"
ONE = f"{PARTIES}/{{party_id}}"
Search = Annotated[
    str, Field(max_length=200), Pattern(r"^[^\u0000-\u001f\u007f]*$", "Send {name} without control characters.")
]
# The properties that name a party. They may not be blank (INTERFACE.md, "Parties").
_NAMES = {"person": ("first_name", "last_name"), "corporate": ("name",), "foundation": ("name",)}


@route(router, "GET", "/parties", scopes=READ, gives=Page[PartyOut], refuses=(422,))
def search_parties(request: HttpRequest, search: Search | None = None, *, paging: Query[Paging]) -> Json:
    """**S** The account's parties over all entities, newest first; `search` finds the beginnings of words in names and
    e-mail addresses."""
    parties = queries.with_shares_held(Party.objects.filter(entity__account_id=key_of(request).account_id))
    parties = parties.select_related("entity__form").defer("entity__form__document").order_by("-created_at", "-id")
    for word in (search or "").casefold().split():
        has_prefix = Q()
        for mark in prefix_marks(word):
            has_prefix |= Q(search_text__contains=mark)
        parties = parties.filter(has_prefix)
    return queries.paginate(parties, paging, lambda party: serialize_party(party, party.entity))


@route(router, "POST", f"{PARTIES}/reuse", scopes=WRITE, gives=One[PartyOut], status=201, takes=JSON)
def reuse_party(request: HttpRequest, entity_id: EntityId, body: ReuseIn) -> Json:
    """**S** Copies a party of the account into this entity: its type, and the answers that this form asks for."""
    entity = queries.entity_to_write(request, entity_id)
    _refuse_full(entity)
    account_parties = Party.objects.filter(entity__account_id=key_of(request).account_id)
    source = queries.find_or_404(
        account_parties, body.source_party_id, identifiers.PARTY, "party", member="source_party_id"
    )
    form = parsed_form(entity.form)
    refuse_unsuitable_roles(form, source.party_type, body.roles)
    fields = party_fields(form, source.party_type, body.roles)
    party = Party(entity=entity, party_type=source.party_type, roles=body.roles)
    party.properties = {name: value for name, value in source.properties.items() if (name,) in fields.properties}
    # A reference to a share class of the other entity means nothing here.
    copied = {path for path, spec in fields.csp.items() if not spec.refers_to_share_class}
    party.csp_data = {name: value for name, value in source.csp_data.items() if (name,) in copied}
    party.save(force_insert=True)
    events.party_changed(entity, "added", party)
    return {"data": serialize_party(party, entity)}


@route(router, "POST", PARTIES, scopes=WRITE, gives=One[PartyOut], status=201, takes=JSON)
def add_party(request: HttpRequest, entity_id: EntityId, body: Annotated[PartyIn, Body()]) -> Json:
    """Adds a person, company or foundation in its roles; a shareholder without shares is a potential one."""
    entity = queries.entity_to_write(request, entity_id)
    _refuse_full(entity)
    refuse_unsuitable_roles(parsed_form(entity.form), body.party_type, body.roles)
    party = Party(entity=entity, party_type=body.party_type, roles=body.roles)
    properties = body.model_dump(exclude={"party_type", "roles"}, exclude_unset=True)
    answers = _parsed_properties(entity, party, properties)
    party.properties = answers.merged_into({})
    refuse_impossible_values(entity, party, answers)
    party.save(force_insert=True)
    events.party_changed(entity, "added", party)
    return {"data": serialize_party(party, entity)}


@route(router, "GET", PARTIES, scopes=READ, gives=Page[PartyOut], refuses=(422,))
def list_parties(
    request: HttpRequest,
    entity_id: EntityId,
    role: RoleName | None = None,
    party_type: Literal["person", "corporate", "foundation"] | None = None,
    *,
    paging: Query[Paging],
) -> Json:
    """The entity's parties with their roles, oldest first. `role` finds parties with that role, not pending ones."""
    entity = queries.entity_to_read(request, entity_id)
    parties = queries.parties_of(entity)
    if role is not None:
        parties = parties.filter(role_text__contains=role_mark(role))
        if role == canonical.SHAREHOLDER:
            parties = parties.filter(queries.HOLDS_SHARES)
    if party_type is not None:
        parties = parties.filter(party_type=party_type)
    return queries.paginate(parties, paging, lambda party: serialize_party(party, entity))


@route(router, "GET", ONE, scopes=READ, gives=One[PartyOut])
def get_party(request: HttpRequest, entity_id: EntityId, party_id: PartyId) -> Json:
    """**S** One party."""
    entity = queries.entity_to_read(request, entity_id)
    return {"data": serialize_party(queries.party_of(entity, party_id), entity)}


@route(router, "PATCH", ONE, scopes=WRITE, gives=One[PartyOut], takes=JSON, refuses=(409,))
def update_party(request: HttpRequest, entity_id: EntityId, party_id: PartyId, body: PartyPatch) -> Json:
    """**S** Changes roles and properties; null clears a property. The type can't be changed."""
    entity = queries.entity_to_write(request, entity_id)
    party = queries.party_of(entity, party_id)
    if "party_type" in body.properties:
        detail = "Leave out party_type. The type of a party cannot be changed."
        raise invalid([ErrorDetail(pointer("party_type"), "unknown_field", detail, "party_type")])
    if body.roles is not None:
        refuse_unsuitable_roles(parsed_form(entity.form), party.party_type, body.roles)
        if canonical.SHAREHOLDER not in body.roles:
            _refuse_shareholder(party)
        party.roles = body.roles
    answers = _parsed_properties(entity, party, body.properties)
    party.properties = answers.merged_into(party.properties)
    refuse_impossible_values(entity, party, answers)
    party.save()
    events.party_changed(entity, "updated", party)
    return {"data": serialize_party(party, entity)}


@route(router, "DELETE", ONE, scopes=WRITE, gives=None, status=204, refuses=(409,))
def remove_party(request: HttpRequest, entity_id: EntityId, party_id: PartyId) -> None:
    """**S** Removes a party with its answers and documents. Remove its shareholdings first."""
    entity = queries.entity_to_write(request, entity_id)
    party = queries.party_of(entity, party_id)
    _refuse_shareholder(party)
    events.party_changed(entity, "removed", party)
    storage.remove_after_commit(list(party.documents.values_list("path", flat=True)))
    forget_answers(entity.id, party.id)
    party.delete()


def _parsed_properties(entity: Entity, party: Party, body: Json) -> ParsedAnswers:
    fields = party_fields(parsed_form(entity.form), party.party_type, party.roles)
    answers = AnswerParser(share_classes=queries.share_class_ids(entity)).properties(body, fields)
    errors = list(answers.errors)
    for name in _NAMES[party.party_type]:
        if (name,) in answers.values and answers.values[name,] is None:
            errors.append(ErrorDetail(pointer(name), "required", f"{name} must not be blank.", name))
    raise_if_any(errors)
    return answers


def _refuse_full(entity: Entity) -> None:
    if Party.objects.filter(entity=entity).count() >= MAX_PARTIES:
        detail = f"An entity can have at most {MAX_PARTIES} parties. Remove one before you add another."
        raise ApiError("too_many_parties", detail)


def _refuse_shareholder(party: Party) -> None:
    if getattr(party, "holds", False):
        raise ApiError("conflict", "This party holds shares. Remove its shareholdings first.")
