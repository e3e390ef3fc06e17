"""One submitted application as an agent checks it: what there is, what changed since the last round, what was said."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import prefetch_related_objects
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.timezone import localtime

from formation_portal.applications.draft import Draft
from formation_portal.applications.readback import readback
from formation_portal.contract.needs import Need
from formation_portal.reviews.changes_since import ReviewVersion
from formation_portal.reviews.checklist import Checklist, load_checklist
from formation_portal.reviews.checks import opened_documents
from formation_portal.reviews.models import Query
from formation_portal.reviews.targets import WHOLE_APPLICATION, TargetKind, holder_name
from formation_portal.ui.ownership import Ownership, ownership

from ..case_urls import case_url, queue_shown
from ..delivery_status import CaseDeliveries, case_deliveries
from ..lookups import can_review
from ..wording import if_any, ordinal, state_words, together
from .differences import Difference, Differences, differences
from .entries import CaseEntry, DocumentRow, Parties, ShareEntry, documents_of, parties_of, sections_of, shares_of
from .history import Timeline, history_of, timeline
from .query_panels import QueryPanel, QueryPanels, target_id
from .reading import CaseReading

# In the address: only what changed, or everything. Without it a later round shows what changed.
CHANGED_PARAMETER = "changed"


@dataclass(frozen=True, slots=True)
class DraftedQueryLine:
    """A question that goes out with the next return, and where it is changed."""

    label: str
    whose: str
    text: str
    url: str


@dataclass(frozen=True, slots=True)
class CasePage:
    """Everything that an agent sees of one application.

    `queue.news` says what changed since the last return; `other_url` leads to everything, or to what changed alone.
    """

    draft: Draft
    status: str
    version: ReviewVersion
    back: str
    facts: Checklist
    can_check: bool
    news: str
    only_changed: bool
    other_url: str
    whole: QueryPanel
    lost: tuple[QueryPanel, ...]
    sections: tuple[CaseEntry, ...]
    parties: Parties
    shares: ShareEntry | None
    ownership: Ownership | None
    owner_changes: tuple[Difference, ...]
    documents: tuple[DocumentRow, ...]
    drafted: tuple[DraftedQueryLine, ...]
    timeline: Timeline
    needs: tuple[Need, ...]
    arrivals: CaseDeliveries

    @property
    def resubmission(self) -> str:
        """Which submission this is, as in "second submission"; nothing for the first."""
        number = self.draft.application.submissions
        return f"{ordinal(number)} submission" if number > 1 else ""


def case_page(draft: Draft, *, reader: AbstractBaseUser, asked: Mapping[str, str]) -> CasePage:
    """The page of one submitted application, read with its review (desk/lookups.py); `asked` is the address's query.

    Eight database queries more: queries to the customer, checks, notes, owners, history, deliveries, the service, and
    who has opened which documents.
    """
    application = draft.application
    # Read once for the page: what has arrived, and what stands against an approval.
    prefetch_related_objects([application], "deliveries")
    history = history_of(application)
    changes = differences(draft, history)
    only_changed = bool(changes) and asked.get(CHANGED_PARAMETER, "1") != "0"
    shown = queue_shown(asked)
    address = case_url(application.reference, shown)
    back = _with(address, only_changed) if changes else address
    version = ReviewVersion.of_loaded(application)
    panels = QueryPanels(draft, reader=reader, back=back, version=version, lazily=True)
    read_back = readback(draft)
    reading = CaseReading(
        draft=draft,
        readback=read_back,
        facts=load_checklist(draft, read_back=read_back, queries=panels.open),
        panels=panels,
        differences=changes,
        only_changed=only_changed,
        can_check=can_review(draft, reader),
        shown=shown,
        seen=opened_documents(draft),
    )
    make = partial(
        CasePage,
        draft=draft,
        status=state_words(application.status),
        version=version,
        back=back,
        facts=reading.facts,
        can_check=reading.can_check,
        news=_news(changes),
        only_changed=only_changed,
        other_url=_with(address, not only_changed) if changes else "",
        whole=reading.panel(WHOLE_APPLICATION),
        sections=sections_of(reading),
        parties=parties_of(reading),
        shares=shares_of(reading),
        ownership=ownership(draft),
        owner_changes=tuple(one for one in changes.found if one.name.startswith(_OWNER)),
        documents=documents_of(reading),
        drafted=tuple(_drafted(draft, one, back) for one in panels.drafted),
        timeline=timeline(application, history, panels.all),
        needs=draft.needs,
        arrivals=case_deliveries(draft),
    )
    # Last, once every part has said which targets it has shown.
    return make(lost=reading.panels_not_shown())


# What the history calls the part that somebody owns of a company.
_OWNER = "owner/"


def _with(address: str, only_changed: bool) -> str:
    """The address that shows only what changed, or everything."""
    return f"{address}{'&' if '?' in address else '?'}{CHANGED_PARAMETER}={int(only_changed)}"


def _news(changes: Differences) -> str:
    """What changed, in a sentence; nothing before the first return."""
    if changes.move is None:
        return ""
    documents = sum(one.is_document for one in changes.found)
    changed = together(if_any(len(changes.found) - documents, "answer"), if_any(documents, "document"))
    added = if_any(len(changes.added), "person, company or share class", "people, companies or share classes")
    parts = (
        f"{changed} changed" if changed else "",
        f"{added} added" if added else "",
        f"{len(changes.removed)} removed" if changes.removed else "",
    )
    said = ", ".join(filter(None, parts))
    since = f"since this was returned on {date_format(localtime(changes.move.at), 'j F')}"
    return f"{said} {since}" if said else f"No changes {since}"


def _drafted(draft: Draft, query: Query, back: str) -> DraftedQueryLine:
    target, reference = query.target, draft.application.reference
    is_party = draft.party(target.holder) is not None and target.kind is not TargetKind.SECTION
    page = reverse("desk:party", args=[reference, target.holder]) if is_party else back
    return DraftedQueryLine(query.label, holder_name(draft, target), query.text, f"{page}#{target_id(target)}")
