"""Make every change of a review in a transaction, with a lock, a version and an entry in the audit log. List what
others changed since a page was drawn. Define the errors that refuse a change."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from formation_portal import workflow
from formation_portal.applications.access import refuse_own_applications
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.applications.services import Closed, PaymentDue, advance
from formation_portal.applications.services.transactions import lock_application
from formation_portal.audit import chain
from formation_portal.audit.models import AuditAction
from formation_portal.contract.lifecycle import State
from formation_portal.core.integers import parse_integers

from .checklist import ApprovalBlocker, Fact
from .models import (
    MAX_TEXT,
    Check,
    DecisionOutcome,
    Evidence,
    Note,
    Query,
    Review,
    ReviewDecision,
    ScreeningCheck,
    ServiceStatus,
    ServiceStatusOutcome,
)

UNDER_REVIEW = frozenset({State.SUBMITTED_FOR_REVIEW, State.IN_REVIEW})
# An older page lists only the newest.
_MAX_TRANSITIONS = 20


@dataclass(frozen=True, slots=True)
class ReviewVersion:
    """The version of a review that a page shows: the numbers of the submission and of the review's changes;
    "2.17" in a form."""

    round: int
    version: int

    @classmethod
    def parse(cls, text: str) -> "ReviewVersion":
        """Parse the version in a form. An unreadable text gives a version older than any other."""
        numbers = parse_integers(text.split("."))
        if len(numbers) != 2:
            return cls(0, 0)
        return cls(*numbers)

    @classmethod
    def of_loaded(cls, application: Application) -> "ReviewVersion":
        """Return the version of an application that was loaded with its review. No SQL query."""
        review = getattr(application, "review", None)
        return cls(application.submissions, review.version if review else 0)

    def __str__(self) -> str:
        return f"{self.round}.{self.version}"


@dataclass(frozen=True, slots=True)
class ReviewChange:
    """A change: its author (None: the portal), its time, and a sentence without a subject."""

    by: Any
    at: datetime
    what: str


def current_version(application: Application) -> ReviewVersion:
    """Read the version that a page drawn now shows. One SQL query."""
    version = Review.objects.filter(pk=application.pk).values_list("version", flat=True).first()
    return ReviewVersion(application.submissions, version or 0)


def changes_since(
    application: Application, version: ReviewVersion, *, by: AbstractBaseUser
) -> tuple[ReviewChange, ...]:
    """Return the changes by others than `by` since a version, newest first. Nine SQL queries."""
    changes = list(_transitions(application, version))
    for model in (Check, Evidence, Query, Note, ScreeningCheck, ReviewDecision, ServiceStatus):
        rows: Any = model._default_manager.filter(application=application, version__gt=version.version)
        for row in rows.select_related("by"):
            changes.append(ReviewChange(row.by, row.at, _last_action(row)))
    changes += _stopped_decisions(application, version)
    by_others = [change for change in changes if change.by is None or change.by.pk != by.pk]
    return tuple(sorted(by_others, key=lambda change: change.at, reverse=True))


def _stopped_decisions(application: Application, version: ReviewVersion) -> Iterator[ReviewChange]:
    """Yield, for each decision that another agent has stopped since a version, the change that its own agent made."""
    stopped = ReviewDecision.objects.filter(
        application=application, version__gt=version.version, outcome=DecisionOutcome.STOPPED
    )
    for decision in stopped.exclude(by=F("proposed_by")).select_related("proposed_by"):
        yield ReviewChange(decision.proposed_by, decision.proposed_at, f"recorded the {decision.called.lower()}")


def _transitions(application: Application, version: ReviewVersion) -> Iterator[ReviewChange]:
    if application.submissions == version.round:
        return
    submission = application.submissions
    for change in application.changes.exclude(moved_to="").select_related("who")[:_MAX_TRANSITIONS]:
        if change.moved_to == State.SUBMITTED_FOR_REVIEW:
            if submission == version.round:
                return
            submission -= 1
        yield ReviewChange(change.who, change.at, change.what)


def _last_action(row: Check | Evidence | Query | Note | ScreeningCheck | ReviewDecision | ServiceStatus) -> str:
    if isinstance(row, Check):
        return f"accepted {row.label}" if row.digest else f"undid the acceptance of {row.label}"
    if isinstance(row, Evidence):
        return f"{'removed' if row.removed_at else 'noted'} what {row.slot} says about {row.label}"
    if isinstance(row, Note):
        return "removed a note" if row.removed_at else f"wrote a note: {row.text}"
    if isinstance(row, ScreeningCheck):
        return f"{'removed' if row.removed_at else 'recorded'} a screening check of {row.label}"
    if isinstance(row, ServiceStatus):
        return _SERVICE_STATUS_ACTIONS[ServiceStatusOutcome(row.outcome)].format(status=row.status)
    if isinstance(row, ReviewDecision):
        action = "withdrew the proposal of" if row.is_taken_back else _DECISION_ACTIONS[DecisionOutcome(row.outcome)]
        return f"{action} the {row.called.lower()}"
    about = row.label or "the application"
    if row.settled_at:
        return f"resolved the query about {about}"
    if row.dropped_at:
        return f"deleted the draft query about {about}"
    return f"sent the query about {about}" if row.sent_at else f"drafted a query about {about}: {row.text}"


_DECISION_ACTIONS = {
    DecisionOutcome.WAITING: "proposed",
    DecisionOutcome.SCHEDULED: "recorded",
    DecisionOutcome.DONE: "recorded",
    DecisionOutcome.REFUSED: "did not confirm",
    DecisionOutcome.OVERTAKEN: "replaced",
    DecisionOutcome.UNDONE: "undid",
    DecisionOutcome.STOPPED: "stopped",
}
_SERVICE_STATUS_ACTIONS = {
    ServiceStatusOutcome.OPEN: "received the status “{status}” from the formation service",
    ServiceStatusOutcome.APPLIED: "received the incorporation from the formation service",
    ServiceStatusOutcome.PASSED_ON: "passed on the formation service’s status “{status}”",
    ServiceStatusOutcome.DISMISSED: "dismissed the formation service’s status “{status}”",
    ServiceStatusOutcome.REPLACED: "received another status than “{status}” from the formation service",
}


class ReviewChanged(Exception):
    """Raised where others changed the review since the page was drawn. `changes` has the newest first."""

    def __init__(self, changes: Sequence[ReviewChange]) -> None:
        super().__init__("A colleague or the customer changed this after you opened the page.")
        self.changes = tuple(changes)


class NotApprovable(Exception):
    """Raised where checks or queries block an approval."""

    def __init__(self, blockers: Sequence[ApprovalBlocker]) -> None:
        super().__init__("Some checks or queries are still open.")
        self.blockers = tuple(blockers)


class DocumentsNotOpened(Exception):
    """Raised where the agent has neither opened these documents nor agreed to go on unread."""

    def __init__(self, documents: Sequence[Fact]) -> None:
        super().__init__("You have not opened every document.")
        self.documents = tuple(documents)


class ReviewRefused(Exception):
    """Raised for a post that cannot be carried out. `field` names the control with the error, or is ""."""

    def __init__(self, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.field = field


def cleaned_text(text: str, field: str, *, if_missing: str = "") -> str:
    """Return a typed text, stripped. Raises ReviewRefused where the text is missing or too long."""
    cleaned = text.replace("\r\n", "\n").replace("\x00", " ").strip()
    if if_missing and not cleaned:
        raise ReviewRefused(if_missing, field=field)
    if len(cleaned) > MAX_TEXT:
        raise ReviewRefused(f"Use {MAX_TEXT:,} characters or fewer.", field=field)
    return cleaned


class ClaimedByColleague(Exception):
    """Raised where a colleague has claimed the case that is to be decided."""

    def __init__(self, colleague: str) -> None:
        super().__init__(f"{colleague} has claimed this case. Take it over before you decide.")


@dataclass(slots=True)
class ReviewWork:
    """The changes that one transaction makes to a review."""

    draft: Draft
    by: AbstractBaseUser
    seen: ReviewVersion
    review: Review
    done: list[tuple[str, Any]] = field(default_factory=list)

    def save(self, row: Any, action: str, **values: Any) -> None:
        """Save the row with these values, its author and time, and note the action for the audit log."""
        authorship = {"version": self.review.version + 1, "by": self.by, "at": timezone.now()}
        for name, value in (authorship | values).items():
            setattr(row, name, value)
        row.save()
        if isinstance(row, ReviewDecision):
            workflow.decision_saved(self.draft.application)
        self.done.append((action, row))

    def save_first(self, rows: QuerySet[Any], action: str, **values: Any) -> bool:
        """Save the first of these rows. Returns False if there is none. Raises ReviewChanged."""
        row = rows.first()
        if row is None:
            return False
        self.require_unchanged(row)
        self.save(row, action, **values)
        return True

    def require_unchanged(self, row: Any) -> None:
        """Raise ReviewChanged where somebody else changed this row after the page was drawn."""
        if row.version > self.seen.version and row.by_id != self.by.pk:
            raise self.outdated_error()

    def require_current(self) -> None:
        """Raise ReviewChanged where others changed any part of the review after the page was drawn."""
        if self.review.version > self.seen.version:
            error = self.outdated_error()
            if error.changes:
                raise error

    def outdated_error(self) -> ReviewChanged:
        return ReviewChanged(changes_since(self.draft.application, self.seen, by=self.by))


@contextmanager
def review_transaction(
    draft: Draft,
    *,
    by: AbstractBaseUser,
    version: ReviewVersion | None,
    states: frozenset[State] = UNDER_REVIEW,
    begins: bool = True,
    is_own_work: bool = True,
) -> Iterator[ReviewWork]:
    """Run one change of a review in a transaction that locks the application's row.

    With `begins`, the first change moves a submitted application into review. `is_own_work` is False for a change
    that does not claim the case, like an answer to a colleague's proposal. Raises OwnApplication, Closed where the
    status is not in `states`, PaymentDue where a review would begin before the payment, and ReviewChanged where the
    application was submitted again since.
    """
    with transaction.atomic():
        lock_application(draft)
        application = draft.application
        refuse_own_applications([application.pk], agent=by.pk)
        if application.deleted_at or application.status not in states:
            raise Closed(application.status)
        if begins and application.payment_due_since is not None:
            raise PaymentDue
        review, _ = Review.objects.get_or_create(application=application)
        work = ReviewWork(draft, by, version or ReviewVersion(application.submissions, review.version), review)
        if application.submissions != work.seen.round:
            raise work.outdated_error()
        if begins and application.status is State.SUBMITTED_FOR_REVIEW:
            advance(draft, "begin_review", by=by)
        yield work
        if work.done:
            stop_scheduled_decision(work)
            review.version += 1
            review.save()
            workflow.review_changed(draft, by=by, is_own_work=is_own_work)
            did: dict[str, list[int]] = defaultdict(list)
            rows = []
            for action, row in work.done:
                did[action].append(row.pk)
                rows.append(row)
            chain.append(AuditAction.REVIEW, by=by, application=application, rows=rows, did=did, version=review.version)


def waiting_decision(application: Application) -> ReviewDecision | None:
    """Return the decision that waits for a second agent, or None. One SQL query."""
    waiting = ReviewDecision.objects.filter(application=application, outcome=DecisionOutcome.WAITING)
    return waiting.select_related("proposed_by", "by").first()


def scheduled_decision(application: Application) -> ReviewDecision | None:
    """Return the decision that was made and takes effect later, or None. One SQL query."""
    scheduled = ReviewDecision.objects.filter(application=application, outcome=DecisionOutcome.SCHEDULED)
    return scheduled.select_related("by", "proposed_by").first()


def stop_scheduled_decision(work: ReviewWork, *, own: bool = False) -> None:
    """Stop the scheduled decision of a colleague; with `own`, stop it even if it is the agent's own."""
    decision = scheduled_decision(work.draft.application)
    if decision is None or (decision.by_id == work.by.pk and not own):
        return
    decided_by = decision.by
    work.save(decision, "stop", **without_effect(decision, DecisionOutcome.STOPPED))
    workflow.decision_stopped(work.draft, decided_by=decided_by, by=None if own else work.by)


def without_effect(decision: ReviewDecision, outcome: DecisionOutcome) -> dict[str, Any]:
    """Return the columns of a stopped or undone decision: `outcome`, or that a confirmed proposal waits again."""
    if decision.is_confirmed:
        return {"outcome": DecisionOutcome.WAITING, "takes_effect_at": None}
    return {"outcome": outcome}


def raise_version(application: Application) -> int:
    """Raise and return the version, for a change outside of the review. The caller holds the application's lock."""
    review, _ = Review.objects.get_or_create(application=application)
    review.version += 1
    review.save()
    return review.version
