"""The formation service's own decisions: statuses of an entity that the portal did not write.

An incorporation ends the case at once. Any other status waits until an agent passes it on to the customer or dismisses
it. The relay tells which statuses are the service's own (relay/entity_status.py).
"""

from operator import attrgetter

from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone

from formation_portal import workflow
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.applications.services import advance, record_service_incorporation
from formation_portal.audit import chain
from formation_portal.audit.models import AuditAction
from formation_portal.contract.lifecycle import BEFORE_INCORPORATION, State

from .decisions import DECLINE, RETURN
from .models import DecisionOutcome, ReviewDecision, ServiceStatus, ServiceStatusOutcome
from .transactions import ReviewRefused, ReviewVersion, ReviewWork, cleaned_text, raise_version, review_transaction

# The transition that passes on each decision of the service.
_PASSED_ON_BY = {RETURN: "pass_on_return", DECLINE: "pass_on_rejection"}
_SUBMITTED = frozenset(State) - {State.DRAFT}
_content = attrgetter("written_by", "status", "note", "company_number", "incorporated_on")


def open_status(application: Application) -> ServiceStatus | None:
    return ServiceStatus.objects.filter(application=application, outcome=ServiceStatusOutcome.OPEN).first()


def receive_status(draft: Draft, reported: ServiceStatus) -> None:
    """Apply a `reported` incorporation, or keep any other status for an agent; ignore a repeated report. The caller
    holds the lock of the application's row."""
    application = draft.application
    latest = ServiceStatus.objects.filter(application=application).first()
    ends_case = reported.status == State.INCORPORATED and application.status in BEFORE_INCORPORATION
    if latest is not None and latest.ended_at is None and not ends_case and _content(latest) == _content(reported):
        return
    rows = []
    if latest is not None and latest.outcome == ServiceStatusOutcome.OPEN:
        latest.outcome = ServiceStatusOutcome.REPLACED
        rows.append(latest)
    reported.application = application
    reported.received_at = timezone.now()
    reported.outcome = ServiceStatusOutcome.APPLIED if ends_case else ServiceStatusOutcome.OPEN
    rows.append(reported)
    _save(draft, rows, "report")
    if ends_case:
        record_service_incorporation(draft)


def end_status(draft: Draft) -> None:
    """Note that the service shows the portal's status again. The caller holds the application's lock."""
    latest = ServiceStatus.objects.filter(application=draft.application, ended_at=None).first()
    if latest is None:
        return
    latest.ended_at = timezone.now()
    if latest.outcome == ServiceStatusOutcome.OPEN:
        latest.outcome = ServiceStatusOutcome.REPLACED
        _save(draft, [latest], "replace")
    else:
        latest.save(update_fields=["ended_at"])


def _save(draft: Draft, rows: list[ServiceStatus], action: str) -> None:
    """Save rows without an agent as author, as the review's next version, with an entry in the audit log."""
    version = raise_version(draft.application)
    open_row = None
    for row in rows:
        row.version = version
        row.by = None
        row.at = timezone.now()
        row.save()
        if row.outcome == ServiceStatusOutcome.OPEN:
            open_row = row
    workflow.service_status_changed(draft, status=open_row)
    workflow.review_changed(draft, by=None, is_own_work=False)
    did = {action: [row.pk for row in rows]}
    chain.append(AuditAction.REVIEW, by=None, application=draft.application, rows=rows, did=did, version=version)


def pass_on(
    draft: Draft, number: int, kind: str, *, text: str, by: AbstractBaseUser, version: ReviewVersion
) -> ReviewDecision:
    """Return or decline the application as the service did, without calling it. `text` is for the customer.
    Raises ClaimedByColleague, ReviewChanged, ReviewRefused, PaymentDue and Closed."""
    states = frozenset({State.SUBMITTED_TO_CSP})
    with review_transaction(draft, by=by, version=version, states=states, begins=False) as work:
        workflow.refuse_claimed_case(draft, by=by)
        status = _open_status_to_decide(work, number)
        decision = ReviewDecision(
            application=draft.application,
            kind=kind,
            text=cleaned_text(text, "text", if_missing="Tell the customer why."),
            round=version.round,
            proposed_by_id=by.pk,
            proposed_at=timezone.now(),
        )
        work.save(decision, "decide", outcome=DecisionOutcome.DONE)
        work.save(status, "pass_on", outcome=ServiceStatusOutcome.PASSED_ON)
        workflow.service_status_changed(draft, status=None)
        advance(draft, _PASSED_ON_BY[kind], by=by)
        if kind == RETURN:
            workflow.application_returned(draft)
    return decision


def dismiss(draft: Draft, number: int, *, reason: str, by: AbstractBaseUser, version: ReviewVersion) -> None:
    """Close the service's status without passing it on, for a reason that colleagues read.

    The application stays as it is. Raises ReviewChanged, ReviewRefused and Closed.
    """
    with review_transaction(draft, by=by, version=version, states=_SUBMITTED, begins=False, is_own_work=False) as work:
        status = _open_status_to_decide(work, number)
        reason = cleaned_text(reason, "reason", if_missing="Enter a reason.")
        work.save(status, "dismiss", outcome=ServiceStatusOutcome.DISMISSED, reason=reason)
        workflow.service_status_changed(draft, status=None)


def _open_status_to_decide(work: ReviewWork, number: int) -> ServiceStatus:
    work.require_current()
    status = open_status(work.draft.application)
    if status is None or status.pk != number:
        raise ReviewRefused("This status has been decided already.")
    return status
