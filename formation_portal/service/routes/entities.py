"""Create, change, submit and delete entities (INTERFACE.md, "Entities").

**S** marks the supplementary calls.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, get_args

from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Router
from pydantic import BaseModel, ConfigDict, Field

from formation_portal.contract.lifecycle import AGENT, TRANSITIONS, State, is_possible, transition_to
from formation_portal.contract.needs import CORRECTIONS
from formation_portal.core.databases import SERVICE
from formation_portal.service import queries, retention
from formation_portal.service.auth import key_of, require
from formation_portal.service.entity_forms import entity_fields, parsed_form
from formation_portal.service.models import CatalogItem, Entity
from formation_portal.service.parsing import AnswerParser
from formation_portal.service.pipeline import JSON, route
from formation_portal.service.problems import ApiError, ErrorDetail, not_found, raise_if_any
from formation_portal.service.schemas import (
    EntityId,
    One,
    OpenBody,
    Page,
    Paging,
    Pattern,
    StrictBody,
    Time,
    Uuid,
)
from formation_portal.service.serializers import Json, serialize_entity
from formation_portal.service.submission_check import missing_for_submission, refuse_impossible_values
from formation_portal.service.webhooks import events

ClientReference = Annotated[str, Pattern(r"^[!-~]{1,100}$", "{name} must be 1 to 100 visible ASCII characters.")]
Note = Annotated[
    str,
    Field(max_length=10_000),
    Pattern(r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]*$", "Send {name} without control characters."),
]
Status = Annotated[str, Field(json_schema_extra={"enum": [str(state) for state in State]})]


class EntityIn(OpenBody):
    """The body of POST /entities; other members are canonical properties of the product's form schema."""

    jurisdiction_product_id: Uuid
    client_reference: ClientReference | None = None


class EntityPatch(OpenBody):
    """The body of PATCH /entities/{id}: canonical properties; null clears."""


class EntityOut(BaseModel):
    """An entity; its canonical properties stand beside these members."""

    model_config = ConfigDict(extra="allow")

    id: EntityId
    status: Status
    status_note: str
    client_reference: str | None
    jurisdiction_product_id: str
    jurisdiction: dict[str, Any]
    product: dict[str, Any]
    schema_id: str
    schema_version: str
    created_at: Time
    updated_at: Time


Target = Literal["in_review", "returned_for_changes", "submitted_to_csp", "rejected", "incorporated", "withdrawn"]
_TARGETS: tuple[str, ...] = get_args(Target)


class StatusIn(StrictBody):
    """The body of POST /entities/{id}/status. Submitting is a call of its own."""

    status: Target
    note: Note = ""


router = Router(tags=["Entities"])
READ = "entities:read"
WRITE = "entities:write"
REVIEW = "entities:review"


@route(router, "POST", "/entities", scopes=WRITE, gives=One[EntityOut], status=201, takes=JSON, refuses=(404,))
def create_entity(request: HttpRequest, body: EntityIn) -> Json:
    """Creates an entity from a catalog item. Missing answers are only refused on submit."""
    items = CatalogItem.objects.select_related("form").filter(is_listed=True)
    item = items.filter(jurisdiction_product_id=body.jurisdiction_product_id.lower()).first()
    if item is None:
        raise not_found("product", member="jurisdiction_product_id")
    key = key_of(request)
    _refuse_duplicate(request, body.client_reference)
    answers = AnswerParser().properties(body.properties, entity_fields(parsed_form(item.form)))
    raise_if_any(answers.errors)
    entity = Entity(
        account=key.account,
        created_by=key,
        client_reference=body.client_reference,
        item=item,
        form=item.form,
        properties=answers.merged_into({}),
    )
    refuse_impossible_values(entity, None, answers)
    try:
        with transaction.atomic(using=SERVICE):
            entity.save(force_insert=True)
    except IntegrityError:
        _refuse_duplicate(request, body.client_reference)
        raise
    events.entity_created(entity)
    return {"data": serialize_entity(entity)}


def _refuse_duplicate(request: HttpRequest, client_reference: str | None) -> None:
    if client_reference is None:
        return
    existing = Entity.objects.filter(created_by=key_of(request), client_reference=client_reference).first()
    if existing is not None:
        detail = f"This key has an entity with the client_reference {client_reference} already. Send another."
        raise ApiError("conflict", detail, members={"existing_id": existing.id})


@route(router, "GET", "/entities", scopes=READ, gives=Page[EntityOut], refuses=(422,))
def list_entities(
    request: HttpRequest,
    client_reference: ClientReference | None = None,
    status: State | None = None,
    *,
    paging: Query[Paging],
) -> Json:
    """**S** The account's entities, newest first."""
    entities = queries.entities_of(request).order_by("-created_at", "-id")
    if client_reference is not None:
        entities = entities.filter(client_reference=client_reference)
    if status is not None:
        entities = entities.filter(status=status)
    return queries.paginate(entities, paging, serialize_entity)


@route(router, "GET", "/entities/{entity_id}", scopes=READ, gives=One[EntityOut])
def get_entity(request: HttpRequest, entity_id: EntityId) -> Json:
    """**S** One entity."""
    return {"data": serialize_entity(queries.entity_to_read(request, entity_id))}


@route(router, "PATCH", "/entities/{entity_id}", scopes=WRITE, gives=One[EntityOut], takes=JSON, refuses=(409,))
def update_entity(request: HttpRequest, entity_id: EntityId, body: EntityPatch) -> Json:
    """**S** Changes canonical properties; null clears."""
    entity = queries.entity_to_write(request, entity_id)
    parser = AnswerParser(share_classes=queries.share_class_ids(entity))
    answers = parser.properties(body.properties, entity_fields(parsed_form(entity.form)))
    raise_if_any(answers.errors)
    entity.properties = answers.merged_into(entity.properties)
    refuse_impossible_values(entity, None, answers)
    entity.save(update_fields=["properties", "updated_at"])
    return {"data": serialize_entity(entity)}


@route(router, "DELETE", "/entities/{entity_id}", scopes=WRITE, gives=None, status=204, refuses=(409,))
def delete_entity(request: HttpRequest, entity_id: EntityId) -> None:
    """**S** Deletes a draft with its parties, shares and documents."""
    entity = queries.entity_for_transition(request, entity_id)
    if entity.status != State.DRAFT:
        detail = f"An entity that is {entity.status} cannot be deleted, only one that is {State.DRAFT}."
        raise ApiError("invalid_state", detail)
    events.party_changed(entity, "removed", *queries.parties_of(entity))
    retention.delete_entity(entity)


@route(router, "POST", "/entities/{entity_id}/submit", scopes=WRITE, gives=One[EntityOut])
def submit_entity(request: HttpRequest, entity_id: EntityId) -> Json:
    """**S** Submits the entity for review. Missing answers and documents are listed in 422 `requirements_not_met`."""
    entity = queries.entity_for_transition(request, entity_id)
    transition = TRANSITIONS["submit"]
    if not is_possible(transition.name, State(entity.status)):
        sources = " or ".join(sorted(transition.sources))
        detail = f"An entity that is {entity.status} cannot be submitted, only one that is {sources}."
        raise ApiError("invalid_state", detail)
    if errors := missing_for_submission(entity):
        raise ApiError("requirements_not_met", _count_needs(errors), errors=errors)
    if entity.first_submitted_at is None:
        entity.first_submitted_at = timezone.now()
        entity.save(update_fields=["first_submitted_at"])
    return {"data": _set_status(entity, transition.target, note="")}


def _count_needs(errors: Sequence[ErrorDetail]) -> str:
    corrections = sum(error.code in CORRECTIONS for error in errors)
    missing = len(errors) - corrections
    counts = []
    if missing:
        counts.append("1 thing is missing" if missing == 1 else f"{missing} things are missing")
    if corrections:
        counts.append("1 thing must be corrected" if corrections == 1 else f"{corrections} things must be corrected")
    return f"{' and '.join(counts)}."


@route(router, "POST", "/entities/{entity_id}/status", scopes=(REVIEW, WRITE), gives=One[EntityOut], takes=JSON)
def set_status(request: HttpRequest, entity_id: EntityId, body: StatusIn) -> Json:
    """**S** Changes the entity's status. Withdrawing needs entities:write, an agent's decision entities:review."""
    entity = queries.entity_for_transition(request, entity_id)
    target = State(body.status)
    is_by_agent = any(transition.by == AGENT for transition in TRANSITIONS.values() if transition.target is target)
    require(key_of(request), (REVIEW,) if is_by_agent else (WRITE,))
    if transition_to(target, State(entity.status)) is None:
        targets = [state for state in _TARGETS if transition_to(State(state), State(entity.status))]
        detail = f"An entity that is {entity.status} cannot become {target}"
        detail += f", only {' or '.join(targets)}." if targets else "."
        raise ApiError("invalid_state", detail)
    return {"data": _set_status(entity, target, note=body.note)}


def _set_status(entity: Entity, target: State, *, note: str) -> Json:
    before = entity.status
    entity.status = target
    entity.status_note = note
    entity.save(update_fields=["status", "status_note", "updated_at"])
    events.status_changed(entity, before=before)
    return serialize_entity(entity)
