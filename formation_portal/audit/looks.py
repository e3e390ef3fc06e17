"""What agents have looked at of an application's documents, read from the chain."""

import json
from enum import StrEnum

from django.db.models import QuerySet

from .models import Actor, Deed, Entry


class Way(StrEnum):
    """What was handed out."""

    FILE = "file"
    PAGE = "page"
    SMALL = "small picture"


# The small picture in a list is too small to read.
_READABLE = frozenset({Way.FILE, Way.PAGE})


def looks_of_agents(reference: str) -> QuerySet[Entry]:
    """Every time an agent was shown something of a document of the application, the first one first."""
    return Entry.objects.filter(reference=reference, deed=Deed.LOOK, actor=Actor.AGENT).order_by("number")


def is_of_a_document(subject: str, detail: str) -> bool:
    """Whether such an entry tells that a page, or the file, of a document was handed out; its number is the subject."""
    return subject.isdigit() and _way(detail) in _READABLE


def _way(detail: str) -> str:
    """How it was handed out; nothing where somebody has made the entry unreadable."""
    try:
        said = json.loads(detail or "{}")
    except ValueError:
        return ""
    return str(said.get("way", "")) if isinstance(said, dict) else ""
