"""What every change of a review has in common: the lock, the look at what others did, the version, the audit."""

from collections.abc import Iterator
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

from .models import Review
from .refusals import Overtaken
from .since import Sight, since

UNDER_REVIEW = frozenset({State.SUBMITTED_FOR_REVIEW, State.IN_REVIEW})


@dataclass(slots=True)
class Work:
    """One transaction's changes of a review; `touch` is what every row of it is written with."""

    draft: Draft
    by: AbstractBaseUser
    sight: Sight
    review: Review
    done: list[tuple[str, Any]] = field(default_factory=list)

    @property
    def touch(self) -> dict[str, Any]:
        """Who, when, and the version that comes of it."""
        return {"version": self.review.version + 1, "by": self.by, "at": timezone.now()}

    def write(self, row: Any, what: str, **values: Any) -> None:
        """Save the row with these values, as touched by this work."""
        for name, value in (self.touch | values).items():
            setattr(row, name, value)
        row.save()
        self.did(what, row)

    def did(self, what: str, row: Any) -> None:
        """Keep for the audit what was done to a row."""
        self.done.append((what, row))

    def is_news(self, row: Any) -> bool:
        """Whether somebody else has touched the row since the page was drawn."""
        return bool(row.version > self.sight.version and row.by_id != self.by.pk)

    def overtaken(self) -> Overtaken:
        """What to raise then."""
        return Overtaken(since(self.draft.application, self.sight, by=self.by))


@contextmanager
def reviewing(
    draft: Draft,
    *,
    by: AbstractBaseUser,
    sight: Sight | None,
    states: frozenset[State] = UNDER_REVIEW,
    begins: bool = True,
    is_own_work: bool = True,
) -> Iterator[Work]:
    """A transaction around one change of a review. Raises Closed where the application's state allows none, and
    Overtaken where it was returned and submitted again since the page was drawn. Without a sight nothing is compared.

    The application's row is locked, so that changes of one review come one after another. The first one that
    `begins` a review moves the application there. `is_own_work` but for what is done about a colleague's proposal.
    """
    with application_transaction(draft, by=by, must_be_open=False):
        application = draft.application
        if application.deleted_at or application.status not in states:
            raise Closed(application.status)
        review, _ = Review.objects.get_or_create(application=application)
        work = Work(draft, by, sight or Sight(application.submissions, review.version), review)
        if application.submissions != work.sight.round:
            raise work.overtaken()
        if begins and application.status is State.SUBMITTED_FOR_REVIEW:
            advance(draft, "begin_review", by=by)
        yield work
        if work.done:
            _raise(review)
            if is_own_work:
                subscribers.review_changed(draft, by=by)
            _chained(work)


def raised_version(application: Application) -> int:
    """The version that a change from outside of a review makes, for who holds the lock of the application's row."""
    review, _ = Review.objects.get_or_create(application=application)
    return _raise(review)


def _raise(review: Review) -> int:
    review.version += 1
    review.save()
    return review.version


def _chained(work: Work) -> None:
    application, rows = work.draft.application, [row for _, row in work.done]
    did = {what: [row.pk for one, row in work.done if one == what] for what, _ in work.done}
    chain.append(
        AuditAction.REVIEW, by=work.by, application=application, rows=rows, did=did, version=work.review.version
    )
