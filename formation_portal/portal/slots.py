"""Build document slots for ui/slot.html: the file in each, its state, and files that can be reused."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from django.contrib import messages
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext

from formation_portal.applications import services
from formation_portal.applications.documents import EarlierFiles, findings_of
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Document
from formation_portal.applications.parties import PartyRow
from formation_portal.applications.stored_rows import token_of
from formation_portal.contract.rules import Slot
from formation_portal.relay.delivery_status import ApplicationDeliveries, DeliveryStage, DeliveryStatus
from formation_portal.relay.models import APPROVED, ResourceKind
from formation_portal.ui import formats
from formation_portal.ui.documents import advice, file_facts
from formation_portal.ui.forms.controls import slot_id, slot_key
from formation_portal.ui.forms.question import QueryNote

from .feedback import ReviewFeedback
from .pages import day_words

OFFERED_AT_MOST = 3


@dataclass(frozen=True, slots=True)
class SlotState:
    """The state of a slot: mark, words and date; `note` says why the file was returned, or is with our team."""

    mark: str
    word: str
    when: str = ""
    detail: str = ""
    note: str = ""


@dataclass(frozen=True)
class SlotRow:
    """A document slot on a page, with its file. The slot has its own forms, or is part of the page's form."""

    spec: Slot
    # The name of the slot in a post.
    key: str
    party: PartyRow | None
    state: SlotState
    # Files that were in the slot before.
    earlier: list[dict[str, str]]
    error: str
    # Our reviewer's query about the slot, and whether the reviewer has accepted the file.
    query: QueryNote | None
    is_locked: bool
    is_in_form: bool = False
    upload_url: str = ""
    # The reader's own files, if they may be reused in the slot.
    reusable: EarlierFiles | None = None
    # The current file, for ui/file.html.
    file: dict[str, str] | None = None
    advice: tuple[str, ...] = ()
    remove_url: str = ""

    @property
    def id(self) -> str:
        return slot_id(self.key)

    @cached_property
    def offers(self) -> list[tuple[str, str, str]]:
        """Return the files to reuse: posted value, name and origin of each. They are read only to draw the page."""
        offers: list[tuple[str, str, str]] = []
        if self.reusable is not None:
            for file in self.reusable.fitting(self.party, self.spec.name)[:OFFERED_AT_MOST]:
                values = {"day": formats.day(file.uploaded_at), "whom": self.reusable.about(file)}
                facts = gettext("uploaded on %(day)s for %(whom)s") % values
                offers.append((f"{file.pk}/{self.key}", file.name, facts))
        return offers


def slot_state(document: Document, delivery: DeliveryStatus) -> SlotState:
    """Return the state of a slot that has a file."""
    if document.is_checking:
        return SlotState("half", gettext("Checking"), detail=gettext("We are checking this file for malware."))
    text = str(delivery.words)
    when = day_words(delivery.at)
    if delivery.is_refused:
        note = delivery.problems[0].message if delivery.problems else ""
        return SlotState("warning", gettext("Returned to you"), when, note=note)
    if delivery.why:
        return SlotState("warning", text, note=str(delivery.why))
    if delivery.state in (DeliveryStage.SENDING, DeliveryStage.WAITING, DeliveryStage.CHECKING):
        return SlotState("half", gettext("Checking"), detail=text)
    if delivery.document_status == APPROVED:
        accepted = gettext("Accepted.")
        return SlotState("met", text, when, detail=f"{accepted} {delivery.note}".strip())
    return SlotState("met", text, when if delivery.state is DeliveryStage.RECEIVED else "")


def slot_rows(
    draft: Draft,
    party: PartyRow | None,
    *,
    deliveries: ApplicationDeliveries,
    feedback: ReviewFeedback,
    refused: Mapping[str, str],
    earlier: EarlierFiles | None,
    only: str = "",
    upload_url: str = "",
) -> tuple[SlotRow, ...]:
    """Return the slots of a party or, for None, the entity; with `only`, those of the section with that key.

    Each has a form that posts to `upload_url`; without that, files are posted with the page's answers. `refused`
    has the errors of refused files by slot key; `earlier` are the reader's own files, offered for reuse.
    """
    documents = draft.documents_of(party)
    token = token_of(party) or ""
    notes = feedback.at_documents(token)
    rows: list[SlotRow] = []
    for slot in draft.slots_of(party):
        if only not in ("", slot.section.key):
            continue
        key = slot_key(token, slot.name)
        document = documents.get(slot.name)
        query = notes.get(slot.name)
        is_locked = (token, slot.name) in feedback.locks.documents
        can_be_changed = draft.application.can_be_changed and not is_locked
        has_own_forms = can_be_changed and bool(upload_url)
        if document:
            state = slot_state(document, deliveries.of(ResourceKind.DOCUMENT, document.subject))
        elif slot.required:
            state = SlotState("open", gettext("Missing"))
        else:
            state = SlotState("", gettext("Not uploaded"))
        if is_locked:
            state = replace(state, mark="met", detail=gettext("Accepted."))
        elif query and not query.is_answered:
            state = SlotState("warning", gettext("Returned to you"), note=state.note)
        replaced = draft.replaced_in(party, slot.name)
        row = SlotRow(
            spec=slot,
            key=key,
            party=party,
            state=state,
            earlier=[_replaced_row(file, can_be_removed=has_own_forms) for file in replaced],
            error=refused.get(key, ""),
            query=query,
            is_locked=is_locked,
        )
        if can_be_changed:
            row = replace(row, is_in_form=not upload_url, upload_url=upload_url)
        if can_be_changed and not document:
            row = replace(row, reusable=earlier)
        if document:
            row = replace(row, file=_file_row(document))
            if not is_locked:
                row = replace(row, advice=advice(draft, party, document))
            if has_own_forms:
                row = replace(row, remove_url=_document_url("document_removal", document))
        rows.append(row)
    return tuple(rows)


def _file_row(document: Document) -> dict[str, str]:
    row = {"name": document.name, "url": "", "facts": file_facts(document)}
    if document.has_copy and not document.is_checking:
        row["url"] = _document_url("document", document)
        if findings_of(document).can_be_shown:
            row["file_url"] = row["url"]
            row["url"] = _document_url("document_page", document, 1)
            row["picture_url"] = _document_url("document_thumbnail", document)
    return row


def _replaced_row(document: Document, *, can_be_removed: bool) -> dict[str, str]:
    facts = gettext("uploaded on %(uploaded)s, replaced on %(replaced)s") % {
        "uploaded": formats.day(document.uploaded_at),
        "replaced": day_words(document.replaced_at),
    }
    row = {"name": document.name, "url": _document_url("document", document), "facts": facts}
    if can_be_removed:
        row["remove_url"] = _document_url("document_removal", document)
    return row


def _document_url(view: str, document: Document, *more: int) -> str:
    return reverse(f"portal:{view}", args=[document.application.reference, document.pk, *more])


def posted_reuse(request: HttpRequest) -> tuple[str, str]:
    number, _slash, key = request.POST.get("again", "").partition("/")
    return number, key


def reusable_file(earlier: EarlierFiles | None, party: PartyRow | None, slot: str, number: str) -> Document:
    """Return the reader's file to reuse in the slot. Raises UploadRefused if it does not fit or is gone."""
    if earlier and any(str(file.pk) == number for file in earlier.fitting(party, slot)):
        # Load the file again: the offered files have only a few columns.
        document = Document.objects.filter(pk=number).first()
        if document is not None:
            return document
    raise services.UploadRefused(gettext("Choose the file from your device. The earlier upload can’t be used here"))


def report_uploaded(request: HttpRequest, draft: Draft, party: PartyRow | None, document: Document) -> None:
    message = gettext("“%(slot)s” was uploaded.") % {"slot": draft.slot_words(document.slot)}
    if advice(draft, party, document):
        message += " " + gettext("Check the note below.")
    messages.success(request, message)
