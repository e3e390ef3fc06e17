"""Entities and csp-data on the wire (interface, "POST /entities", "csp-data"; supplement, "Entities")."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from formation_portal.contract.lifecycle import State
from formation_portal.service.shapes.base import (
    Body,
    EntityId,
    OpenBody,
    PartyId,
    ShareClassId,
    Time,
    Uuid,
)

ClientReference = Annotated[str, StringConstraints(pattern=r"^[!-~]{1,100}$")]
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


class StatusIn(Body):
    """The body of POST /entities/{id}/status. Submitting is a call of its own."""

    status: Literal["in_review", "returned_for_changes", "submitted_to_csp", "rejected", "incorporated", "withdrawn"]
    note: Annotated[str, Field(max_length=10_000, pattern=r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]*$")] = ""


class CspDataIn(Body):
    """The body of POST …/csp-data: answers by csp_field_key, null clears; `scope` says whose they are."""

    csp_form_schema_id: Uuid
    csp_data: dict[str, Any]
    scope: Literal["entity", "party", "share_class"] = "entity"
    party_id: PartyId | None = None
    share_class_id: ShareClassId | None = None


class CspDataOut(BaseModel):
    """All csp-data of the entity, a party or a share class."""

    csp_form_schema_id: str
    scope: Literal["entity", "party", "share_class"]
    party_id: str | None
    share_class_id: str | None
    csp_data: dict[str, Any]
