"""Document slots as components/slot.html draws them."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, unquote

from django.urls import reverse

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
    """One slot in any state. It has forms of its own, which its addresses name, or is part of the page's one form."""

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
    is_in_form: bool
    upload_url: str
    remove_url: str


def slot_key(token: str | None, name: str) -> str:
    """What a form posts to name a slot: the party's token and the slot's own name."""
    return f"{token or ''}/{name}"


def name_in(key: str) -> str:
    """The slot's own name."""
    return key.partition("/")[2]


def slot_id(key: str) -> str:
    """The id of the slot's file control; in a page's one form also the control's name."""
    return f"slot:{anchor(quote(key))}"


def name_of(control: str) -> str:
    """The slot's own name, by the control in a page's one form."""
    return name_in(unquote(control))


def slot_rows(
    draft: Draft,
    party: PartyRow | None,
    *,
    is_in_form: bool = False,
    refused: Mapping[str, str],
    only: str | None = None,
    arrivals: Arrivals,
) -> tuple[SlotRow, ...]:
    """The slots of a party, or of the entity; `only` those that one section asks, by its key.

    `is_in_form` where files are posted together with the page's answers; `refused` says, by key, why a file was not
    taken just now.
    """
    documents = draft.documents_of(party)
    return tuple(
        _row(draft, party, slot, documents.get(slot.name), is_in_form=is_in_form, refused=refused, arrivals=arrivals)
        for slot in draft.standing.slots(party.record if party else None)
        if only is None or slot.section.key == only
    )


def _row(
    draft: Draft,
    party: PartyRow | None,
    slot: Slot,
    document: Document | None,
    *,
    is_in_form: bool,
    refused: Mapping[str, str],
    arrivals: Arrivals,
) -> SlotRow:
    key = slot_key(party.token if party else None, slot.name)
    state, status, objection = _standing(document, slot, arrivals)
    has_forms = draft.application.can_be_changed and not is_in_form
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
        error=refused.get(key, ""),
        is_in_form=is_in_form and draft.application.can_be_changed,
        upload_url=reverse("portal:documents", args=[draft.application.reference]) if has_forms else "",
        remove_url=_address("document_removal", document) if document and has_forms else "",
    )


def _standing(document: Document | None, slot: Slot, arrivals: Arrivals) -> tuple[str, str, str]:
    """The mark, how far the document has come, and what the service said against it, or why our team has it."""
    if document is None:
        return "open", "Missing" if slot.required else "Not uploaded", ""
    delivery = arrivals.of_document(document.subject)
    if delivery.is_refused:
        return "heed", delivery.words, next((problem.message for problem in delivery.problems), "")
    return "heed" if delivery.why else "met", delivery.words, delivery.why


def _file(document: Document) -> FileRow:
    facts = f"{moments.size(document.size)}, {moments.day(document.uploaded_at.date())}"
    return FileRow(document.name, _address("document", document), facts)


def _address(view: str, document: Document) -> str:
    return reverse(f"portal:{view}", args=[document.application.reference, document.pk])
