"""The one shape of every refusal (RFC 9457; supplement, "Envelopes, pages, errors")."""

from pydantic import BaseModel, Field


class ProblemError(BaseModel):
    """One thing that is wrong, or, on submit, one thing that is still needed."""

    pointer: str
    field: str | None = None
    code: str
    detail: str
    section: str | None = None
    party_id: str | None = None
    share_class_id: str | None = None
    slot: str | None = None


class Problem(BaseModel):
    """What was refused and why. `code` is stable; `existing_id` names the record that a conflict is with."""

    type: str
    title: str
    status: int = Field(ge=400, le=599)
    detail: str
    instance: str
    code: str
    errors: list[ProblemError]
    request_id: str
    existing_id: str | None = None
