"""The decision about a case as desk/decisions/_panel.html draws it: what can be decided, what blocks an approval, what
waits for a second agent.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.utils.formats import date_format

from formation_portal.accounts.models import Right, User
from formation_portal.applications.draft import Draft
from formation_portal.contract.lifecycle import State
from formation_portal.relay.delivery_status import DeliveryStage
from formation_portal.reviews.changes_since import ReviewVersion, current_version
from formation_portal.reviews.checklist import ApprovalBlocker, Checklist, approval_blockers, load_checklist
from formation_portal.reviews.decisions import APPROVE, DECLINE, INCORPORATE, RETURN
from formation_portal.reviews.models import DecisionOutcome, DeclineReason, ReviewDecision
from formation_portal.reviews.targets import holder_name
from formation_portal.reviews.transactions import UNDER_REVIEW
from formation_portal.ui.forms.controls import Option, as_options

from ..case_urls import TargetLinks
from ..delivery_status import CaseDeliveries
from ..masking import TextMasking
from ..queue_state import QueueState
from ..wording import numbered
from .forms import DecisionForm

_NOUNS = {APPROVE: "Approval", RETURN: "Return", DECLINE: "Decline", INCORPORATE: "Incorporation"}
_DONE = {
    APPROVE: "is approved for the registry",
    RETURN: "is returned to {customer}",
    DECLINE: "is declined",
    INCORPORATE: "is recorded as incorporated",
}
_WAITS = {APPROVE: "is awaiting second approval", DECLINE: "will be declined once a second agent confirms"}


@dataclass(frozen=True, slots=True)
class WaitingDecision:
    """A decision that waits for a second agent."""

    title: str
    is_approval: bool
    who: str
    at: datetime
    reason: str
    text: str
    is_mine: bool


@dataclass(frozen=True, slots=True)
class PastDecision:
    """A decision of before: what became of it, by whom and when."""

    at: datetime
    what: str
    reason: str
    text: str
    refusal: str
    # What the registry has made of an incorporation.
    registered: str = ""


def waiting_decision_line(decision: ReviewDecision, reader: User) -> WaitingDecision:
    """One that waits, as this agent reads it."""
    return WaitingDecision(
        title=_NOUNS.get(decision.deed, decision.deed),
        is_approval=decision.deed == APPROVE,
        who=decision.proposed_by.called,
        at=decision.proposed_at,
        reason=reason_words(decision.reason),
        text=decision.text,
        is_mine=decision.proposed_by_id == reader.pk,
    )


def past_decision_lines(decisions: Iterable[ReviewDecision]) -> Iterator[PastDecision]:
    """Those of before, in the same order."""
    for one in decisions:
        if one.outcome != DecisionOutcome.WAITING:
            what = f"{_NOUNS.get(one.deed, one.deed)} {_became(one)}"
            registered = f"Registration number {one.register_number}" if one.register_number else ""
            if registered and one.registered_on:
                registered += f", registered on {date_format(one.registered_on, 'j F Y')}"
            yield PastDecision(one.at, what, reason_words(one.reason), one.text, one.refusal, registered)


def reason_words(code: str) -> str:
    """Why it is declined; nothing where no reason is kept, the code where the list no longer has it."""
    return dict(DeclineReason.choices).get(code, code)


def decided_message(decision: ReviewDecision) -> str:
    """What came of deciding, behind the name of the company."""
    words = _WAITS if decision.outcome == DecisionOutcome.WAITING else _DONE
    return f"{words.get(decision.deed, 'has been decided')}.".format(customer=decision.application.owner.called)


def _became(decision: ReviewDecision) -> str:
    proposer, other = decision.proposed_by.called, decision.by.called if decision.by else "the customer"
    if decision.is_taken_back:
        return f"proposed and withdrawn by {proposer}"
    if decision.outcome == DecisionOutcome.DONE:
        return f"by {proposer}" + (f", confirmed by {other}" if decision.by_id != decision.proposed_by_id else "")
    became = "not confirmed by" if decision.outcome == DecisionOutcome.REFUSED else "replaced by"
    return f"proposed by {proposer}, {became} {other}"


# More decisions than these have no case in a lifetime.
_PAST = 20
# So many things against an approval are shown at once; more are opened.
_SHOWN_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class DecisionCard:
    """One decision to choose; `is_shut` where something stands against it."""

    deed: str
    label: str
    hint: str
    is_chosen: bool
    is_shut: bool = False


@dataclass(frozen=True, slots=True)
class BlockerLink:
    """One thing that stands against an approval, and where it is mended."""

    url: str
    whose: str
    text: str


@dataclass(frozen=True, slots=True)
class DraftedQuery:
    """One question that a return sends."""

    about: str
    whose: str
    text: str


@dataclass(frozen=True, slots=True)
class DecisionPanel:
    """The whole of it. Without cards there is nothing to choose for this agent, or at all."""

    reference: str
    company: str
    customer: str
    version: ReviewVersion
    shown: str
    form: DecisionForm
    cards: tuple[DecisionCard, ...]
    reasons: tuple[Option, ...]
    blockers: tuple[BlockerLink, ...]
    held: tuple[str, ...]
    drafted: tuple[DraftedQuery, ...]
    waiting: WaitingDecision | None
    past: tuple[PastDecision, ...]
    is_under_review: bool
    asks_two: bool
    may_decide: bool
    may_confirm: bool
    may_open_next: bool

    @property
    def is_there(self) -> bool:
        """Whether there is anything to show."""
        return bool(self.cards or self.waiting or self.past or (self.is_under_review and self.blockers))

    @property
    def can_approve(self) -> bool:
        """Whether an approval is one press."""
        return any(card.deed == APPROVE and not card.is_shut for card in self.cards)

    @property
    def records_incorporation(self) -> bool:
        """Whether the company's entry in the register is asked for."""
        return any(card.deed == INCORPORATE for card in self.cards)

    @property
    def only_card(self) -> DecisionCard | None:
        """The one decision, where there is no choice."""
        return self.cards[0] if len(self.cards) == 1 else None

    @property
    def shows_blockers(self) -> bool:
        """Whether what is against an approval matters: not to whoever looks at a decline that waits."""
        return bool(self.blockers) and (self.waiting is None or self.waiting.is_approval)

    @property
    def are_few(self) -> bool:
        """Whether what stands against an approval is shown at once."""
        return len(self.blockers) <= _SHOWN_AT_ONCE

    @property
    def saved(self) -> str:
        """The line below the heading."""
        count = len(self.blockers)
        if not self.is_under_review or self.waiting:
            return "Awaiting second agent" if self.waiting else ""
        return f"{numbered(count, 'check')} left" if count else "All checks done"


def decision_panel(
    draft: Draft,
    reader: User,
    *,
    arrivals: CaseDeliveries,
    shown: QueueState,
    facts: Checklist | None = None,
    version: ReviewVersion | None = None,
    form: DecisionForm | None = None,
) -> DecisionPanel:
    """The panel: two queries, two more where the facts were not read yet, one where the version was not."""
    version, facts = version or current_version(draft.application), facts or load_checklist(draft)
    decisions = list(draft.application.decisions.select_related("proposed_by", "by")[:_PAST])
    is_under_review = draft.application.status in UNDER_REVIEW
    against = approval_blockers(draft, facts) if is_under_review else ()
    waiting = next((one for one in decisions if one.outcome == DecisionOutcome.WAITING), None)
    # Chosen before anybody chooses is what was prepared, and never what can't be taken back by a slip.
    form = form or DecisionForm(deed=RETURN if facts.drafted else "" if against else APPROVE)
    may_decide = reader.has_perm(Right.DECIDE.permission)
    cards = _cards(draft, form, facts=facts, against=against, waits=waiting is not None) if may_decide else ()
    links, masking = TargetLinks(draft, facts, shown), TextMasking(draft)
    return DecisionPanel(
        reference=draft.application.reference,
        company=draft.title,
        customer=draft.application.owner.called,
        version=version,
        shown=shown.address,
        form=form,
        cards=tuple(cards),
        reasons=as_options((("", "Choose"), *DeclineReason.choices), form.reason),
        blockers=tuple(BlockerLink(links.at(one.target), one.holder_name, masking.masked(one.text)) for one in against),
        # What the service neither has nor has refused, as far as our team has to see to it.
        held=tuple(row.title for row in arrivals.rows if is_under_review and row.state == DeliveryStage.OURS),
        drafted=tuple(
            DraftedQuery(one.label or "The application", holder_name(draft, one.target), one.text)
            for one in facts.drafted
        ),
        waiting=waiting_decision_line(waiting, reader) if waiting else None,
        past=tuple(past_decision_lines(decisions)),
        is_under_review=is_under_review,
        asks_two=settings.FOUR_EYES,
        may_decide=may_decide,
        may_confirm=reader.has_perm(Right.CONFIRM.permission),
        may_open_next=reader.has_perm(Right.REVIEW.permission),
    )


def _cards(
    draft: Draft, form: DecisionForm, *, facts: Checklist, against: tuple[ApprovalBlocker, ...], waits: bool
) -> Iterator[DecisionCard]:
    stands, customer = draft.application.status, draft.application.owner.called
    if stands is State.SUBMITTED_TO_CSP:
        hint = "Enter the company’s number and date from the register."
        yield DecisionCard(INCORPORATE, "Record the incorporation", hint, is_chosen=True)
    if stands not in UNDER_REVIEW:
        return
    if not waits:
        hint = "A second agent must confirm this." if settings.FOUR_EYES else "Sends the application to the registry."
        if against:
            hint = f"{numbered(len(against), 'check')} left before you can approve."
        yield DecisionCard(APPROVE, "Approve", hint, form.deed == APPROVE and not against, is_shut=bool(against))
    hint = "No queries drafted. Write below what needs to change."
    if count := len(facts.drafted):
        hint = f"Sends {count} drafted {'query' if count == 1 else 'queries'}."
    yield DecisionCard(RETURN, f"Return to {customer}", hint, form.deed == RETURN or waits)
    if not waits:
        hint = "A second agent must confirm this." if settings.FOUR_EYES else "Final. Give a reason and a message."
        yield DecisionCard(DECLINE, "Decline", hint, form.deed == DECLINE)
