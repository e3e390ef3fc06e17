"""Let decisions take effect after UNDO_PERIOD, so that an agent can undo a slip before anybody is told.

A worker then carries the decision out: it moves the application, which sends the e-mail and calls the formation
service. A change by another agent before that stops the decision.
"""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone

from formation_portal import workflow
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.applications.services import advance
from formation_portal.applications.services.transactions import application_transaction
from formation_portal.contract.lifecycle import TRANSITIONS, State
from formation_portal.core.background import BackgroundWorker
from formation_portal.core.databases import DATABASE_AWAY

from .checklist import approval_blockers, load_checklist
from .decision_rules import DECISIONS
from .models import DecisionKind, DecisionOutcome, Query, ReviewDecision
from .queries import send_drafts
from .transactions import (
    ReviewRefused,
    ReviewWork,
    review_transaction,
    scheduled_decision,
    stop_scheduled_decision,
    waiting_decision,
    without_effect,
)

logger = logging.getLogger(__name__)

UNDO_PERIOD = timedelta(seconds=10)
# After a failure the decision is tried again after this time.
_RETRY_PERIOD = timedelta(minutes=1)


def schedule(work: ReviewWork, decision: ReviewDecision) -> None:
    """Record a decision, or the confirmation of a proposal, to take effect after UNDO_PERIOD."""
    action = "confirm" if decision.pk else "decide"
    takes_effect_at = timezone.now() + UNDO_PERIOD
    work.save(decision, action, outcome=DecisionOutcome.SCHEDULED, takes_effect_at=takes_effect_at)


def undo_decision(draft: Draft, *, by: AbstractBaseUser) -> ReviewDecision:
    """Undo the agent's own decision. A confirmed proposal waits for a second agent again. Raises ReviewRefused."""
    with review_transaction(
        draft, by=by, version=None, states=frozenset(State), begins=False, is_own_work=False
    ) as work:
        decision = scheduled_decision(draft.application)
        if decision is None:
            raise ReviewRefused(_why_too_late(draft.application))
        if decision.by_id != by.pk:
            raise ReviewRefused("Only the agent who made this decision can undo it.")
        work.save(decision, "undo", **without_effect(decision, DecisionOutcome.UNDONE))
        return decision


def _why_too_late(application: Application) -> str:
    latest = ReviewDecision.objects.filter(application=application).order_by("-at").first()
    if latest is not None and latest.outcome == DecisionOutcome.DONE:
        return "Your decision has already taken effect, so it cannot be undone."
    return "This decision was undone or stopped before it took effect."


def carry_out_due(*, now: datetime | None = None, may_go_on: Callable[[], bool] = lambda: True) -> int:
    """Carry out every decision that is due. Returns how many took effect."""
    due = ReviewDecision.objects.filter(
        outcome=DecisionOutcome.SCHEDULED, takes_effect_at__lte=now or timezone.now()
    ).select_related("application", "by")
    count = 0
    for decision in due.order_by("takes_effect_at", "pk"):
        if not may_go_on():
            break
        try:
            count += _carry_out(decision)
        except DATABASE_AWAY:
            raise
        except Exception as error:
            # Not the error's text, which may contain names.
            logger.error("Decision %s could not be carried out: %s", decision.pk, type(error).__name__)
            postponed = ReviewDecision.objects.filter(pk=decision.pk, outcome=DecisionOutcome.SCHEDULED)
            postponed.update(takes_effect_at=timezone.now() + _RETRY_PERIOD)
    return count


def _carry_out(due: ReviewDecision) -> bool:
    """Carry out a decision in the name of its agent. Returns False where it is no longer due, or is blocked.

    The row is read again under the application's lock, so that the decision takes effect once.
    """
    assert due.by is not None  # an agent has scheduled it
    draft = open_draft(due.application)
    with review_transaction(
        draft, by=due.by, version=None, states=frozenset(State), begins=False, is_own_work=False
    ) as work:
        decision = scheduled_decision(draft.application)
        if decision is None or decision.pk != due.pk:
            return False
        if decision.kind == DecisionKind.APPROVE and approval_blockers(draft, load_checklist(draft)):
            stop_scheduled_decision(work, own=True)
            return False
        waiting = waiting_decision(draft.application)
        if waiting is not None and decision.kind in TRANSITIONS:
            work.save(waiting, "overtake", outcome=DecisionOutcome.OVERTAKEN)
        queries: list[Query] = []
        if decision.kind == DecisionKind.RETURN:
            queries = send_drafts(work)
        work.save(decision, "take_effect", outcome=DecisionOutcome.DONE)
        if decision.kind in TRANSITIONS:
            advance(draft, decision.kind, by=due.by, note=_note_to_service(decision, queries))
        elif decision.text:
            # The state stays, and the customer is told.
            with application_transaction(draft, by=due.by, must_be_open=False) as journal:
                journal.note(DECISIONS[decision.kind].history, text=decision.text)
            workflow.decision_told(draft, decision=decision)
        if decision.kind == DecisionKind.RETURN:
            workflow.application_returned(draft)
    return True


def _note_to_service(decision: ReviewDecision, queries: list[Query]) -> str:
    registration = ""
    if decision.register_number:
        registration = f"Registration number {decision.register_number}"
    if decision.registered_on:
        registration += f", registered on {decision.registered_on.isoformat()}"
    lines = [registration, decision.text]
    for query in queries:
        lines.append(f"{query.label}: {query.text}")
    return "\n".join(filter(None, lines))


def decision_worker() -> BackgroundWorker:
    """Return a worker that carries out decisions, in its own thread, so that slow calls to the service delay none."""
    return BackgroundWorker(name="Carrying out decisions", work=carry_out_due, stop_timeout=5)
