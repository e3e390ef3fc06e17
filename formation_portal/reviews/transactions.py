"""What every change of a review has in common: the lock, the comparison and the raise of versions, the audit log; and
why something was not done. Nothing was written when one of these exceptions is raised."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.applications.services import Closed, advance
from formation_portal.applications.services.transactions import application_transaction
from formation_portal.audit import chain
from formation_portal.audit.models import AuditAction
from formation_portal.contract.lifecycle import State
from formation_portal.core import subscribers

from .changes_since import ReviewChange, ReviewVersion, changes_since
from .checklist import ApprovalBlocker, Fact
from .models import Review

UNDER_REVIEW = frozenset({State.SUBMITTED_FOR_REVIEW, State.IN_REVIEW})


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
    """The transaction of one change of a review. Raises Closed where the application's status allows none, and
    ReviewChanged where it was returned and submitted again since the page was drawn. Without a version nothing is
    compared.

    The application's row is locked, so that changes of one review come one after another. The first change that
    `begins` a review moves the application there. `is_own_work` is False for what is done about a colleague's
    proposal.
    """
    with application_transaction(draft, by=by, must_be_open=False):
        application = draft.application
        if application.deleted_at or application.status not in states:
            raise Closed(application.status)
        review, _ = Review.objects.get_or_create(application=application)
        work = ReviewWork(draft, by, version or ReviewVersion(application.submissions, review.version), review)
        if application.submissions != work.seen.round:
            raise work.outdated_error()
        if begins and application.status is State.SUBMITTED_FOR_REVIEW:
            advance(draft, "begin_review", by=by)
        yield work
        if work.done:
            review.version += 1
            review.save()
            if is_own_work:
                subscribers.review_changed(draft, by=by)
            rows = [row for _, row in work.done]
            did = {what: [row.pk for one, row in work.done if one == what] for what, _ in work.done}
            chain.append(AuditAction.REVIEW, by=by, application=application, rows=rows, did=did, version=review.version)


def raise_version(application: Application) -> int:
    """The version that a change from outside of a review makes, for who holds the lock of the application's row."""
    review, _ = Review.objects.get_or_create(application=application)
    review.version += 1
    review.save()
    return review.version
