"""Document slots as components/slot.html draws them."""

from dataclasses import dataclass
from urllib.parse import quote

from django.urls import reverse
from django.utils.http import urlencode

from formation_portal.applications.drafts import Draft
from formation_portal.applications.models import Document
from formation_portal.applications.rows import PartyRow
from formation_portal.contract.rules import Slot

from . import moments
from .arrivals import Arrivals
from .questions import anchor


@dataclass(frozen=True, slots=True)
class FileRow:
    """An uploaded file by its own name."""

    name: str
    url: str
    facts: str


@dataclass(frozen=True, slots=True)
class SlotRow:
    """One slot in any state."""

    id: str
    key: str
    name: str
    optional: bool
    help: str
    state: str
    status: str
    file: FileRow | None
    note: str
    error: str
    upload_url: str
    remove_url: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """A file that was not taken: at which slot, and why."""

    key: str
    message: str


def slot_key(token: str | None, name: str) -> str:
    """What a form posts to name a slot: the party's token and the slot's own name."""
    return f"{token or ''}/{name}"


def slot_id(key: str) -> str:
    """The id of the slot's file control."""
    return f"slot:{anchor(quote(key))}"


def slot_rows(
    draft: Draft,
    party: PartyRow | None,
    *,
    back: str = "",
    refusal: Refusal | None = None,
    only: str | None = None,
    arrivals: Arrivals,
) -> tuple[SlotRow, ...]:
    """The slots of a party, or of the entity; `only` those that one section asks, by its key.

    `back` is the address to return to after an upload; `refusal` a file that was not taken just now.
    """
    documents = draft.documents_of(party)
    return tuple(
        _row(draft, party, slot, documents.get(slot.name), back=back, refusal=refusal, arrivals=arrivals)
        for slot in draft.standing.slots(party.record if party else None)
        if only is None or slot.section.key == only
    )


def _row(
    draft: Draft,
    party: PartyRow | None,
    slot: Slot,
    document: Document | None,
    *,
    back: str,
    refusal: Refusal | None,
    arrivals: Arrivals,
) -> SlotRow:
    key = slot_key(party.token if party else None, slot.name)
    application = draft.application
    query = f"?{urlencode({'back': back})}" if back else ""
    documents_url = reverse("portal:documents", args=[application.reference])
    state, status, objection = _standing(document, arrivals)
    return SlotRow(
        id=slot_id(key),
        key=key,
        name=slot.name,
        optional=not slot.required,
        help=slot.help,
        state=state if document or slot.required else "",
        status=status,
        file=_file(document) if document else None,
        note=objection,
        error=refusal.message if refusal and refusal.key == key else "",
        upload_url=f"{documents_url}{query}" if application.is_open else "",
        remove_url=f"{_removal(document)}{query}" if document and application.is_open else "",
    )


def _standing(document: Document | None, arrivals: Arrivals) -> tuple[str, str, str]:
    """The mark, the words for it, and what the service said against the document."""
    if document is None:
        return "open", "Missing", ""
    delivery = arrivals.of_document(document.subject)
    if delivery.is_refused:
        return "heed", delivery.words, next((problem.message for problem in delivery.problems), "")
    return "met", "Received", ""


def _file(document: Document) -> FileRow:
    facts = f"{moments.size(document.size)}, {moments.day(document.uploaded_at.date())}"
    return FileRow(document.name, _address("document", document), facts)


def _removal(document: Document) -> str:
    return _address("document_removal", document)


def _address(view: str, document: Document) -> str:
    return reverse(f"portal:{view}", args=[document.application.reference, document.pk])
