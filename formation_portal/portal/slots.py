"""Document slots as components/slot.html draws them."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.urls import reverse

from formation_portal.applications.documents import EarlierFiles
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Document
from formation_portal.applications.parties import PartyRow
from formation_portal.contract.rules import Slot

from .advice import advice
from .arrivals import Arrivals
from .came_back import CameBack
from .file_rows import EarlierRow, FileRow, Offer, address, earlier_rows, file_row, offers
from .note import Note
from .slot_keys import slot_id, slot_key
from .slot_states import came_back_slot, empty_slot, slot_state


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
    when: str
    detail: str
    file: FileRow | None
    advice: tuple[str, ...]
    earlier: tuple[EarlierRow, ...]
    offers: tuple[Offer, ...]
    note: str
    error: str
    is_in_form: bool
    upload_url: str
    remove_url: str
    # What our reviewer asks about it, and whether they have accepted what is there.
    asked: Note | None = None
    is_locked: bool = False


def slot_rows(
    draft: Draft,
    party: PartyRow | None,
    *,
    is_in_form: bool = False,
    refused: Mapping[str, str],
    only: str | None = None,
    arrivals: Arrivals,
    earlier: EarlierFiles | None = None,
    came_back: CameBack | None = None,
) -> tuple[SlotRow, ...]:
    """The slots of a party, or of the entity; `only` those that one section asks, by its key.

    `is_in_form` where files are posted together with the page's answers; `refused` says, by key, why a file was not
    taken just now; `earlier` are the reader's own files, to be offered once more.
    """
    documents = draft.documents_of(party)
    token = party.token if party else ""
    asked = came_back.at_documents(token) if came_back else {}
    locked = came_back.locks.documents if came_back else frozenset()
    return tuple(
        _row(
            draft,
            party,
            slot,
            documents.get(slot.name),
            is_in_form=is_in_form,
            refused=refused,
            arrivals=arrivals,
            earlier=earlier,
            asked=asked.get(slot.name),
            is_locked=(token, slot.name) in locked,
        )
        for slot in draft.form_state.slots(party.record if party else None)
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
    earlier: EarlierFiles | None,
    asked: Note | None,
    is_locked: bool,
) -> SlotRow:
    key = slot_key(party.token if party else None, slot.name)
    if document:
        stands = slot_state(document, arrivals.of_document(document.subject))
    else:
        stands = empty_slot(is_required=slot.required)
    stands = came_back_slot(stands, asked, is_locked=is_locked)
    can_be_changed = draft.application.can_be_changed and not is_locked
    has_forms = can_be_changed and not is_in_form
    return SlotRow(
        id=slot_id(key),
        key=key,
        name=slot.name,
        optional=not slot.required,
        help=slot.help,
        state=stands.mark if document or slot.required else "",
        status=stands.word,
        when=stands.when,
        detail=stands.detail,
        file=file_row(document) if document else None,
        # It says what to do, and what was accepted stays as it is.
        advice=advice(draft, party, document) if document and not is_locked else (),
        earlier=earlier_rows(draft.replaced_in(party, slot.name), can_be_changed=has_forms),
        offers=() if document or not can_be_changed else offers(earlier, party, slot.name, key),
        note=stands.note,
        error=refused.get(key, ""),
        is_in_form=is_in_form and can_be_changed,
        upload_url=reverse("portal:documents", args=[draft.application.reference]) if has_forms else "",
        remove_url=address("document_removal", document) if document and has_forms else "",
        asked=asked,
        is_locked=is_locked,
    )
