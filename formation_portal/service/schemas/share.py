"""Share classes and shareholdings on the wire (interface, "Share class", "Shareholding")."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from formation_portal.contract.fields.iso_codes import CURRENCIES
from formation_portal.service.schemas.base import (
    OpenBody,
    PartyId,
    ShareClassId,
    ShareholdingId,
    StrictBody,
    Time,
    Words,
    integral,
)

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
    """The body of PATCH …/share-classes/{id}: properties; null clears one that the interface doesn't name."""


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


class ShareholdingOut(BaseModel):
    """A shareholding (supplement, "Share classes, shareholdings")."""

    id: ShareholdingId
    party_id: PartyId
    share_class_id: ShareClassId
    shares_held: int
    created_at: Time
