"""Describe documents for agents: the state of the viewer, who has opened a document, and its URL."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.http import QueryDict
from django.urls import reverse

from formation_portal.applications.documents import findings_of
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Document
from formation_portal.contract.localisation import join_list
from formation_portal.core.integers import parse_integer, parse_integers
from formation_portal.reviews.checklist import Fact
from formation_portal.reviews.checks import opened_documents
from formation_portal.reviews.targets import holder_name

from .case_urls import party_url, queue_shown
from .queue_state import QueueState
from .url_queries import query_string, read_choice

ZOOMS = (100, 150, 200, 300)
ROTATIONS = (0, 90, 180, 270)


@dataclass(frozen=True, slots=True)
class ViewerState:
    """The state of the viewer in a URL: the document's key (0: the first document), page, zoom in percent, turn in
    degrees. `opens` tells whether the URL opens the document; each opening is recorded.
    """

    document: int = 0
    page: int = 1
    zoom: int = ZOOMS[0]
    turn: int = ROTATIONS[0]
    opens: bool = False
    queue_state: QueueState = field(default_factory=QueueState)

    @classmethod
    def read(cls, query: QueryDict) -> "ViewerState":
        """Read the state from a URL. Unreadable parts are ignored."""
        return cls(
            document=_number(query, "document"),
            page=max(1, _number(query, "page")),
            zoom=read_choice(_number(query, "zoom"), ZOOMS),
            turn=read_choice(_number(query, "turn"), ROTATIONS),
            opens=query.get("open") == "1",
            queue_state=queue_shown(query),
        )

    def query(self, *, opens: bool = False) -> str:
        """Return the state as the query of a URL. Pass `opens` for a link that opens the document."""
        parameters: dict[str, Any] = {"open": int(opens)}
        default = ViewerState()
        for name in ("document", "page", "zoom", "turn"):
            if getattr(self, name) != getattr(default, name):
                parameters[name] = getattr(self, name)
        return query_string(parameters | {"from": self.queue_state.address})

    def for_document(self, document: int) -> "ViewerState":
        return ViewerState(document, queue_state=self.queue_state)

    def for_page(self, page: int) -> "ViewerState":
        return replace(self, page=page)

    def zoomed(self, step: int) -> "ViewerState | None":
        """Return the state zoomed in (1) or out (-1); None at the limit."""
        index = ZOOMS.index(self.zoom) + step
        return replace(self, zoom=ZOOMS[index]) if 0 <= index < len(ZOOMS) else None

    @property
    def rotated(self) -> "ViewerState":
        return replace(self, turn=(self.turn + 90) % 360)


def _number(query: QueryDict, name: str) -> int:
    return parse_integer(query.get(name, "")) or 0


def unopened_documents(
    draft: Draft, facts: Iterable[Fact], queue_state: QueueState
) -> list[tuple[Fact, str, str, str]]:
    """Return the fact of each document, its holder's name, who has opened the document, and its URL. One SQL query."""
    opened = opened_documents(draft)
    rows = []
    for fact in facts:
        if fact.document is not None:
            opened_words = opened_by(opened.names_of(fact.document.pk))
            rows.append((fact, holder_name(draft, fact.target), opened_words, document_url(fact.document, queue_state)))
    return rows


def opened_by(names: Sequence[str]) -> str:
    return f"Opened by {join_list(names)}" if names else "Not opened yet"


def document_url(document: Document, queue_state: QueueState) -> str:
    """Return the URL of a party's document on the party's page, beside the answers; of another document its own page,
    or a download if the document cannot be shown."""
    reference = document.application.reference
    if document.party:
        query = ViewerState(document.pk, queue_state=queue_state).query(opens=True)
        return f"{party_url(reference, document.party.token)}{query}#viewer"
    if findings_of(document).can_be_shown or document.is_checking:
        return reverse("desk:document_page", args=[reference, document.pk, 1])
    return reverse("desk:document", args=[reference, document.pk])


def acknowledged_documents(post: QueryDict) -> tuple[int, ...]:
    return tuple(parse_integers(post.getlist("unseen")))
