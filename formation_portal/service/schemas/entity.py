"""Entities, csp-data and documents on the wire (interface, "POST /entities", "csp-data"; supplement, "Entities")."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, StringConstraints, Tag

from formation_portal.contract.lifecycle import State
from formation_portal.service.schemas.base import (
    DocumentId,
    EntityId,
    OpenBody,
    PartyId,
    ShareClassId,
    StrictBody,
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


class StatusIn(StrictBody):
    """The body of POST /entities/{id}/status. Submitting is a call of its own."""

    status: Literal["in_review", "returned_for_changes", "submitted_to_csp", "rejected", "incorporated", "withdrawn"]
    note: Annotated[str, Field(max_length=10_000, pattern=r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]*$")] = ""


class _AnswersIn(StrictBody):
    csp_form_schema_id: Uuid
    csp_data: dict[str, Any]


class EntityAnswersIn(_AnswersIn):
    """The body of POST …/csp-data: the entity's answers by csp_field_key; null clears."""

    scope: Literal["entity"] = "entity"


class PartyAnswersIn(_AnswersIn):
    """The same for a party's answers."""

    scope: Literal["party"]
    party_id: PartyId


class ShareClassAnswersIn(_AnswersIn):
    """The same for the answers of a class of shares."""

    scope: Literal["share_class"]
    share_class_id: ShareClassId


def scope(body: Any) -> Any:
    """Whose answers a body holds; the entity's own where it doesn't say. Its name stands in pydantic's errors."""
    return body.get("scope", "entity") if isinstance(body, dict) else getattr(body, "scope", "entity")


CspDataIn = Annotated[
    Annotated[EntityAnswersIn, Tag("entity")]
    | Annotated[PartyAnswersIn, Tag("party")]
    | Annotated[ShareClassAnswersIn, Tag("share_class")],
    Discriminator(scope),
]


class CspDataOut(BaseModel):
    """All csp-data of the entity, a party or a share class."""

    csp_form_schema_id: str
    scope: Literal["entity", "party", "share_class"]
    party_id: str | None
    share_class_id: str | None
    csp_data: dict[str, Any]


class DocumentOut(BaseModel):
    """An uploaded document; its bytes are behind …/download."""

    id: DocumentId
    document_key: str
    scope: Literal["entity", "party"]
    party_id: str | None
    name: str
    mime_type: str
    size: int
    sha256: str
    status: Literal["pending", "approved", "rejected"]
    created_at: Time
