"""Show one party under review, and log each time its identity numbers are shown, without the numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from django.urls import reverse
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
from formation_portal.contract.needs import Need
from formation_portal.contract.ownership import apportion, format_hundredths, format_percent
from formation_portal.reviews.checklist import (
    CHANGED,
    QUERIED,
    Fact,
    HolderChecklist,
    load_checklist,
    screening_checks,
)
from formation_portal.reviews.checks import OpenedDocuments, opened_documents
from formation_portal.reviews.models import MAX_LABEL, ScreeningCheck, ScreeningOutcome
from formation_portal.reviews.transactions import ReviewVersion
from formation_portal.ui.allocation import Allocation
from formation_portal.ui.roles import role_words

from ..case.query_panels import QueryPanels, read_queries
from ..case_access import has_documents
from ..case_urls import case_url, next_check_url, party_url, with_queue
from ..documents import ViewerState
from ..lookups import can_review
from ..wording import state_words
from .facts import FactRow, PartyFacts
from .forms import ScreeningForm
from .viewer import Viewer

# With more parties than _MAX_NAMED the page names only the nearest on each side.
_MAX_NAMED = 50
_NEAREST = 10


@dataclass(frozen=True, slots=True)
class ScreeningRow:
    check: ScreeningCheck
    party: PartyRow

    @property
    def mark(self) -> str:
        return "error" if self.check.outcome == ScreeningOutcome.MATCH else "met"

    @property
    def is_outdated(self) -> bool:
        """Tell whether the party changed after the check, so that its name may differ."""
        changed = self.party.model.updated_at
        return self.check.at < changed or self.check.done_on < localdate(changed)


class PartyPage:
    """A party under review as one reader sees it.

    `queue_state` is the state of the queue that the reader came from, `here_url` the URL of the page and its viewer.
    `checklist` has the parties that the page names, `screening` the party's screening checks, newest first.
    """

    line_limit = MAX_LABEL

    def __init__(
        self,
        draft: Draft,
        party: PartyRow,
        state: ViewerState,
        *,
        reader: User,
        shows_numbers: bool = False,
        form: ScreeningForm | None = None,
    ) -> None:
        # Read before the facts, so that a later change counts as unseen.
        self.version = ReviewVersion.of_loaded(draft.application)
        self.draft = draft
        self.party = party
        self.queue_state = state.queue_state
        self.shows_numbers = shows_numbers
        self.form = form or ScreeningForm(initial={"done_on": localdate()})
        self.can_check = can_review(draft, reader)
        self.has_documents = has_documents(draft.application.case, reader)
        self.status = state_words(draft.application.status)
        self.kind = canonical.kind_title(party.kind)
        self.roles = role_words(draft.form_state.active_roles(party.record))
        self.case_url = case_url(draft.application.reference, self.queue_state)
        queries = read_queries(draft)
        screening = tuple(screening_checks(draft))
        self.screening = [ScreeningRow(check, party) for check in reversed(screening) if check.holder == party.token]
        tokens = [row.token for row in draft.parties]
        named = _nearest(tokens, party.token)
        self.unnamed = len(tokens) - len(named)
        self.checklist = load_checklist(
            draft,
            read_back=readback(draft, only=named),
            queries=[query for query in queries if query.is_open],
            screening=screening,
            is_part=self.unnamed > 0,
        )
        own_checklist = self.checklist.of_holder(party.token)
        assert own_checklist is not None  # every party has one
        self.own_checklist = own_checklist
        opened = self._open_viewer(state, opened_documents(draft), reader)
        panels = QueryPanels(
            draft,
            reader=reader,
            back=self.here_url,
            version=self.version,
            queries=queries,
            lazily=True,
            shows_numbers=shows_numbers,
        )
        self.rows = PartyFacts(party, own_checklist, panels, state, opened, can_be_ticked=self.can_check).rows
        # The party's identity numbers.
        self.numbers = [row for row in self.rows if row.fact.is_identity_number]
        self.has_to_do = any(row.can_be_ticked for row in self.rows)
        self.queried = sum(row.fact.state == QUERIED for row in self.rows)

    def _open_viewer(self, state: ViewerState, opened: OpenedDocuments, reader: User) -> OpenedDocuments:
        """Set the viewer and the URL of its page. Returns who has opened which documents, including this opening."""
        url = party_url(self.draft.application.reference, self.party.token)
        documents = [fact.document for fact in self.own_checklist.facts if fact.document is not None]
        self.viewer: Viewer | None = None
        self.here_url = f"{url}{state.for_document(0).query()}"
        if documents and self.has_documents:
            self.viewer = viewer = Viewer(documents, state, url=url)
            self.here_url = f"{url}{viewer.state.query()}"
            if viewer.can_be_shown and viewer.state.opens:
                opened = opened.with_opening(viewer.document.pk, reader)
            viewer.is_open = viewer.can_be_shown and opened.has_opened(viewer.document.pk, reader)
        return opened

    @property
    def open_rows(self) -> list[FactRow]:
        return [row for row in self.rows if not row.is_settled]

    @property
    def accepted_rows(self) -> list[FactRow]:
        return [row for row in self.rows if row.is_settled]

    @property
    def needs(self) -> tuple[Need, ...]:
        return self.draft.needs_of_party(self.party.token)

    @property
    def changed(self) -> str:
        return ", ".join(row.fact.label for row in self.rows if row.before or row.fact.state == CHANGED)

    @property
    def left(self) -> list[Fact]:
        """Return the facts that "Accept all remaining" accepts. A queried fact is accepted singly."""
        return [row.fact for row in self.rows if row.can_be_ticked and row.fact.state != QUERIED]

    @property
    def looked_at(self) -> FactRow | None:
        """Return the row of the document in the viewer; None without a viewer."""
        if self.viewer is None:
            return None
        return next((row for row in self.rows if row.fact.document == self.viewer.document), None)

    @property
    def erasure_url(self) -> str:
        url = reverse("desk:party_erasure", args=[self.draft.application.reference, self.party.token])
        return with_queue(url, self.queue_state)

    @property
    def named_parties(self) -> Iterator[tuple[HolderChecklist, str]]:
        for holder in self.checklist.holders:
            if holder.token:
                yield holder, party_url(self.draft.application.reference, holder.token, self.queue_state)

    @cached_property
    def following(self) -> dict[str, Any]:
        """Return the label and URL of the next step of the review."""
        token = self.party.token
        checklist = self.checklist
        if self.unnamed and not checklist.has_to_do_behind(token):
            checklist = load_checklist(self.draft)
        holder = checklist.following(token)
        label = "Decision"
        if holder is not None:
            label = holder.title if holder.token else f"{self.draft.title}: company answers"
        url = next_check_url(self.draft, checklist, token, self.queue_state)
        return {"label": label, "url": url, "is_party": holder is not None and bool(holder.token)}

    @cached_property
    def shares(self) -> list[tuple[str, str, bool]]:
        """Return rows of label, amount, and whether the label is a name: the party's shares of each class, its parts of
        all shares and votes, the companies that it owns, and its own owners. One SQL query."""
        if not self.draft.holds_shares:
            return []
        allocation = Allocation(self.draft)
        rows = list(_stakes(self.draft, self.party, allocation))
        if self.draft.is_shareholder(self.party):
            rows = [*_holdings(self.draft, self.party, allocation), *rows]
        return rows


def _holdings(draft: Draft, party: PartyRow, allocation: Allocation) -> Iterator[tuple[str, str, bool]]:
    holdings = draft.holdings_of(party.token)
    for share_class in allocation.classes:
        holding = holdings.get((party.token, share_class.token))
        if holding is None:
            continue
        amount = number_of_shares(holding)
        allocated = allocation.allocated(share_class)
        if allocated:
            parts = {token: Fraction(shares, allocated) for token, shares in allocation.of_class(share_class).items()}
            hundredths = apportion(list(parts.values()), short_of=allocation.bounds)
            part = dict(zip(parts, hundredths, strict=True))[party.token]
            amount += f" shares, {format_hundredths(part)} of the class"
        yield share_class.label, amount, False
    yield "Of all shares", allocation.share_percent(party) or format_percent(Fraction(0)), False
    if allocation.votes:
        yield "Of all votes", allocation.vote_percent(party), False


def _stakes(draft: Draft, party: PartyRow, allocation: Allocation) -> Iterator[tuple[str, str, bool]]:
    typed = allocation.typed_stakes
    for company in companies_owned_by(draft, party, typed):
        own = next(owner for owner in owners_of(draft, company, typed) if owner.party.token == party.token)
        yield company.label, own.words, True
    for owner in owners_of(draft, party, typed):
        part = owner.percent
        if owner.part is None:
            part = f"“{owner.typed}”, unreadable"
        yield f"Owned by {owner.party.label}", part, False


def _nearest(tokens: Sequence[str], token: str) -> Sequence[str]:
    """Return the tokens of the parties that a party's page names: all, or if too many, the nearest."""
    if len(tokens) <= _MAX_NAMED:
        return tokens
    first = max(0, min(tokens.index(token) - _NEAREST, len(tokens) - 2 * _NEAREST - 1))
    return tokens[first : first + 2 * _NEAREST + 1]


def log_numbers_shown(page: PartyPage, *, by: Account) -> None:
    """Log that an agent is about to be shown a party's numbers. A failure to log fails the request, so that no number
    is shown without an entry.
    """
    if page.numbers:
        fields = [row.fact.target.name for row in page.numbers]
        chain.append(
            AuditAction.REVEAL, by=by, application=page.draft.application, subject=page.party.token, fields=fields
        )
