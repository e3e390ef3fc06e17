"""Parties on the wire (interface, "Party"; supplement, "Parties")."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from formation_portal.service.schemas.base import Line, OpenBody, PartyId, RoleName, Roles, StrictBody, Time, Words

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
