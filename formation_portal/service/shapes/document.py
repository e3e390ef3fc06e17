"""Documents on the wire (supplement, "Documents")."""

from typing import Literal

from pydantic import BaseModel

from formation_portal.service.shapes.base import DocumentId, Time


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
