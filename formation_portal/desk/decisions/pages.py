"""Show the decision about a case: the choices, the blockers of an approval, and the pending decisions."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.conf import settings

from formation_portal.accounts.models import Right, User
from formation_portal.applications.draft import Draft
from formation_portal.relay.delivery_status import DeliveryStage
from formation_portal.reviews.checklist import ApprovalBlocker, Checklist, approval_blockers, load_checklist
from formation_portal.reviews.decision_rules import DECISIONS
from formation_portal.reviews.decisions import APPROVE, DECLINE, INCORPORATE, RETURN
from formation_portal.reviews.models import DecisionOutcome, Query, ReviewDecision
from formation_portal.reviews.scheduled_decisions import UNDO_PERIOD
from formation_portal.reviews.targets import holder_name
from formation_portal.reviews.transactions import ReviewVersion, current_version

from ..case_urls import TargetLinks
from ..delivery_status import CaseDeliveries
from ..lookups import is_reviewable
from ..masking import TextMasking
from ..models import Case
from ..queue_state import QueueState
from ..shared_texts import SharedTexts
from ..wording import numbered
from .forms import DecisionForm

# The most decisions shown.
_MAX_DECISIONS = 20
# How many blockers are unfolded, and how many listed.
_MAX_UNFOLDED = 8
_MAX_BLOCKERS = 100


@dataclass(frozen=True, slots=True)
class DecisionWords:
    """The words of a decision. `done` and `proposed` (to a second agent) follow the company's name in a message."""

    label: str
    hint: str
    done: str
    proposed: str = ""


_WORDS = {
    APPROVE: DecisionWords(
        "Approve",
        "Sends the application to the registry.",
        done="is approved for the registry",
        proposed="is awaiting second approval",
    ),
    RETURN: DecisionWords(
        "Return to {customer}",
        "No queries drafted. Write below what needs to change.",
        done="is returned to {customer}",
    ),
    DECLINE: DecisionWords(
        "Decline",
        "Final. Give a reason and a message.",
        done="is declined",
        proposed="will be declined once a second agent confirms",
    ),
    INCORPORATE: DecisionWords(
        "Record the incorporation",
        "Enter the company’s number and date from the register.",
        done="is recorded as incorporated",
    ),
}


def decided_message(decision: ReviewDecision) -> str:
    """Return the words that follow the company's name in the message about a new decision."""
    wording = _WORDS[decision.kind]
    text = wording.done
    if decision.outcome == DecisionOutcome.WAITING:
        text = wording.proposed
    message = f"{text}.".format(customer=decision.application.owner.called)
    if decision.outcome == DecisionOutcome.SCHEDULED:
        message += f" This takes effect in {UNDO_PERIOD.seconds} seconds."
    return message


@dataclass(frozen=True, slots=True)
class DecisionCard:
    """A decision to choose. `is_shut`: the decision is blocked."""

    kind: str
    label: str
    hint: str
    is_chosen: bool
    is_shut: bool = False


class DecisionPanel:
    """The decisions about a case, as one agent sees them.

    `against` has the blockers of an approval. `waiting` is the decision that a second agent has to confirm, `scheduled`
    a decision before it takes effect. `claimed_by` is the colleague whose claim keeps the reader from deciding.
    """

    max_unfolded = _MAX_UNFOLDED

    def __init__(
        self,
        draft: Draft,
        reader: User,
        *,
        deliveries: CaseDeliveries,
        queue_state: QueueState,
        checklist: Checklist | None = None,
        version: ReviewVersion | None = None,
        form: DecisionForm | None = None,
    ) -> None:
        """Read the panel. Two SQL queries; two more to read a missing checklist, one for a missing version."""
        # Read the version first, so that a later change counts as unseen.
        self.version = version or current_version(draft.application)
        self.checklist = checklist or load_checklist(draft)
        self.draft = draft
        self.reader = reader
        self.deliveries = deliveries
        self.queue_state = queue_state
        self.shared_texts = SharedTexts(draft, reader=reader)
        self._links = TargetLinks(draft, self.checklist, queue_state)
        self.is_under_review = is_reviewable(draft)
        is_possible = any(draft.application.status in rule.states for rule in DECISIONS.values())
        self.can_be_decided = is_possible and draft.application.payment_due_since is None
        self.against: tuple[ApprovalBlocker, ...] = ()
        if self.is_under_review:
            self.against = approval_blockers(draft, self.checklist)
        self.form = form or self._prepared_form()
        self.claimed_by: User | None = None
        case: Case = draft.application.case
        if case.is_claimed and case.claimed_by_id != reader.pk:
            self.claimed_by = case.claimed_by
        decisions = draft.application.decisions.select_related("proposed_by", "by")[:_MAX_DECISIONS]
        by_outcome = {decision.outcome: decision for decision in decisions}
        self.waiting = by_outcome.get(DecisionOutcome.WAITING)
        self.scheduled = by_outcome.get(DecisionOutcome.SCHEDULED)
        self.past = []
        for decision in decisions:
            if decision not in (self.waiting, self.scheduled):
                self.past.append((decision, f"{decision.called} {_outcome_words(decision)}"))
        self.waits_for_approval = self.waiting is not None and self.waiting.kind == APPROVE
        self.can_undo = self.scheduled is not None and self.scheduled.by_id == reader.pk
        self.cards = list(self._cards())
        choices = {card.kind for card in self.cards if not card.is_shut}
        self.can_approve = APPROVE in choices
        self.records_incorporation = INCORPORATE in choices

    def _prepared_form(self) -> DecisionForm:
        """Preselect a return if queries are drafted, an approval if possible, but no decline."""
        if self.checklist.drafted:
            return DecisionForm(initial={"decision": RETURN})
        if self.against:
            return DecisionForm()
        return DecisionForm(initial={"decision": APPROVE})

    def _cards(self) -> Iterator[DecisionCard]:
        """Yield the reader's choices: none in a colleague's case, or before the reader's decision takes effect."""
        is_settled = self.can_undo and not self.form.errors
        may_decide = self.can_be_decided and self.reader.has_perm(Right.DECIDE.permission)
        if self.claimed_by or is_settled or not may_decide:
            return
        application = self.draft.application
        for kind, rule in DECISIONS.items():
            if application.status not in rule.states or (self.waiting and rule.needs_second_agent):
                continue
            wording = _WORDS[kind]
            label = wording.label.format(customer=application.owner.called)
            hint = wording.hint
            if rule.needs_second_agent and settings.FOUR_EYES:
                hint = "A second agent must confirm this."
            if kind == APPROVE and self.against:
                hint = f"{numbered(len(self.against), 'check')} left before you can approve."
            if kind == RETURN and self.checklist.drafted:
                hint = f"Sends {numbered(len(self.checklist.drafted), 'drafted query', 'drafted queries')}."
            is_shut = kind == APPROVE and bool(self.against)
            yield DecisionCard(kind, label, hint, is_chosen=kind == self.form.chosen and not is_shut, is_shut=is_shut)

    @property
    def label_asked_about(self) -> str:
        """Return the label of the posted decision, else of the decision that waits for an agent, else ""."""
        kind = self.form.chosen
        if not kind and self.waiting:
            kind = self.waiting.kind
        if kind not in _WORDS:
            return ""
        return _WORDS[kind].label

    @property
    def only_card(self) -> DecisionCard | None:
        return self.cards[0] if len(self.cards) == 1 else None

    @property
    def is_there(self) -> bool:
        has_decisions = self.cards or self.waiting or self.scheduled or self.past
        return bool(has_decisions or (self.is_under_review and (self.against or self.claimed_by)))

    @property
    def saved(self) -> str:
        """Return the state of the decision, for the line below the heading; "" for none."""
        if self.scheduled:
            return "Takes effect in a few seconds"
        if self.waiting:
            return "Awaiting second agent"
        if self.against:
            return f"{numbered(len(self.against), 'check')} left"
        return "All checks done" if self.is_under_review else ""

    @property
    def shows_blockers(self) -> bool:
        """Tell whether to show the blockers of an approval: not while a decline waits."""
        return bool(self.against) and (self.waiting is None or self.waits_for_approval)

    @property
    def blockers(self) -> Iterator[tuple[str, ApprovalBlocker, str]]:
        """Yield the first blockers of an approval, each with the URL to resolve it and its masked text."""
        masking = TextMasking(self.draft)
        for blocker in self.against[:_MAX_BLOCKERS]:
            yield self._links.at(blocker.target), blocker, masking.masked(blocker.text)

    @property
    def more_blockers(self) -> str:
        more = len(self.against) - _MAX_BLOCKERS
        return f"{more:,} more. The lists above lead to each." if more > 0 else ""

    @property
    def next_blocker(self) -> str:
        if not self.against:
            return ""
        return self._links.at(self.against[0].target)

    @property
    def held(self) -> list[str]:
        if not self.is_under_review:
            return []
        return [title for title, status, _ in self.deliveries.rows if status.state is DeliveryStage.OURS]

    @property
    def drafted(self) -> list[tuple[Query, str]]:
        """Return the queries that a return sends, each with the name of its party."""
        return [(query, holder_name(self.draft, query.target)) for query in self.checklist.drafted]


def _outcome_words(decision: ReviewDecision) -> str:
    proposer = decision.proposed_by.called
    other = "the customer"
    if decision.by:
        other = decision.by.called
    if decision.is_taken_back:
        return f"proposed and withdrawn by {proposer}"
    match decision.outcome:
        case DecisionOutcome.DONE:
            return f"by {proposer}, confirmed by {other}" if decision.is_confirmed else f"by {proposer}"
        case DecisionOutcome.UNDONE:
            return f"by {proposer}, undone before it took effect"
        case DecisionOutcome.STOPPED:
            stopper = other if decision.is_confirmed else "an open check"
            return f"by {proposer}, stopped by {stopper} before it took effect"
        case DecisionOutcome.REFUSED:
            return f"proposed by {proposer}, not confirmed by {other}"
    return f"proposed by {proposer}, replaced by {other}"
