"""Document slots as ui/slot.html draws them: the file, how it stands, earlier files, and those to use again."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from django.urls import reverse
from django.utils.translation import gettext as _

from formation_portal.applications.documents import EarlierFiles, findings_of
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Document
from formation_portal.applications.parties import PartyRow
from formation_portal.contract.rules import Slot
from formation_portal.relay.delivery_status import DeliveryStage, DeliveryStatus
from formation_portal.relay.models import APPROVED
from formation_portal.ui import formats
from formation_portal.ui.documents import advice, file_facts
from formation_portal.ui.forms.controls import slot_id, slot_key
from formation_portal.ui.forms.question import QueryNote

from .delivery_status import CustomerDeliveries
from .review_feedback import ReviewFeedback

# More than this are no help.
OFFERED_AT_MOST = 3


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
class ReusableFile:
    """A file that was uploaded before; `value` names it and the slot in a post."""

    value: str
    name: str
    facts: str


def file_row(document: Document) -> FileRow:
    """The file in a slot."""
    file_url = document_url("document", document)
    if not findings_of(document).can_be_shown:
        return FileRow(document.name, file_url, file_facts(document))
    return FileRow(
        document.name,
        document_url("document_page", document, 1),
        file_facts(document),
        document_url("document_thumbnail", document),
        file_url,
    )


def earlier_rows(documents: Iterable[Document], *, can_be_changed: bool) -> tuple[FileRow, ...]:
    """The files that were in the slot before."""
    return tuple(
        FileRow(
            one.name,
            document_url("document", one),
            _("uploaded on %(uploaded)s, replaced on %(replaced)s")
            % {
                "uploaded": formats.day(one.uploaded_at.date()),
                "replaced": formats.day(one.replaced_at.date()) if one.replaced_at else "",
            },
            remove_url=document_url("document_removal", one) if can_be_changed else "",
        )
        for one in documents
    )


def offers(earlier: EarlierFiles | None, party: PartyRow | None, slot: str, key: str) -> tuple[ReusableFile, ...]:
    """What could be used again in an empty slot."""
    if not earlier:
        return ()
    found: list[ReusableFile] = []
    for one in earlier.fitting(party, slot)[:OFFERED_AT_MOST]:
        words = {"day": formats.day(one.uploaded_at.date()), "whom": earlier.about(one)}
        found.append(ReusableFile(f"{one.pk}/{key}", one.name, _("uploaded on %(day)s for %(whom)s") % words))
    return tuple(found)


def document_url(view: str, document: Document, *more: int) -> str:
    """An address of a document."""
    return reverse(f"portal:{view}", args=[document.application.reference, document.pk, *more])


_ON_ITS_WAY = (DeliveryStage.SENDING, DeliveryStage.WAITING, DeliveryStage.CHECKING)


@dataclass(frozen=True, slots=True)
class SlotState:
    """`detail` says more of the word, `note` why it came back, or why our team has it."""

    mark: str
    word: str
    when: str = ""
    detail: str = ""
    note: str = ""


def empty_slot(*, is_required: bool) -> SlotState:
    """A slot without a file."""
    return SlotState("open", _("Missing") if is_required else _("Not uploaded"))


def slot_state(document: Document, view: DeliveryStatus) -> SlotState:
    """A slot with a file: Saved, Checking, Received, or Returned to you; never refused while that is not known."""
    if view.is_refused:
        note = next((problem.message for problem in view.problems), "")
        return SlotState("heed", _("Returned to you"), _day_of(view), note=note)
    if view.why:
        return SlotState("heed", str(view.words), note=str(view.why))
    if view.state in _ON_ITS_WAY:
        return SlotState("half", _("Checking"), detail=str(view.words))
    if view.document_status == APPROVED:
        return SlotState(
            "met", str(view.words), _day_of(view), detail=" ".join(filter(None, (_("Accepted."), view.note)))
        )
    if view.state is DeliveryStage.RECEIVED:
        return SlotState("met", str(view.words), _day_of(view))
    return SlotState("met", str(view.words))


def reviewed_slot(stands: SlotState, asked: QueryNote | None, *, is_locked: bool) -> SlotState:
    """The same once our reviewer has accepted what is there, or asks about it and nobody has done anything since."""
    if is_locked:
        return replace(stands, mark="met", detail=_("Accepted."))
    if asked and not asked.is_answered:
        return replace(stands, mark="heed", word=_("Returned to you"), when="", detail="")
    return stands


def _day_of(view: DeliveryStatus) -> str:
    return formats.day(view.at.date()) if view.at else ""


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
    earlier: tuple[FileRow, ...]
    offers: tuple[ReusableFile, ...]
    note: str
    error: str
    is_in_form: bool
    upload_url: str
    remove_url: str
    # What our reviewer asks about it, and whether they have accepted what is there.
    asked: QueryNote | None = None
    is_locked: bool = False


def slot_rows(
    draft: Draft,
    party: PartyRow | None,
    *,
    is_in_form: bool = False,
    refused: Mapping[str, str],
    only: str | None = None,
    arrivals: CustomerDeliveries,
    earlier: EarlierFiles | None = None,
    came_back: ReviewFeedback | None = None,
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
    arrivals: CustomerDeliveries,
    earlier: EarlierFiles | None,
    asked: QueryNote | None,
    is_locked: bool,
) -> SlotRow:
    key = slot_key(party.token if party else None, slot.name)
    if document:
        stands = slot_state(document, arrivals.of_document(document.subject))
    else:
        stands = empty_slot(is_required=slot.required)
    stands = reviewed_slot(stands, asked, is_locked=is_locked)
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
        remove_url=document_url("document_removal", document) if document and has_forms else "",
        asked=asked,
        is_locked=is_locked,
    )
