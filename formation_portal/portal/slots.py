"""Document slots as ui/slot.html draws them, the file in each and how it stands; and files to be used once more."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial

from django.contrib import messages
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext

from formation_portal.applications import services
from formation_portal.applications.documents import EarlierFiles, findings_of
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Document
from formation_portal.applications.parties import PartyRow
from formation_portal.contract.schema import Section
from formation_portal.relay.delivery_status import ApplicationDeliveries, DeliveryStage, DeliveryStatus
from formation_portal.relay.models import APPROVED, ResourceKind
from formation_portal.ui import formats
from formation_portal.ui.documents import advice, file_facts
from formation_portal.ui.forms.controls import slot_id, slot_key
from formation_portal.ui.forms.question import QueryNote

from .feedback import ReviewFeedback

# More than this are no help.
OFFERED_AT_MOST = 3
Offers = tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class FileRow:
    """An uploaded file by its own name; without a picture there is nothing to look at, and `url` gives the file."""

    name: str
    url: str
    facts: str
    picture_url: str = ""
    file_url: str = ""
    remove_url: str = ""


@dataclass(frozen=True, slots=True)
class SlotState:
    """The mark and the word of a slot, since when; `detail` says more of it, `note` why it came back, or why our team
    has it."""

    mark: str
    word: str
    when: str = ""
    detail: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class SlotRow:
    """One slot in any state. It has forms of its own, which its addresses name, or is part of the page's one form."""

    id: str
    key: str
    # It asks for the document, and has the texts of the slot.
    section: Section
    name: str
    # What it is called.
    words: str
    optional: bool
    help: str
    state: SlotState
    file: FileRow | None
    advice: tuple[str, ...]
    # Files that were in it before, and those to use again: what a post names one by, its name, and where it is from.
    # The latter are looked for where they are drawn: a save needs none.
    earlier: tuple[FileRow, ...]
    offers: Callable[[], Offers]
    error: str
    is_in_form: bool
    upload_url: str
    remove_url: str
    # What our reviewer asks about it, and whether they have accepted what is there.
    asked: QueryNote | None
    is_locked: bool


def slot_state(document: Document, view: DeliveryStatus) -> SlotState:
    """A slot with a file: Saved, Checking, Received, or Returned to you; never refused while that is not known."""
    if document.is_checking:
        return SlotState("half", gettext("Checking"), detail=gettext("We are checking this file for malware."))
    word, when = str(view.words), formats.day(view.at) if view.at else ""
    if view.is_refused:
        note = next((problem.message for problem in view.problems), "")
        return SlotState("heed", gettext("Returned to you"), when, note=note)
    if view.why:
        return SlotState("heed", word, note=str(view.why))
    if view.state in (DeliveryStage.SENDING, DeliveryStage.WAITING, DeliveryStage.CHECKING):
        return SlotState("half", gettext("Checking"), detail=word)
    if view.document_status == APPROVED:
        return SlotState("met", word, when, detail=" ".join(filter(None, (gettext("Accepted."), view.note))))
    return SlotState("met", word, when if view.state is DeliveryStage.RECEIVED else "")


def slot_rows(
    draft: Draft,
    party: PartyRow | None,
    *,
    is_in_form: bool = False,
    refused: Mapping[str, str],
    only: str | None = None,
    deliveries: ApplicationDeliveries,
    earlier: EarlierFiles | None = None,
    feedback: ReviewFeedback | None = None,
) -> tuple[SlotRow, ...]:
    """The slots of a party, or of the entity; `only` those that one section asks, by its key.

    `is_in_form` where files are posted together with the page's answers; `refused` says, by key, why a file was not
    taken just now; `earlier` are the reader's own files, to be offered once more.
    """
    documents = draft.documents_of(party)
    token = party.token if party else ""
    notes = feedback.at_documents(token) if feedback else {}
    rows: list[SlotRow] = []
    for slot in draft.form_state.slots(party.record if party else None):
        if only is not None and slot.section.key != only:
            continue
        key, document, asked = slot_key(token, slot.name), documents.get(slot.name), notes.get(slot.name)
        is_locked = feedback is not None and (token, slot.name) in feedback.locks.documents
        can_be_changed = draft.application.can_be_changed and not is_locked
        has_forms = can_be_changed and not is_in_form
        rows.append(
            SlotRow(
                id=slot_id(key),
                key=key,
                section=slot.section,
                name=slot.name,
                words=slot.words,
                optional=not slot.required,
                help=slot.help,
                state=_state(document, deliveries, asked, is_required=slot.required, is_locked=is_locked),
                file=_file_row(document) if document else None,
                # It says what to do, and what was accepted stays as it is.
                advice=advice(draft, party, document) if document and not is_locked else (),
                earlier=tuple(
                    _replaced_row(one, can_be_removed=has_forms) for one in draft.replaced_in(party, slot.name)
                ),
                offers=cache(partial(_offers, earlier, party, slot.name, key))
                if earlier and can_be_changed and not document
                else tuple,
                error=refused.get(key, ""),
                is_in_form=is_in_form and can_be_changed,
                upload_url=reverse("portal:documents", args=[draft.application.reference]) if has_forms else "",
                remove_url=_document_url("document_removal", document) if document and has_forms else "",
                asked=asked,
                is_locked=is_locked,
            )
        )
    return tuple(rows)


def _state(
    document: Document | None,
    deliveries: ApplicationDeliveries,
    asked: QueryNote | None,
    *,
    is_required: bool,
    is_locked: bool,
) -> SlotState:
    """How far the file has come, unless our reviewer has accepted it, or asks and nobody has done anything since."""
    if document:
        state = slot_state(document, deliveries.of(ResourceKind.DOCUMENT, document.subject))
    else:
        state = SlotState("open", gettext("Missing") if is_required else gettext("Not uploaded"))
    if is_locked:
        state = replace(state, mark="met", detail=gettext("Accepted."))
    elif asked and not asked.is_answered:
        state = SlotState("heed", gettext("Returned to you"), note=state.note)
    # An empty slot that nobody has to fill has no mark.
    return state if document or is_required else replace(state, mark="")


def _file_row(document: Document) -> FileRow:
    file_url, facts = _document_url("document", document), file_facts(document)
    if document.is_checking or not document.has_copy:
        return FileRow(document.name, "", facts)
    if not findings_of(document).can_be_shown:
        return FileRow(document.name, file_url, facts)
    page_url, picture_url = _document_url("document_page", document, 1), _document_url("document_thumbnail", document)
    return FileRow(document.name, page_url, facts, picture_url, file_url)


def _replaced_row(document: Document, *, can_be_removed: bool) -> FileRow:
    facts = gettext("uploaded on %(uploaded)s, replaced on %(replaced)s") % {
        "uploaded": formats.day(document.uploaded_at),
        "replaced": formats.day(document.replaced_at) if document.replaced_at else "",
    }
    remove_url = _document_url("document_removal", document) if can_be_removed else ""
    return FileRow(document.name, _document_url("document", document), facts, remove_url=remove_url)


def _offers(earlier: EarlierFiles, party: PartyRow | None, slot: str, key: str) -> Offers:
    """What could be used again in an empty slot."""
    return tuple(
        (
            f"{one.pk}/{key}",
            one.name,
            gettext("uploaded on %(day)s for %(whom)s")
            % {"day": formats.day(one.uploaded_at), "whom": earlier.about(one)},
        )
        for one in earlier.fitting(party, slot)[:OFFERED_AT_MOST]
    )


def _document_url(view: str, document: Document, *more: int) -> str:
    return reverse(f"portal:{view}", args=[document.application.reference, document.pk, *more])


def posted_reuse(request: HttpRequest) -> tuple[str, str]:
    """Which file is to be used again, by its number, and in which slot, by its key; empty where none is."""
    number, _slash, key = request.POST.get("again", "").partition("/")
    return number, key


def reusable_file(earlier: EarlierFiles | None, party: PartyRow | None, slot: str, number: str) -> Document:
    """A file of the reader's own that can serve in the slot. Raises UploadRefused where it can't, or is gone."""
    fitting = earlier.fitting(party, slot) if earlier else ()
    chosen = next((one for one in fitting if str(one.pk) == number), None)
    # Of what is offered only a few columns were read.
    found = Document.objects.filter(pk=chosen.pk).first() if chosen else None
    if found is None:
        raise services.UploadRefused(gettext("Choose the file from your device. The earlier upload can’t be used here"))
    return found


def report_uploaded(request: HttpRequest, draft: Draft, party: PartyRow | None, document: Document) -> None:
    """That a file is in its slot, and whether there is something to read at it."""
    said = gettext("“%(slot)s” was uploaded.") % {"slot": draft.slot_words(document.slot)}
    see = gettext("Check the note below.") if advice(draft, party, document) else ""
    messages.success(request, f"{said} {see}".strip())
