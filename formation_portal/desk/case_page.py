"""One submitted application as an agent reads it: everything, and nothing that can be changed."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.urls import reverse

from formation_portal.applications.drafts import Draft
from formation_portal.applications.models import Change
from formation_portal.applications.previews import findings_of
from formation_portal.applications.summary import AnswerLine, DocumentLine, ShareTable, summary
from formation_portal.contract.needs import Need
from formation_portal.portal.ownership import Ownership, ownership

from .arrivals import Arrivals, arrivals
from .queue_page import case_words

# A long history is cut here; the newest come first.
_EVENTS = 200


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One answer, as components/summary_row.html draws it."""

    term: str
    value: str
    is_name: bool
    note: str
    state: str


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """One document that is asked for; without an address it is missing."""

    slot: str
    holder: str
    name: str
    url: str
    # Where it is looked at; nothing where it can't be shown.
    page_url: str
    mime_type: str
    size: int
    sha256: str
    is_required: bool


@dataclass(frozen=True, slots=True)
class CaseEntry:
    """Answers under one heading in the margin."""

    id: str
    title: str
    is_name: bool
    note: str
    rows: tuple[AnswerRow, ...]


@dataclass(frozen=True, slots=True)
class CasePage:
    """Everything that an agent sees of one application."""

    draft: Draft
    status: str
    sections: tuple[CaseEntry, ...]
    parties: tuple[CaseEntry, ...]
    share_classes: tuple[CaseEntry, ...]
    shares: ShareTable | None
    ownership: Ownership | None
    documents: tuple[DocumentRow, ...]
    history: tuple[Change, ...]
    needs: tuple[Need, ...]
    arrivals: Arrivals


def case_page(draft: Draft) -> CasePage:
    """The page of one submitted application. Four queries more than a draft: owners, history and deliveries."""
    told, behind = summary(draft), ownership(draft)
    return CasePage(
        draft=draft,
        status=case_words(draft.application.stands),
        sections=tuple(_entry(f"section-{one.section.key}", one.section.title, one.lines) for one in told.sections),
        parties=tuple(
            _entry(f"party-{one.party.token}", one.party.label, one.lines, names=True, note=", ".join(one.roles))
            for one in told.parties
            if not (behind and behind.tells_all_of(one.party))
        ),
        share_classes=tuple(
            _entry(f"class-{one.share_class.token}", one.share_class.label, one.lines, names=True, note="Share class")
            for one in told.share_classes
        ),
        shares=told.shares,
        ownership=behind,
        documents=tuple(_document(draft, line) for line in told.documents),
        history=tuple(draft.application.changes.select_related("who")[:_EVENTS]),
        needs=draft.needs,
        arrivals=arrivals(draft),
    )


def _entry(id_: str, title: str, lines: Iterable[AnswerLine], *, names: bool = False, note: str = "") -> CaseEntry:
    return CaseEntry(id_, title, names, note[:1].upper() + note[1:], tuple(_answer(line) for line in lines))


def _answer(line: AnswerLine) -> AnswerRow:
    note = "Provided by the registered agent" if line.is_given else "Cannot be read" if line.is_unreadable else ""
    return AnswerRow(line.spec.label, line.value, line.is_name, note, "stop" if line.is_unreadable else "")


def _document(draft: Draft, line: DocumentLine) -> DocumentRow:
    holder, document = line.party.label if line.party else "", line.document
    if document is None:
        return DocumentRow(line.slot, holder, "", "", "", "", 0, "", line.is_required)
    named = [draft.application.reference, document.pk]
    return DocumentRow(
        slot=line.slot,
        holder=holder,
        name=document.name,
        url=reverse("desk:document", args=named),
        page_url=reverse("desk:document_page", args=[*named, 1]) if findings_of(document).can_be_shown else "",
        mime_type=document.mime_type,
        size=document.size,
        sha256=document.sha256,
        is_required=line.is_required,
    )
