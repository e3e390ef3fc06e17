"""The decision about a case as desk/decisions/_panel.html draws it: what can be decided, what blocks an approval, what
waits for a second agent.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from django.conf import settings

from formation_portal.accounts.models import Right, User
from formation_portal.applications.draft import Draft
from formation_portal.contract.lifecycle import State
from formation_portal.relay.delivery_status import DeliveryStage
from formation_portal.reviews.checklist import ApprovalBlocker, Checklist, approval_blockers, load_checklist
from formation_portal.reviews.decisions import APPROVE, DECLINE, INCORPORATE, RETURN
from formation_portal.reviews.models import DecisionOutcome, Query, ReviewDecision
from formation_portal.reviews.scheduled_decisions import UNDO_PERIOD
from formation_portal.reviews.targets import holder_name
from formation_portal.reviews.transactions import UNDER_REVIEW, ReviewVersion, current_version

from ..case_urls import TargetLinks
from ..delivery_status import CaseDeliveries
from ..masking import TextMasking
from ..models import Case
from ..queue_state import QueueState
from ..shared_texts import SharedTexts
from ..wording import numbered
from .forms import DecisionForm

# What each decision is called on its card, and what comes of it behind the company's name: at once, and while a second
# agent has to confirm it.
_WORDS = {
    APPROVE: ("Approve", "is approved for the registry", "is awaiting second approval"),
    RETURN: ("Return to {customer}", "is returned to {customer}", ""),
    DECLINE: ("Decline", "is declined", "will be declined once a second agent confirms"),
    INCORPORATE: ("Record the incorporation", "is recorded as incorporated", ""),
}
# More decisions than these have no case in a lifetime.
_PAST = 20
# So many things against an approval are shown at once; more are opened.
_SHOWN_AT_ONCE = 8
# More are a list that nobody reads to its end; what is mended makes room for the next.
_SHOWN_AT_MOST = 100


def decided_message(decision: ReviewDecision) -> str:
    """What came of deciding, behind the name of the company."""
    _, done, waits = _WORDS[decision.deed]
    words = waits if decision.outcome == DecisionOutcome.WAITING else done
    message = f"{words}.".format(customer=decision.application.owner.called)
    if decision.outcome == DecisionOutcome.SCHEDULED:
        message += f" This takes effect in {UNDO_PERIOD.seconds} seconds."
    return message


def _is_under_review(draft: Draft) -> bool:
    """Report that agents may decide about the case now: not before it is paid for."""
    return draft.application.status in UNDER_REVIEW and draft.application.payment_due_since is None


@dataclass(frozen=True, slots=True)
class DecisionCard:
    """One decision to choose; `is_shut` where something stands against it."""

    deed: str
    label: str
    hint: str
    is_chosen: bool
    is_shut: bool = False


@dataclass(frozen=True)
class DecisionPanel:
    """The whole of it, with all that stands against an approval. Without cards there is nothing to choose for this
    agent, or at all."""

    draft: Draft
    reader: User
    version: ReviewVersion
    shown: QueueState
    form: DecisionForm
    checklist: Checklist
    against: tuple[ApprovalBlocker, ...]
    decisions: tuple[ReviewDecision, ...]
    deliveries: CaseDeliveries

    @property
    def is_under_review(self) -> bool:
        """Whether it can be returned, approved or declined."""
        return _is_under_review(self.draft)

    @cached_property
    def waiting(self) -> ReviewDecision | None:
        """The decision that waits for a second agent."""
        return next((one for one in self.decisions if one.outcome == DecisionOutcome.WAITING), None)

    @cached_property
    def scheduled(self) -> ReviewDecision | None:
        """Return the decision that has not taken effect yet."""
        return next((row for row in self.decisions if row.outcome == DecisionOutcome.SCHEDULED), None)

    @property
    def can_undo(self) -> bool:
        return self.scheduled is not None and self.scheduled.by_id == self.reader.pk

    @property
    def claimed_by(self) -> User | None:
        """Return the colleague who has claimed the case, which keeps the reader from deciding."""
        case: Case | None = getattr(self.draft.application, "case", None)
        is_claimed = case is not None and case.is_claimed and case.claimed_by_id != self.reader.pk
        return case.claimed_by if case is not None and is_claimed else None

    @property
    def is_mine(self) -> bool:
        """Whether the reader has proposed what waits."""
        return self.waiting is not None and self.waiting.proposed_by_id == self.reader.pk

    @property
    def is_over(self) -> bool:
        return not self.is_under_review and self.draft.application.status is not State.SUBMITTED_TO_CSP

    @property
    def asks_about_approval(self) -> bool:
        """Return whether the decision that was posted, or else the one that waits for this agent, is an approval."""
        return self.form.chosen == APPROVE or (not self.form.chosen and self.waits_for_approval)

    @property
    def waits_for_approval(self) -> bool:
        """Whether what waits is an approval."""
        return self.waiting is not None and self.waiting.deed == APPROVE

    @cached_property
    def past(self) -> list[tuple[ReviewDecision, str]]:
        """The decisions of before, each with what became of it, by whom."""
        found = []
        for one in self.decisions:
            proposer, other = one.proposed_by.called, one.by.called if one.by else "the customer"
            if one.outcome in (DecisionOutcome.WAITING, DecisionOutcome.SCHEDULED):
                continue
            if one.is_taken_back:
                became = f"proposed and withdrawn by {proposer}"
            elif one.outcome == DecisionOutcome.DONE:
                became = f"by {proposer}" + (f", confirmed by {other}" if one.is_confirmed else "")
            elif one.outcome == DecisionOutcome.UNDONE:
                became = f"by {proposer}, undone before it took effect"
            elif one.outcome == DecisionOutcome.STOPPED:
                reason = f"by {other}" if one.by_id != one.proposed_by_id else "by an open check"
                became = f"by {proposer}, stopped {reason} before it took effect"
            else:
                became = "not confirmed by" if one.outcome == DecisionOutcome.REFUSED else "replaced by"
                became = f"proposed by {proposer}, {became} {other}"
            found.append((one, f"{one.called} {became}"))
        return found

    @cached_property
    def cards(self) -> tuple[DecisionCard, ...]:
        """What the reader can choose; nothing in a colleague's case, or before their own decision has taken effect."""
        is_free = self.claimed_by is None and (not self.can_undo or bool(self.form.errors))
        return tuple(self._cards()) if is_free and self.reader.has_perm(Right.DECIDE.permission) else ()

    def _cards(self) -> Iterator[DecisionCard]:
        application = self.draft.application
        if application.status is State.SUBMITTED_TO_CSP and application.payment_due_since is None:
            hint = "Enter the company’s number and date from the register."
            yield DecisionCard(INCORPORATE, _WORDS[INCORPORATE][0], hint, is_chosen=True)
        if not self.is_under_review:
            return
        second = "A second agent must confirm this." if settings.FOUR_EYES else ""
        chosen = self.form.chosen
        if not self.waiting:
            hint = second or "Sends the application to the registry."
            if is_blocked := bool(self.against):
                hint = f"{numbered(len(self.against), 'check')} left before you can approve."
            is_chosen = chosen == APPROVE and not is_blocked
            yield DecisionCard(APPROVE, _WORDS[APPROVE][0], hint, is_chosen, is_shut=is_blocked)
        hint = "No queries drafted. Write below what needs to change."
        if count := len(self.checklist.drafted):
            hint = f"Sends {count} drafted {'query' if count == 1 else 'queries'}."
        label = _WORDS[RETURN][0].format(customer=self.draft.application.owner.called)
        yield DecisionCard(RETURN, label, hint, chosen == RETURN or self.waiting is not None)
        if not self.waiting:
            hint = second or "Final. Give a reason and a message."
            yield DecisionCard(DECLINE, _WORDS[DECLINE][0], hint, chosen == DECLINE)

    @property
    def shared_texts(self) -> SharedTexts:
        """What can be inserted into the message."""
        return SharedTexts(self.draft, reader=self.reader)

    @property
    def only_card(self) -> DecisionCard | None:
        """The one decision, where there is no choice."""
        return self.cards[0] if len(self.cards) == 1 else None

    @property
    def can_approve(self) -> bool:
        """Whether an approval is one press."""
        return any(card.deed == APPROVE and not card.is_shut for card in self.cards)

    @property
    def records_incorporation(self) -> bool:
        """Whether the company's entry in the register is asked for."""
        return any(card.deed == INCORPORATE for card in self.cards)

    @property
    def is_there(self) -> bool:
        """Whether there is anything to show."""
        is_open = self.against or self.claimed_by
        return bool(self.cards or self.decisions or (self.is_under_review and is_open))

    @property
    def saved(self) -> str:
        """The line below the heading."""
        if self.scheduled:
            return "Takes effect in a few seconds"
        if self.waiting:
            return "Awaiting second agent"
        left = f"{numbered(len(self.against), 'check')} left" if self.against else "All checks done"
        return left if self.is_under_review else ""

    @property
    def shows_blockers(self) -> bool:
        """Whether what is against an approval matters: not to whoever looks at a decline that waits."""
        return bool(self.against) and (self.waiting is None or self.waits_for_approval)

    @property
    def are_few(self) -> bool:
        """Whether what stands against an approval is shown at once."""
        return len(self.against) <= _SHOWN_AT_ONCE

    @property
    def blockers(self) -> Iterator[tuple[str, ApprovalBlocker, str]]:
        """What stands against an approval: the address where it is mended, the thing, its words; the first of many."""
        links, masking = TargetLinks(self.draft, self.checklist, self.shown), TextMasking(self.draft)
        return ((links.at(one.target), one, masking.masked(one.text)) for one in self.against[:_SHOWN_AT_MOST])

    @property
    def more_blockers(self) -> str:
        """How many others there are, in words."""
        left = len(self.against) - _SHOWN_AT_MOST
        return f"{left:,} more. The lists above lead to each." if left > 0 else ""

    @property
    def next_blocker(self) -> str:
        """The address of the first of them; empty where nothing is."""
        links = TargetLinks(self.draft, self.checklist, self.shown)
        return links.at(self.against[0].target) if self.against else ""

    @property
    def held(self) -> list[str]:
        """What the service neither has nor has refused, as far as our team has to see to it."""
        rows = self.deliveries.rows if self.is_under_review else ()
        return [title for title, status, _ in rows if status.state is DeliveryStage.OURS]

    @property
    def drafted(self) -> list[tuple[Query, str]]:
        """The queries that a return sends, each with whose answer it is about."""
        return [(one, holder_name(self.draft, one.target)) for one in self.checklist.drafted]


def decision_panel(
    draft: Draft,
    reader: User,
    *,
    deliveries: CaseDeliveries,
    shown: QueueState,
    checklist: Checklist | None = None,
    version: ReviewVersion | None = None,
    form: DecisionForm | None = None,
) -> DecisionPanel:
    """The panel: two queries, two more where the checklist was not read yet, one where the version was not."""
    # The version first: what a colleague changes meanwhile is then shown as newer than the page, and not taken as read.
    version = version or current_version(draft.application)
    checklist = checklist or load_checklist(draft)
    against = approval_blockers(draft, checklist) if _is_under_review(draft) else ()
    return DecisionPanel(
        draft=draft,
        reader=reader,
        version=version,
        shown=shown,
        # Chosen before anybody chooses is what was prepared, and never what can't be taken back by a slip.
        form=form or DecisionForm(initial={"deed": RETURN if checklist.drafted else "" if against else APPROVE}),
        checklist=checklist,
        against=against,
        decisions=tuple(draft.application.decisions.select_related("proposed_by", "by")[:_PAST]),
        deliveries=deliveries,
    )
