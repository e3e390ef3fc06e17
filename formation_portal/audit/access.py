"""Which documents of an application agents have viewed, read from the audit log."""

import json
from enum import StrEnum

from django.db.models import QuerySet

from .models import Actor, AuditAction, Entry


class AccessKind(StrEnum):
    """What was handed out."""

    FILE = "file"
    PAGE = "page"
    SMALL = "small picture"


# The small picture in a list is too small to read.
_READABLE = frozenset({AccessKind.FILE, AccessKind.PAGE})


def accesses_by_agents(reference: str) -> QuerySet[Entry]:
    """Every time an agent was shown something of a document of the application, the first one first."""
    return Entry.objects.filter(reference=reference, deed=AuditAction.LOOK, actor=Actor.AGENT).order_by("number")


def is_document_access(subject: str, detail: str) -> bool:
    """Whether such an entry tells that a page, or the file, of a document was handed out; its number is the subject."""
    try:
        said = json.loads(detail or "{}")
    except ValueError:
        # Somebody has made the entry unreadable.
        return False
    return subject.isdigit() and isinstance(said, dict) and str(said.get("way", "")) in _READABLE
