"""One party under review, and the audit log's entry when its numbers are shown: whose and which, not what they are."""

from dataclasses import dataclass

from formation_portal.accounts.models import User
from formation_portal.applications.draft import Draft
from formation_portal.applications.parties import PartyRow
from formation_portal.audit import chain
from formation_portal.audit.chain import Account
from formation_portal.audit.models import AuditAction
from formation_portal.contract import canonical
from formation_portal.reviews.changes_since import ReviewVersion
from formation_portal.reviews.checklist import CHANGED, QUERIED, Checklist, Fact, HolderChecklist, load_checklist
from formation_portal.reviews.checks import opened_documents
from formation_portal.ui.roles import role_words

from ..case.query_panels import QueryPanels
from ..case_urls import case_url, party_url
from ..documents import ViewerState
from ..lookups import can_review
from ..queue_state import QueueState
from ..wording import state_words
from .facts import FactRow, fact_rows
from .shares import ShareLine, share_lines
from .viewer import Viewer, viewer


@dataclass(frozen=True, slots=True)
class PartyLink:
    """One party of the case, with how many of its facts are accepted."""

    label: str
    url: str
    done: int
    all: int
    is_current: bool


@dataclass(frozen=True, slots=True)
class NextStep:
    """Where the review goes on: the next party that has something to check, and after the last one the case."""

    label: str
    url: str
    is_name: bool


@dataclass(frozen=True, slots=True)
class PartyPage:
    """The whole page. `version` is the review's when it was drawn; `can_check` where the case is under review;
    `here_url` leads back to what is looked at; `shows_numbers` where numbers that people are known by aren't masked."""

    draft: Draft
    party: PartyRow
    sheet: HolderChecklist
    rows: tuple[FactRow, ...]
    links: tuple[PartyLink, ...]
    viewer: Viewer | None
    case_url: str
    here_url: str
    shares: tuple[ShareLine, ...]
    following: NextStep
    version: ReviewVersion
    can_check: bool
    shows_numbers: bool

    @property
    def status(self) -> str:
        """How the case stands, as agents read it."""
        return state_words(self.draft.application.status)

    @property
    def kind(self) -> str:
        """Person, Company or Foundation."""
        return canonical.kind_title(self.party.kind)

    @property
    def roles(self) -> str:
        """Its roles in one line."""
        return role_words(self.draft.form_state.active_roles(self.party.record))

    @property
    def needs(self) -> tuple[str, ...]:
        """What it still needs."""
        return tuple(need.text for need in self.draft.needs_of_party(self.party.token))

    @property
    def changed(self) -> str:
        """The labels of what has changed since an agent looked at it."""
        return ", ".join(row.fact.label for row in self.rows if row.before or row.fact.state == CHANGED)

    @property
    def left(self) -> tuple[Fact, ...]:
        """What the button that accepts all takes: an answered question is looked at by itself."""
        return tuple(row.fact for row in self.rows if row.can_be_ticked and row.fact.state != QUERIED)

    @property
    def to_do(self) -> int:
        """How many facts can be ticked."""
        return sum(row.can_be_ticked for row in self.rows)

    @property
    def numbers(self) -> tuple[FactRow, ...]:
        """The numbers that somebody is known by."""
        return tuple(row for row in self.rows if row.fact.is_identity_number)

    @property
    def looked_at(self) -> FactRow | None:
        """The document in the viewer, as a fact to check."""
        document = self.viewer.document if self.viewer else None
        return next((row for row in self.rows if document and row.fact.document == document), None)

    @property
    def queried(self) -> int:
        """About how many a question is open."""
        return sum(row.fact.state == QUERIED for row in self.rows)


def party_page(
    draft: Draft, party: PartyRow, state: ViewerState, *, reader: User, shows_numbers: bool = False
) -> PartyPage:
    """The page: seven queries at most."""
    reference, shown = draft.application.reference, state.shown
    url = party_url(reference, party.token)
    # Read before the facts: whatever comes between is news then.
    version = ReviewVersion.of_loaded(draft.application)
    facts = load_checklist(draft)
    sheet = facts.of_holder(party.token)
    assert sheet is not None  # every party has one
    can_check = can_review(draft, reader)
    documents = tuple(fact.document for fact in sheet.facts if fact.document is not None)
    looked = viewer(documents, state, url=url)
    here = looked.here_url if looked else f"{url}{state.for_document(0).query}"
    seen = opened_documents(draft)
    if looked and looked.can_be_shown:
        # Its picture comes with this page.
        seen = seen.with_one_more(looked.document.pk, reader)
    panels = QueryPanels(draft, reader=reader, back=here, version=version, lazily=True, shows_numbers=shows_numbers)
    return PartyPage(
        draft=draft,
        party=party,
        sheet=sheet,
        rows=fact_rows(draft, party, sheet, panels, state, seen, can_be_ticked=can_check),
        links=tuple(
            PartyLink(
                one.title, party_url(reference, one.token, shown), one.done, len(one.facts), one.token == party.token
            )
            for one in facts.holders
            if one.token
        ),
        viewer=looked,
        case_url=case_url(reference, shown),
        here_url=here,
        shares=share_lines(draft, party),
        following=_following(draft, party, facts, shown),
        version=version,
        can_check=can_check,
        shows_numbers=shows_numbers,
    )


def _following(draft: Draft, party: PartyRow, facts: Checklist, shown: QueueState) -> NextStep:
    reference = draft.application.reference
    url = case_url(reference, shown)
    sheets = [one for one in facts.holders if one.token]
    position = next(number for number, one in enumerate(sheets, 1) if one.token == party.token)
    for one in (*sheets[position:], *sheets[: position - 1]):
        if _has_to_do(one):
            return NextStep(one.title, party_url(reference, one.token, shown), is_name=True)
    own = facts.of_holder("")
    if own is not None and _has_to_do(own):
        return NextStep(f"{draft.title}: company answers", url, is_name=False)
    return NextStep("Decision", f"{url}#decide", is_name=False)


def _has_to_do(sheet: HolderChecklist) -> bool:
    return any(fact.is_to_do for fact in sheet.facts)


def log_numbers_shown(page: PartyPage, *, by: Account) -> None:
    """Keep that somebody is about to be shown the numbers of a party; nothing where it has none.

    What can't be kept is not shown either: an error here takes the place of the answer.
    """
    if page.numbers:
        fields = [row.fact.target.name for row in page.numbers]
        chain.append(
            AuditAction.REVEAL, by=by, application=page.draft.application, subject=page.party.token, fields=fields
        )
