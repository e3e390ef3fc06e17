"""One party under review, and the audit log's entry when its numbers are shown: whose and which, not what they are."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from django.utils.timezone import localdate

from formation_portal.accounts.models import User
from formation_portal.applications.draft import Draft
from formation_portal.applications.ownership_stakes import companies_owned_by, owners_of
from formation_portal.applications.parties import PartyRow
from formation_portal.applications.readback import number_of_shares, readback
from formation_portal.audit import chain
from formation_portal.audit.chain import Account
from formation_portal.audit.models import AuditAction
from formation_portal.contract import canonical
from formation_portal.contract.ownership import apportion, format_hundredths, format_percent
from formation_portal.reviews.checklist import (
    CHANGED,
    QUERIED,
    Checklist,
    Fact,
    HolderChecklist,
    load_checklist,
    screening_checks,
)
from formation_portal.reviews.checks import opened_documents
from formation_portal.reviews.models import MAX_LABEL, ScreeningCheck, ScreeningOutcome
from formation_portal.reviews.transactions import ReviewVersion
from formation_portal.ui.allocation import Allocation
from formation_portal.ui.formats import file_size
from formation_portal.ui.roles import role_words

from ..case.query_panels import QueryPanels, read_queries
from ..case_access import has_documents
from ..case_urls import case_url, erasure_url, next_check_url, party_url
from ..documents import ViewerState
from ..lookups import can_review
from ..queue_state import QueueState
from ..wording import state_words
from .facts import FactRow, fact_rows
from .forms import ScreeningForm
from .viewer import Viewer, viewer

# Of more parties than these the page names so many on each side of its own.
MOST_NAMED, _NEAREST = 50, 10


@dataclass(frozen=True, slots=True)
class ScreeningRow:
    """A screening check of a party."""

    check: ScreeningCheck
    party: PartyRow

    @property
    def mark(self) -> str:
        return "stop" if self.check.outcome == ScreeningOutcome.MATCH else "met"

    @property
    def is_outdated(self) -> bool:
        """Whether the party's answers or roles have changed since: it may have been about another name."""
        changed = self.party.model.updated_at
        return self.check.at < changed or self.check.done_on < localdate(changed)

    @property
    def file_size(self) -> str:
        """Of its file."""
        return file_size(self.check.size)


@dataclass(frozen=True)
class PartyPage:
    """The whole page. `shown` is the queue that the case was opened from; `version` is the review's when it was drawn;
    `can_check` where the case is under review; `has_documents` where the reader may open its documents; `here_url`
    leads back to what is looked at; `shows_numbers` where numbers that people are known by aren't masked; `screening`
    has the newest check first."""

    draft: Draft
    party: PartyRow
    shown: QueueState
    party_count: int
    checklist: Checklist
    own_checklist: HolderChecklist
    rows: list[FactRow]
    viewer: Viewer | None
    here_url: str
    version: ReviewVersion
    can_check: bool
    has_documents: bool
    shows_numbers: bool
    screening: list[ScreeningRow]
    form: ScreeningForm

    line_limit = MAX_LABEL

    @property
    def status(self) -> str:
        """How the case stands, as agents read it."""
        return state_words(self.draft.application.status)

    @property
    def open_rows(self) -> list[FactRow]:
        """The facts to look at: not accepted, with a note, or proved by a document that was replaced since."""
        return [row for row in self.rows if not self._is_settled(row)]

    @property
    def accepted_rows(self) -> list[FactRow]:
        """The others, which fold."""
        return [row for row in self.rows if self._is_settled(row)]

    def _is_settled(self, row: FactRow) -> bool:
        return row.fact.is_done and not row.panel.notes and not row.is_evidence_replaced

    @property
    def kind(self) -> str:
        """Person, Company or Foundation."""
        return canonical.kind_title(self.party.kind)

    @property
    def roles(self) -> str:
        """Its roles in one line."""
        return role_words(self.draft.form_state.active_roles(self.party.record))

    @property
    def needs(self) -> list[str]:
        """What it still needs."""
        return [need.text for need in self.draft.needs_of_party(self.party.token)]

    @property
    def changed(self) -> str:
        """The labels of what has changed since an agent looked at it."""
        return ", ".join(row.fact.label for row in self.rows if row.before or row.fact.state == CHANGED)

    @property
    def left(self) -> list[Fact]:
        """What the button that accepts all takes: an answered question is looked at by itself."""
        return [row.fact for row in self.rows if row.can_be_ticked and row.fact.state != QUERIED]

    @property
    def to_do(self) -> int:
        """How many facts can be ticked."""
        return sum(row.can_be_ticked for row in self.rows)

    @property
    def numbers(self) -> list[FactRow]:
        """The numbers that somebody is known by."""
        return [row for row in self.rows if row.fact.is_identity_number]

    @property
    def looked_at(self) -> FactRow | None:
        """The document in the viewer, as a fact to check."""
        document = self.viewer.document if self.viewer else None
        return next((row for row in self.rows if document and row.fact.document == document), None)

    @property
    def queried(self) -> int:
        """About how many a question is open."""
        return sum(row.fact.state == QUERIED for row in self.rows)

    @property
    def case_url(self) -> str:
        return case_url(self.draft.application.reference, self.shown)

    @property
    def erasure_url(self) -> str:
        """Where the party is erased at its own wish."""
        return erasure_url(self.draft.application.reference, self.party.token, self.shown)

    @property
    def checklists(self) -> list[tuple[HolderChecklist, str]]:
        """The parties of the case, of many those beside this one, each with its facts and its page."""
        return [(holder, self._url(holder)) for holder in self.checklist.holders if holder.token]

    @property
    def others(self) -> str:
        """How many parties there are, where not all are named."""
        is_part = self.party_count > len(self.checklists)
        return f"All {self.party_count} people and companies" if is_part else ""

    @cached_property
    def _onwards(self) -> Checklist:
        """The checklist as far as it takes to say where the review goes on: mostly to somebody beside."""
        is_enough = not self.others or self.checklist.has_to_do_behind(self.party.token)
        return self.checklist if is_enough else load_checklist(self.draft)

    @cached_property
    def following(self) -> HolderChecklist | None:
        """Where the review goes on; None where nothing is left to check."""
        return self._onwards.following(self.party.token)

    @property
    def following_label(self) -> str:
        """What that is called."""
        if self.following is None:
            return "Decision"
        return self.following.title if self.following.token else f"{self.draft.title}: company answers"

    @property
    def following_url(self) -> str:
        """Where that is."""
        return next_check_url(self.draft, self._onwards, self.party.token, self.shown)

    def _url(self, holder: HolderChecklist) -> str:
        return party_url(self.draft.application.reference, holder.token, self.shown)

    @cached_property
    def shares(self) -> list[tuple[str, str, bool]]:
        """Shares by class, parts of all shares and votes, parts of other companies, and its own owners: what of, how
        much, and whether that is of a company. One query."""
        if not self.draft.holds_shares:
            return []
        allocation = Allocation(self.draft)
        held = _held(self.draft, self.party, allocation) if self.draft.is_shareholder(self.party) else ()
        return [*held, *_stakes(self.draft, self.party, allocation)]


def _held(draft: Draft, party: PartyRow, allocation: Allocation) -> Iterator[tuple[str, str, bool]]:
    own = draft.holdings_of(party.token)
    for row in allocation.classes:
        holding, given = own.get((party.token, row.token)), allocation.allocated(row)
        if holding is not None:
            words = number_of_shares(holding)
            if given:
                parts = {token: Fraction(shares, given) for token, shares in allocation.of_class(row).items()}
                hundredths = apportion(list(parts.values()), short_of=allocation.bounds)
                part = format_hundredths(dict(zip(parts, hundredths, strict=True))[party.token])
                words = f"{words} shares, {part} of the class"
            yield row.label, words, False
    yield "Of all shares", allocation.share_percent(party) or format_percent(Fraction(0)), False
    if allocation.votes:
        yield "Of all votes", allocation.vote_percent(party), False


def _stakes(draft: Draft, party: PartyRow, allocation: Allocation) -> Iterator[tuple[str, str, bool]]:
    typed = allocation.typed_stakes
    for company in companies_owned_by(draft, party, typed):
        of_it = next(one for one in owners_of(draft, company, typed) if one.party.token == party.token)
        yield company.label, of_it.words, True
    for one in owners_of(draft, party, typed):
        part_of_it = one.percent if one.part is not None else f"“{one.typed}”, unreadable"
        yield f"Owned by {one.party.label}", part_of_it, False


def _beside(tokens: Sequence[str], token: str) -> Sequence[str]:
    """Whose checks the page tells of: everybody's, and of more than are taken in at a glance those of the nearest."""
    if len(tokens) <= MOST_NAMED:
        return tokens
    first = max(0, min(tokens.index(token) - _NEAREST, len(tokens) - 2 * _NEAREST - 1))
    return tokens[first : first + 2 * _NEAREST + 1]


def party_page(
    draft: Draft,
    party: PartyRow,
    state: ViewerState,
    *,
    reader: User,
    shows_numbers: bool = False,
    form: ScreeningForm | None = None,
) -> PartyPage:
    """The page. `form` is what was posted and refused."""
    url = party_url(draft.application.reference, party.token)
    # Read before the facts: whatever comes between is news then.
    version = ReviewVersion.of_loaded(draft.application)
    queries = read_queries(draft)
    screening = tuple(screening_checks(draft))
    tokens = [row.token for row in draft.parties]
    named = _beside(tokens, party.token)
    asked = [one for one in queries if one.is_open]
    checklist = load_checklist(
        draft,
        read_back=readback(draft, only=named),
        queries=asked,
        screening=screening,
        is_part=len(named) < len(tokens),
    )
    own_checklist = checklist.of_holder(party.token)
    assert own_checklist is not None  # every party has one
    can_check = can_review(draft, reader)
    may_look = has_documents(getattr(draft.application, "case", None), reader)
    documents = [fact.document for fact in own_checklist.facts if fact.document is not None] if may_look else []
    looked = viewer(documents, state, url=url)
    here = f"{url}{looked.state.query}" if looked else f"{url}{state.for_document(0).query}"
    seen = opened_documents(draft)
    if looked and looked.can_be_shown:
        if looked.state.opens:
            seen = seen.with_opening(looked.document.pk, reader)
        looked = replace(looked, is_open=seen.has_opened(looked.document.pk, reader))
    panels = QueryPanels(
        draft, reader=reader, back=here, version=version, queries=queries, lazily=True, shows_numbers=shows_numbers
    )
    return PartyPage(
        draft=draft,
        party=party,
        shown=state.shown,
        party_count=len(tokens),
        checklist=checklist,
        own_checklist=own_checklist,
        rows=fact_rows(party, own_checklist, panels, state, seen, can_be_ticked=can_check),
        viewer=looked,
        here_url=here,
        version=version,
        can_check=can_check,
        has_documents=may_look,
        shows_numbers=shows_numbers,
        screening=[ScreeningRow(one, party) for one in reversed(screening) if one.holder == party.token],
        form=form or ScreeningForm(initial={"done_on": localdate()}),
    )


def log_numbers_shown(page: PartyPage, *, by: Account) -> None:
    """Keep that somebody is about to be shown the numbers of a party; nothing where it has none.

    What can't be kept is not shown either: an error here takes the place of the answer.
    """
    if page.numbers:
        fields = [row.fact.target.name for row in page.numbers]
        chain.append(
            AuditAction.REVEAL, by=by, application=page.draft.application, subject=page.party.token, fields=fields
        )
