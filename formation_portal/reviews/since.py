"""What others have done to a review since a page of it was drawn."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any

from django.contrib.auth.models import AbstractBaseUser

from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import State
from formation_portal.core.integers import parse_integer

from .models import Check, Note, Outcome, Remark, Review, Ruling

# A page that is older than so many moves is told of the last ones.
_MOVES_TOLD = 20


@dataclass(frozen=True, slots=True)
class Sight:
    """What a page was drawn with: the number of the submission, and the review's version. "2.17" in a form."""

    round: int
    version: int

    @classmethod
    def read(cls, text: str) -> "Sight":
        """The sight that a form carries; what can't be read is older than anything."""
        first, _, second = text.partition(".")
        round_, version = parse_integer(first, digits=9), parse_integer(second, digits=9)
        return cls(0, 0) if round_ is None or version is None else cls(round_, version)

    @classmethod
    def read_with(cls, application: Application) -> "Sight":
        """The sight of an application that was read together with its review: no query."""
        review = getattr(application, "review", None)
        return cls(application.submissions, review.version if review else 0)

    def __str__(self) -> str:
        return f"{self.round}.{self.version}"


@dataclass(frozen=True, slots=True)
class Move:
    """One thing that was done: by whom (None: the portal), when, and a sentence without its subject."""

    by: Any
    at: datetime
    what: str


def sight_of(application: Application) -> Sight:
    """What a page that is drawn now is drawn with: one query."""
    version = Review.objects.filter(pk=application.pk).values_list("version", flat=True).first()
    return Sight(application.submissions, version or 0)


def since(application: Application, sight: Sight, *, by: AbstractBaseUser | None) -> tuple[Move, ...]:
    """What everybody but `by` has done since: five queries. The newest first."""
    moves = chain(_moved(application, sight), _touched(application, sight.version))
    others = (move for move in moves if by is None or move.by is None or move.by.pk != by.pk)
    return tuple(sorted(others, key=lambda move: move.at, reverse=True))


def _moved(application: Application, sight: Sight) -> Iterator[Move]:
    if application.submissions == sight.round:
        return
    found = application.changes.exclude(moved_to="").select_related("who")[:_MOVES_TOLD]
    round_ = application.submissions
    for change in found:
        if change.moved_to == State.SUBMITTED_FOR_REVIEW:
            if round_ == sight.round:
                return
            round_ -= 1
        yield Move(change.who, change.at, change.what)


def _touched(application: Application, version: int) -> Iterator[Move]:
    for model, words in _WORDS:
        rows: Iterable[Any] = model.objects.filter(application=application, version__gt=version).select_related("by")
        yield from (Move(row.by, row.at, words(row)) for row in rows)


def _of_check(check: Check) -> str:
    return f"accepted {check.label}" if check.digest else f"undid the acceptance of {check.label}"


def _of_remark(remark: Remark) -> str:
    about = remark.label or "the application"
    if remark.settled_at:
        return f"resolved the query about {about}"
    if remark.dropped_at:
        return f"deleted the draft query about {about}"
    return f"sent the query about {about}" if remark.sent_at else f"drafted a query about {about}: {remark.text}"


def _of_note(note: Note) -> str:
    return "removed a note" if note.removed_at else f"wrote a note: {note.text}"


_DEEDS = {
    "return": "the return",
    "approve": "the approval",
    "decline": "the decline",
    "record_incorporation": "the incorporation",
}


def _of_ruling(ruling: Ruling) -> str:
    about = _DEEDS.get(ruling.deed, ruling.deed)
    if ruling.is_taken_back:
        return f"withdrew the proposal of {about}"
    return {
        Outcome.WAITING: f"proposed {about}",
        Outcome.DONE: f"recorded {about}",
        Outcome.REFUSED: f"did not confirm {about}",
        Outcome.OVERTAKEN: f"replaced {about}",
    }[Outcome(ruling.outcome)]


_WORDS: tuple[tuple[Any, Any], ...] = (
    (Check, _of_check),
    (Remark, _of_remark),
    (Note, _of_note),
    (Ruling, _of_ruling),
)
