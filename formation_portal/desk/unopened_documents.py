"""Which documents agents have opened, and where each is looked at."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.http import QueryDict
from django.urls import reverse

from formation_portal.applications.documents import findings_of
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Document
from formation_portal.contract.localisation import join_list
from formation_portal.core.integers import parse_integers
from formation_portal.reviews.checklist import Fact
from formation_portal.reviews.checks import opened_documents
from formation_portal.reviews.targets import holder_name

from .queue_state import QueueState
from .return_urls import party_url
from .viewer_state import ViewerState


@dataclass(frozen=True, slots=True)
class UnopenedDocument:
    """One document that the agent has not opened: whose it is, who else has opened it, and where to look at it."""

    number: int
    label: str
    whose: str
    seen: str
    url: str


def unopened_documents(draft: Draft, facts: Iterable[Fact], shown: QueueState) -> tuple[UnopenedDocument, ...]:
    """Each of these documents, in their order: one query."""
    seen = opened_documents(draft)
    found = [fact for fact in facts if fact.document is not None]
    return tuple(
        UnopenedDocument(
            one.pk, fact.label, holder_name(draft, fact.target), opened_by(seen.names_of(one.pk)), look_url(one, shown)
        )
        for fact in found
        if (one := fact.document)
    )


def opened_by(names: Sequence[str]) -> str:
    """Who has opened a document."""
    return f"Opened by {join_list(names)}" if names else "Not opened yet"


def look_url(document: Document, shown: QueueState) -> str:
    """Where it is looked at: on the page of its party, beside the answers; else on its own; else it is downloaded."""
    reference = document.application.reference
    if document.party:
        return f"{party_url(reference, document.party.token)}{ViewerState(document.pk, shown=shown).query}#paper"
    if findings_of(document).can_be_shown:
        return reverse("desk:document_page", args=[reference, document.pk, 1])
    return reverse("desk:document", args=[reference, document.pk])


def acknowledged_documents(post: QueryDict) -> tuple[int, ...]:
    """The documents that an agent goes on without having opened, as the form says that asked about them."""
    return tuple(parse_integers(post.getlist("unseen")))
