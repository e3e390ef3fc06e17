"""What every change of a review has in common: the version that a page was drawn with, and what others have done since;
the transaction, with its lock, the comparison and raise of versions and the audit log; and why something was not done.
Nothing was written when one of these exceptions is raised.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from formation_portal.applications.access import refuse_own_applications
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.applications.services import Closed, PaymentDue, advance
from formation_portal.applications.services.transactions import lock_application
from formation_portal.audit import chain
from formation_portal.audit.models import AuditAction
from formation_portal.contract.lifecycle import State
from formation_portal.core import subscribers
from formation_portal.core.integers import parse_integer

from .checklist import ApprovalBlocker, Fact
from .models import (
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
# A page that is older than so many transitions is shown the last ones.
_MAX_TRANSITIONS = 20


@dataclass(frozen=True, slots=True)
class ReviewVersion:
    """What a page was drawn with: the number of the submission, and the review's version. "2.17" in a form."""

    round: int
    version: int

    @classmethod
    def parse(cls, text: str) -> "ReviewVersion":
        """The version that a form carries; what can't be read is older than anything."""
        first, _, second = text.partition(".")
        round_, version = parse_integer(first, digits=9), parse_integer(second, digits=9)
        return cls(0, 0) if round_ is None or version is None else cls(round_, version)

    @classmethod
    def of_loaded(cls, application: Application) -> "ReviewVersion":
        """The version of an application that was loaded together with its review: no query."""
        review = getattr(application, "review", None)
        return cls(application.submissions, review.version if review else 0)

    def __str__(self) -> str:
        return f"{self.round}.{self.version}"


@dataclass(frozen=True, slots=True)
class ReviewChange:
    """One thing that was done: by whom (None: the portal), when, and a sentence without its subject."""

    by: Any
    at: datetime
    what: str

    @property
    def who(self) -> str:
        """The name of whoever did it."""
        return self.by.called if self.by else "The portal"


def current_version(application: Application) -> ReviewVersion:
    """What a page that is drawn now is drawn with: one query."""
    version = Review.objects.filter(pk=application.pk).values_list("version", flat=True).first()
    return ReviewVersion(application.submissions, version or 0)


def changes_since(
    application: Application, version: ReviewVersion, *, by: AbstractBaseUser | None
) -> tuple[ReviewChange, ...]:
    """Return the changes since a version by everybody but `by`, the newest first. Makes nine queries."""
    changes = list(_transitions(application, version))
    for model in (Check, Evidence, Query, Note, ScreeningCheck, ReviewDecision, ServiceStatus):
        rows: Any = model._default_manager.filter(application=application, version__gt=version.version)
        changes += [ReviewChange(row.by, row.at, _text(row)) for row in rows.select_related("by")]
    changes += _stopped_decisions(application, version)
    others = [change for change in changes if by is None or change.by is None or change.by.pk != by.pk]
    return tuple(sorted(others, key=lambda change: change.at, reverse=True))


def _stopped_decisions(application: Application, version: ReviewVersion) -> Iterator[ReviewChange]:
    """Yield the decisions that another agent has stopped since, as changes by the agents who had made them."""
    stopped = ReviewDecision.objects.filter(
        application=application, version__gt=version.version, outcome=DecisionOutcome.STOPPED
    )
    for decision in stopped.exclude(by=F("proposed_by")).select_related("proposed_by"):
        yield ReviewChange(decision.proposed_by, decision.proposed_at, f"recorded the {decision.called.lower()}")


def _transitions(application: Application, version: ReviewVersion) -> Iterator[ReviewChange]:
    if application.submissions == version.round:
        return
    found = application.changes.exclude(moved_to="").select_related("who")[:_MAX_TRANSITIONS]
    round_ = application.submissions
    for change in found:
        if change.moved_to == State.SUBMITTED_FOR_REVIEW:
            if round_ == version.round:
                return
            round_ -= 1
        yield ReviewChange(change.who, change.at, change.what)


def _text(row: Check | Evidence | Query | Note | ScreeningCheck | ReviewDecision | ServiceStatus) -> str:
    """What was done to the row last."""
    if isinstance(row, Check):
        return f"accepted {row.label}" if row.digest else f"undid the acceptance of {row.label}"
    if isinstance(row, Evidence):
        return f"{'removed' if row.removed_at else 'noted'} what {row.slot} says about {row.label}"
    if isinstance(row, Note):
        return "removed a note" if row.removed_at else f"wrote a note: {row.text}"
    if isinstance(row, ScreeningCheck):
        return f"{'removed' if row.removed_at else 'recorded'} a screening check of {row.label}"
    if isinstance(row, Query):
        about = row.label or "the application"
        if row.settled_at:
            return f"resolved the query about {about}"
        if row.dropped_at:
            return f"deleted the draft query about {about}"
        return f"sent the query about {about}" if row.sent_at else f"drafted a query about {about}: {row.text}"
    if isinstance(row, ServiceStatus):
        return _SERVICE_STATUS_TEXTS[ServiceStatusOutcome(row.outcome)].format(status=row.status)
    about = f"the {row.called.lower()}"
    if row.is_taken_back:
        return f"withdrew the proposal of {about}"
    return {
        DecisionOutcome.WAITING: f"proposed {about}",
        DecisionOutcome.SCHEDULED: f"recorded {about}",
        DecisionOutcome.DONE: f"recorded {about}",
        DecisionOutcome.REFUSED: f"did not confirm {about}",
        DecisionOutcome.OVERTAKEN: f"replaced {about}",
        DecisionOutcome.UNDONE: f"undid {about}",
        DecisionOutcome.STOPPED: f"stopped {about}",
    }[DecisionOutcome(row.outcome)]


_SERVICE_STATUS_TEXTS = {
    ServiceStatusOutcome.OPEN: "received the status “{status}” from the formation service",
    ServiceStatusOutcome.APPLIED: "received the incorporation from the formation service",
    ServiceStatusOutcome.PASSED_ON: "passed on the formation service’s status “{status}”",
    ServiceStatusOutcome.DISMISSED: "dismissed the formation service’s status “{status}”",
    ServiceStatusOutcome.REPLACED: "received another status than “{status}” from the formation service",
}


class ReviewChanged(Exception):
    """Others have changed the review, or its application, since the page was drawn; what, the newest first."""

    def __init__(self, changes: Sequence[ReviewChange]) -> None:
        super().__init__("A colleague or the customer changed this after you opened the page.")
        self.changes = tuple(changes)


class NotApprovable(Exception):
    """Something speaks against the decision; a sentence each, with the place that it is about."""

    def __init__(self, blockers: Sequence[ApprovalBlocker]) -> None:
        super().__init__("Some checks or queries are still open.")
        self.blockers = tuple(blockers)


class DocumentsNotOpened(Exception):
    """Whoever accepts or decides has not opened these documents; said so, it goes on."""

    def __init__(self, documents: Sequence[Fact]) -> None:
        super().__init__("You have not opened every document.")
        self.documents = tuple(documents)


class ReviewRefused(Exception):
    """What was posted can't be taken; `field` is the control that is wrong, `others` what else is wrong."""

    def __init__(self, message: str, *, field: str = "", others: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.others = dict(others or {})


class ClaimedByColleague(Exception):
    """A colleague has claimed the case, so this agent has to take it over before deciding."""

    def __init__(self, colleague: str) -> None:
        super().__init__(f"{colleague} has claimed this case. Take it over before you decide.")


@dataclass(slots=True)
class ReviewWork:
    """One transaction's changes of a review; `authorship` is what every row of it is written with."""

    draft: Draft
    by: AbstractBaseUser
    seen: ReviewVersion
    review: Review
    done: list[tuple[str, Any]] = field(default_factory=list)

    @property
    def authorship(self) -> dict[str, Any]:
        """Who, when, and the version that comes of it."""
        return {"version": self.review.version + 1, "by": self.by, "at": timezone.now()}

    def save(self, row: Any, what: str, **values: Any) -> None:
        """Save the row with these values, as touched by this work."""
        for name, value in (self.authorship | values).items():
            setattr(row, name, value)
        row.save()
        if isinstance(row, ReviewDecision):
            subscribers.decision_saved(self.draft.application)
        self.note_done(what, row)

    def note_done(self, what: str, row: Any) -> None:
        """Keep for the audit what was done to a row."""
        self.done.append((what, row))

    def is_changed_by_others(self, row: Any) -> bool:
        """Whether somebody else has touched the row since the page was drawn."""
        return bool(row.version > self.seen.version and row.by_id != self.by.pk)

    def outdated_error(self) -> ReviewChanged:
        """What to raise then."""
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
    """The transaction of one change of a review. Raises OwnApplication where it is the agent's own application, Closed
    where its status allows none, PaymentDue where it would begin the review of an application that is not paid for, and
    ReviewChanged where it was returned and submitted again since the page was drawn.
    Without a version nothing is compared.

    The application's row is locked, so that changes of one review come one after another. The first change that
    `begins` a review moves the application there. `is_own_work` is False for what is done about a colleague's
    proposal.
    """
    with transaction.atomic():
        lock_application(draft)
        application = draft.application
        refuse_own_applications([application.pk], agent=by.pk)
        if application.deleted_at or application.status not in states:
            raise Closed(application.status)
        if begins and application.payment_due_since is not None:
            raise PaymentDue(application.status)
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
            subscribers.review_changed(draft, by=by, is_own_work=is_own_work)
            rows = [row for _, row in work.done]
            did = {what: [row.pk for one, row in work.done if one == what] for what, _ in work.done}
            chain.append(AuditAction.REVIEW, by=by, application=application, rows=rows, did=did, version=review.version)


def waiting_decision(application: Application) -> ReviewDecision | None:
    """Return the decision that waits for a second agent. One query."""
    waiting = ReviewDecision.objects.filter(application=application, outcome=DecisionOutcome.WAITING)
    return waiting.select_related("proposed_by", "by").first()


def scheduled_decision(application: Application) -> ReviewDecision | None:
    """Return the decision that has not taken effect yet. One query."""
    scheduled = ReviewDecision.objects.filter(application=application, outcome=DecisionOutcome.SCHEDULED)
    return scheduled.select_related("by", "proposed_by").first()


def stop_scheduled_decision(work: ReviewWork, *, own: bool = False) -> None:
    """Stop a colleague's decision that has not taken effect, since this work has changed the review. `own` stops the
    agent's own, too."""
    decision = scheduled_decision(work.draft.application)
    if decision is None or (decision.by_id == work.by.pk and not own):
        return
    decided_by = decision.by
    work.save(decision, "stop", **without_effect(decision, DecisionOutcome.STOPPED))
    subscribers.decision_stopped(work.draft, decided_by=decided_by, by=None if own else work.by)


def without_effect(decision: ReviewDecision, outcome: DecisionOutcome) -> dict[str, Any]:
    """Return the values of a scheduled decision that does not take effect. A proposal that was confirmed waits for a
    second agent again; any other decision ends with this outcome."""
    if decision.is_confirmed:
        return {"outcome": DecisionOutcome.WAITING, "takes_effect_at": None}
    return {"outcome": outcome}


def raise_version(application: Application) -> int:
    """The version that a change from outside of a review makes, for who holds the lock of the application's row."""
    review, _ = Review.objects.get_or_create(application=application)
    review.version += 1
    review.save()
    return review.version
