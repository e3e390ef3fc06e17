"""Read and write csp-data of entities, parties and share classes (INTERFACE.md, "Csp-data").

**S** marks the supplementary calls.
"""

from typing import Annotated, Any, Literal

from django.http import HttpRequest
from ninja import Body, Router
from pydantic import BaseModel, Discriminator, Tag

from formation_portal.service import queries
from formation_portal.service.entity_forms import entity_fields, parsed_form, party_fields, share_class_fields
from formation_portal.service.models import Party, ShareClass
from formation_portal.service.parsing import AnswerParser
from formation_portal.service.pipeline import JSON, route
from formation_portal.service.problems import ApiError, raise_if_any
from formation_portal.service.schemas import EntityId, One, PartyId, ShareClassId, StrictBody, Uuid
from formation_portal.service.serializers import Json, serialize_csp_data
from formation_portal.service.submission_check import refuse_impossible_values
from formation_portal.service.webhooks import events


class _AnswersIn(StrictBody):
    csp_form_schema_id: Uuid
    csp_data: dict[str, Any]


class EntityAnswersIn(_AnswersIn):
    """The body of POST …/csp-data: the entity's answers by csp_field_key; null clears."""

    scope: Literal["entity"] = "entity"


class PartyAnswersIn(_AnswersIn):
    """The body of POST …/csp-data for the answers of a party."""

    scope: Literal["party"]
    party_id: PartyId


class ShareClassAnswersIn(_AnswersIn):
    """The body of POST …/csp-data for the answers of a class of shares."""

    scope: Literal["share_class"]
    share_class_id: ShareClassId


def scope(body: Any) -> Any:
    """Return the scope of a body. pydantic's errors show this function's name."""
    if isinstance(body, dict):
        # None would be taken for a missing scope.
        return "null" if body.get("scope", "") is None else body.get("scope", "entity")
    return getattr(body, "scope", "entity")


CspDataIn = Annotated[
    Annotated[EntityAnswersIn, Tag("entity")]
    | Annotated[PartyAnswersIn, Tag("party")]
    | Annotated[ShareClassAnswersIn, Tag("share_class")],
    Discriminator(scope),
]


class CspDataOut(BaseModel):
    """The csp-data of the entity, a party or a share class."""

    csp_form_schema_id: str
    scope: Literal["entity", "party", "share_class"]
    party_id: str | None
    share_class_id: str | None
    csp_data: dict[str, Any]


router = Router(tags=["CSP data"])


@route(router, "POST", "/entities/{entity_id}/csp-data", scopes="entities:write", gives=One[CspDataOut], takes=JSON)
def submit_csp_data(request: HttpRequest, entity_id: EntityId, body: Annotated[CspDataIn, Body()]) -> Json:
    """Merges answers key by key; null clears. `scope` and an id name a party or share class instead of the entity."""
    entity = queries.entity_to_write(request, entity_id)
    if body.csp_form_schema_id.lower() != entity.form_id:
        detail = f"csp_form_schema_id must be {entity.form_id}, which is the form schema of this entity."
        raise ApiError("schema_superseded", detail)
    form = parsed_form(entity.form)
    holder: Party | ShareClass | None = None
    fields = entity_fields(form)
    if isinstance(body, PartyAnswersIn):
        holder = queries.party_of(entity, body.party_id, member="party_id")
        fields = party_fields(form, holder.party_type, holder.roles)
    elif isinstance(body, ShareClassAnswersIn):
        holder = queries.share_class_of(entity, body.share_class_id, member="share_class_id")
        fields = share_class_fields(form)
    answers = AnswerParser(share_classes=queries.share_class_ids(entity)).csp_data(body.csp_data, fields)
    raise_if_any(answers.errors)
    row = holder or entity
    before = row.csp_data
    row.csp_data = answers.merged_into(row.csp_data)
    refuse_impossible_values(entity, holder, answers)
    row.save()
    if isinstance(holder, Party) and holder.csp_data != before:
        events.party_changed(entity, "updated", holder)
    return {"data": serialize_csp_data(entity, holder)}


@route(
    router,
    "GET",
    "/entities/{entity_id}/csp-data",
    scopes="entities:read",
    gives=One[CspDataOut],
    refuses=(422,),
)
def get_csp_data(
    request: HttpRequest,
    entity_id: EntityId,
    party_id: PartyId | None = None,
    share_class_id: ShareClassId | None = None,
) -> Json:
    """**S** The answers of the entity, or of the party or share class whose id is given."""
    entity = queries.entity_to_read(request, entity_id)
    holder: Party | ShareClass | None = None
    if party_id is not None:
        holder = queries.party_of(entity, party_id, member="party_id")
    elif share_class_id is not None:
        holder = queries.share_class_of(entity, share_class_id, member="share_class_id")
    return {"data": serialize_csp_data(entity, holder)}
