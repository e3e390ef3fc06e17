"""Decide about an application. With FOUR_EYES a second agent must confirm approvals and declines. A decision takes
effect after some seconds (scheduled_decisions.py)."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Model
from django.utils import timezone

from formation_portal import workflow
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.applications.services import Closed
from formation_portal.contract.lifecycle import State

from .checklist import approval_blockers, load_checklist
from .checks import require_opened
from .decision_rules import DECISIONS
from .models import (
    DecisionKind,
    DecisionOutcome,
    DeclineReason,
    ReviewDecision,
    ServiceStatus,
    ServiceStatusOutcome,
)
from .scheduled_decisions import schedule
from .transactions import (
    UNDER_REVIEW,
    NotApprovable,
    ReviewRefused,
    ReviewVersion,
    ReviewWork,
    cleaned_text,
    raise_version,
    review_transaction,
    scheduled_decision,
    stop_scheduled_decision,
    waiting_decision,
)

APPROVE = DecisionKind.APPROVE.value
RETURN = DecisionKind.RETURN.value
DECLINE = DecisionKind.DECLINE.value
INCORPORATE = DecisionKind.INCORPORATE.value
_IN_FORCE = (DecisionOutcome.WAITING, DecisionOutcome.SCHEDULED, DecisionOutcome.DONE)


@dataclass(frozen=True, slots=True)
class Registration:
    """The company's number in the register, and the day of its entry. The service may report only one of them."""

    number: str = ""
    day: date | None = None


def decide(
    draft: Draft,
    kind: str,
    *,
    text: str = "",
    reason: str = "",
    registration: Registration | None = None,
    acknowledged: Collection[int] | None = None,
    by: AbstractBaseUser,
    version: ReviewVersion,
) -> ReviewDecision:
    """Decide, or propose a decision that a second agent has to confirm. `text` is for the customer.

    If a decision is posted twice, the second post returns the first decision. Raises ReviewChanged, ClaimedByColleague,
    NotApprovable, DocumentsNotOpened (`require_opened`), ReviewRefused and Closed.
    """
    rule = DECISIONS.get(kind)
    if rule is None:
        raise ReviewRefused("Select a decision.", field="decision")
    text = cleaned_text(text, "text", if_missing=rule.required.get("text", ""))
    if reason and reason not in DeclineReason.values:
        raise ReviewRefused("Select a reason.", field="reason")
    registration = registration or Registration()
    decision = ReviewDecision(
        application=draft.application,
        kind=kind,
        text=text,
        reason=reason,
        round=version.round,
        proposed_by_id=by.pk,
        proposed_at=timezone.now(),
        register_number=registration.number,
        registered_on=registration.day,
    )
    try:
        with review_transaction(draft, by=by, version=version, states=rule.states) as work:
            if earlier := _made_before(decision):
                return earlier
            workflow.refuse_claimed_case(draft, by=by)
            work.require_current()
            if rule.needs_second_agent and waiting_decision(draft.application) is not None:
                raise ReviewRefused("Another decision is already awaiting a second agent.")
            _refuse_if_blocked(work, kind, text=text, acknowledged=acknowledged)
            _stop_scheduled(work)
            if rule.needs_second_agent and settings.FOUR_EYES:
                work.save(decision, "propose", outcome=DecisionOutcome.WAITING)
            else:
                schedule(work, decision)
    except Closed:
        if earlier := _made_before(decision):
            return earlier
        raise
    return decision


def confirm_proposal(
    draft: Draft, *, acknowledged: Collection[int] | None = None, by: AbstractBaseUser, version: ReviewVersion
) -> ReviewDecision:
    """Confirm a colleague's proposal. Raises as `decide` but not ClaimedByColleague; ReviewRefused for one's own."""
    try:
        with review_transaction(draft, by=by, version=version, is_own_work=False) as work:
            work.require_current()
            if earlier := _confirmed_before(draft, by, version):
                return earlier
            decision = _proposed_by_another(draft, by)
            _refuse_if_blocked(work, decision.kind, text=decision.text, acknowledged=acknowledged)
            _stop_scheduled(work)
            schedule(work, decision)
    except Closed:
        if earlier := _confirmed_before(draft, by, version):
            return earlier
        raise
    return decision


def refuse_proposal(draft: Draft, *, why: str, by: AbstractBaseUser, version: ReviewVersion) -> ReviewDecision:
    """Refuse a colleague's proposal; `why` is for colleagues. Raises ReviewChanged, ReviewRefused and Closed."""
    why = cleaned_text(why, "why", if_missing="Enter a reason.")
    with review_transaction(draft, by=by, version=version, is_own_work=False) as work:
        work.require_current()
        decision = _proposed_by_another(draft, by)
        work.save(decision, "refuse", outcome=DecisionOutcome.REFUSED, refusal=why)
        workflow.proposal_refused(draft, decision=decision, by=by)
        return decision


def withdraw(draft: Draft, *, by: AbstractBaseUser, version: ReviewVersion) -> ReviewDecision:
    """Withdraw the agent's own proposal. Raises ReviewChanged, ReviewRefused and Closed."""
    with review_transaction(draft, by=by, version=version) as work:
        work.require_current()
        decision = _waiting_or_refuse(draft)
        if decision.proposed_by_id != by.pk:
            raise ReviewRefused(f"Only {decision.proposed_by.called} can withdraw this.")
        work.save(decision, "take_back", outcome=DecisionOutcome.REFUSED)
        return decision


def _made_before(decision: ReviewDecision) -> ReviewDecision | None:
    """Return an equal decision that the same agent has already made about this submission, or None."""
    rows = ReviewDecision.objects.filter(
        outcome__in=_IN_FORCE,
        application=decision.application_id,
        round=decision.round,
        proposed_by=decision.proposed_by_id,
        kind=decision.kind,
        reason=decision.reason,
        registered_on=decision.registered_on,
    )
    for row in rows:
        # Encrypted columns can't be compared by the database.
        if row.text == decision.text and row.register_number == decision.register_number:
            return row
    return None


def _confirmed_before(draft: Draft, by: AbstractBaseUser, version: ReviewVersion) -> ReviewDecision | None:
    outcomes = (DecisionOutcome.SCHEDULED, DecisionOutcome.DONE)
    decided = ReviewDecision.objects.filter(application=draft.application, round=version.round, outcome__in=outcomes)
    return decided.filter(by=by.pk).exclude(proposed_by=by.pk).first()


def _stop_scheduled(work: ReviewWork) -> None:
    """Stop the scheduled decision, if there is one. Raises ReviewRefused if it is the agent's own."""
    scheduled = scheduled_decision(work.draft.application)
    if scheduled is not None and scheduled.by_id == work.by.pk:
        raise ReviewRefused("You have just decided this case. Undo that decision first.")
    stop_scheduled_decision(work)


def registration_of(application: Application) -> Registration | None:
    """Return the company's entry in the register, recorded by an agent or the formation service; None if there
    is none. At most two SQL queries."""
    if application.status is not State.INCORPORATED:
        return None
    decisions = ReviewDecision.objects.filter(application=application, kind=INCORPORATE, outcome=DecisionOutcome.DONE)
    decision = decisions.first()
    if decision is not None and decision.register_number:
        return Registration(decision.register_number, decision.registered_on)
    reported = ServiceStatus.objects.filter(application=application, outcome=ServiceStatusOutcome.APPLIED).first()
    if reported is None or not (reported.company_number or reported.incorporated_on):
        return None
    return Registration(reported.company_number, reported.incorporated_on)


def _refuse_if_blocked(work: ReviewWork, kind: str, *, text: str, acknowledged: Collection[int] | None) -> None:
    if kind == APPROVE:
        checklist = load_checklist(work.draft)
        if blockers := approval_blockers(work.draft, checklist):
            raise NotApprovable(blockers)
        require_opened(work.draft, checklist, acknowledged, by=work.by)
    if kind == RETURN and not text and not load_checklist(work.draft).drafted:
        raise ReviewRefused(
            "Raise a query about an answer or a document, or write here what needs to change.", field="text"
        )


def _proposed_by_another(draft: Draft, by: AbstractBaseUser) -> ReviewDecision:
    decision = _waiting_or_refuse(draft)
    if decision.proposed_by_id == by.pk:
        raise ReviewRefused("You proposed this, so a second agent has to confirm it.")
    return decision


def _waiting_or_refuse(draft: Draft) -> ReviewDecision:
    decision = waiting_decision(draft.application)
    if decision is None:
        raise ReviewRefused("There is no longer a decision to confirm.")
    return decision


def end_pending_decisions(draft: Draft, by: Any) -> list[Model]:
    """End all pending decisions once the application has left the review, and tell the agents whose decisions were
    scheduled. Returns the ended decisions, to be attested."""
    application = draft.application
    if application.status in UNDER_REVIEW:
        return []
    ended: list[Model] = []
    outcomes = (DecisionOutcome.WAITING, DecisionOutcome.SCHEDULED)
    pending = ReviewDecision.objects.filter(application=application, outcome__in=outcomes)
    for decision in pending.select_related("by"):
        is_scheduled = decision.outcome == DecisionOutcome.SCHEDULED
        decided_by = decision.by
        decision.outcome = DecisionOutcome.STOPPED if is_scheduled else DecisionOutcome.OVERTAKEN
        decision.by_id = by.pk if by else None
        decision.at = timezone.now()
        decision.version = raise_version(application)
        decision.save()
        workflow.decision_saved(application)
        ended.append(decision)
        if is_scheduled:
            workflow.decision_stopped(draft, decided_by=decided_by, by=by)
    return ended
