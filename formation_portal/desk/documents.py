"""Documents as agents look at them: where in the viewer, which ones they have opened, and where each is looked at."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.http import QueryDict
from django.urls import reverse
from django.utils.http import urlencode

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

ZOOMS = (100, 150, 200, 300)
ROTATIONS = (0, 90, 180, 270)


@dataclass(frozen=True, slots=True)
class ViewerState:
    """Where somebody looks in the viewer, as the page's address says: one page of one document, at a size in percent,
    turned by degrees; document 0 is the first one.

    `opens` where the address opens the document, which is recorded; without it the viewer shows only what the reader
    has opened before. `shown` is the queue that the case was opened from, which comes along.
    """

    document: int = 0
    page: int = 1
    zoom: int = ZOOMS[0]
    turn: int = ROTATIONS[0]
    opens: bool = False
    shown: QueueState = field(default_factory=QueueState)

    @classmethod
    def read(cls, query: QueryDict) -> "ViewerState":
        """The look that an address asks for; what can't be read is as if it were not there."""
        zoom, turn = _number(query, "zoom"), _number(query, "turn")
        return cls(
            document=_number(query, "document"),
            page=max(1, _number(query, "page")),
            zoom=zoom if zoom in ZOOMS else ZOOMS[0],
            turn=turn if turn in ROTATIONS else ROTATIONS[0],
            opens=query.get("open") == "1",
            shown=queue_shown(query),
        )

    @property
    def query(self) -> str:
        """Return the query of an address that opens nothing, without what is the default anyway."""
        return self._query({})

    @property
    def opening_query(self) -> str:
        """Return the query of a link by which a person opens the document."""
        return self._query({"open": 1})

    def _query(self, parameters: dict[str, Any]) -> str:
        default = ViewerState()
        for name in ("document", "page", "zoom", "turn"):
            if getattr(self, name) != getattr(default, name):
                parameters[name] = getattr(self, name)
        if self.shown.address:
            parameters["from"] = self.shown.address
        return f"?{urlencode(parameters)}" if parameters else ""

    def for_document(self, document: int) -> "ViewerState":
        """A first look at another document."""
        return ViewerState(document, shown=self.shown)

    def for_page(self, page: int) -> "ViewerState":
        """The same at another page."""
        return replace(self, page=page)

    @property
    def larger(self) -> "ViewerState | None":
        """The same, larger; None where it is as large as it gets."""
        return self._zoomed(1)

    @property
    def smaller(self) -> "ViewerState | None":
        """The same, smaller; None where all of it is seen already."""
        return self._zoomed(-1)

    def _zoomed(self, step: int) -> "ViewerState | None":
        place = ZOOMS.index(self.zoom) + step
        return replace(self, zoom=ZOOMS[place]) if 0 <= place < len(ZOOMS) else None

    @property
    def rotated(self) -> "ViewerState":
        """The same, turned on by a quarter."""
        return replace(self, turn=(self.turn + 90) % 360)


def _number(query: QueryDict, name: str) -> int:
    return parse_integer(query.get(name, "")) or 0


def unopened_documents(draft: Draft, facts: Iterable[Fact], shown: QueueState) -> list[tuple[Fact, str, str, str]]:
    """Each of these documents, in their order, with whose it is, who else has opened it and where to look at it: one
    query."""
    seen = opened_documents(draft)
    return [
        (fact, holder_name(draft, fact.target), opened_by(seen.names_of(one.pk)), look_url(one, shown))
        for fact in facts
        if (one := fact.document)
    ]


def opened_by(names: Sequence[str]) -> str:
    """Who has opened a document."""
    return f"Opened by {join_list(names)}" if names else "Not opened yet"


def look_url(document: Document, shown: QueueState) -> str:
    """Where it is looked at: on the page of its party, beside the answers; else on its own; else it is downloaded."""
    reference = document.application.reference
    if document.party:
        query = ViewerState(document.pk, shown=shown).opening_query
        return f"{party_url(reference, document.party.token)}{query}#paper"
    if findings_of(document).can_be_shown or document.is_checking:
        return reverse("desk:document_page", args=[reference, document.pk, 1])
    return reverse("desk:document", args=[reference, document.pk])


def acknowledged_documents(post: QueryDict) -> tuple[int, ...]:
    """The documents that an agent goes on without having opened, as the form says that asked about them."""
    return tuple(parse_integers(post.getlist("unseen")))
