"""What others have done to a review since a page of it was drawn."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser

from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import State
from formation_portal.core.integers import parse_integer

from .models import Check, DecisionOutcome, Note, Query, Review, ReviewDecision

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
    """What everybody but `by` has done since: five queries. The newest first."""
    found = list(_transitions(application, version))
    for model in (Check, Query, Note, ReviewDecision):
        newer: Any = model._default_manager.filter(application=application, version__gt=version.version)
        found += [ReviewChange(row.by, row.at, _text(row)) for row in newer.select_related("by")]
    others = [one for one in found if by is None or one.by is None or one.by.pk != by.pk]
    return tuple(sorted(others, key=lambda one: one.at, reverse=True))


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


def _text(row: Check | Query | Note | ReviewDecision) -> str:
    """What was done to the row last."""
    if isinstance(row, Check):
        return f"accepted {row.label}" if row.digest else f"undid the acceptance of {row.label}"
    if isinstance(row, Note):
        return "removed a note" if row.removed_at else f"wrote a note: {row.text}"
    if isinstance(row, Query):
        about = row.label or "the application"
        if row.settled_at:
            return f"resolved the query about {about}"
        if row.dropped_at:
            return f"deleted the draft query about {about}"
        return f"sent the query about {about}" if row.sent_at else f"drafted a query about {about}: {row.text}"
    about = f"the {row.called.lower()}"
    if row.is_taken_back:
        return f"withdrew the proposal of {about}"
    return {
        DecisionOutcome.WAITING: f"proposed {about}",
        DecisionOutcome.DONE: f"recorded {about}",
        DecisionOutcome.REFUSED: f"did not confirm {about}",
        DecisionOutcome.OVERTAKEN: f"replaced {about}",
    }[DecisionOutcome(row.outcome)]
