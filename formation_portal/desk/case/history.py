"""What happened to a case in a few lines: its rounds and decisions, what was asked and changed, who works on it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from django.db.models import Q

from formation_portal.applications.models import Application, Change
from formation_portal.contract.lifecycle import State
from formation_portal.reviews.models import Query

from ..models import Case
from ..wording import if_any

# Of everything else than moves so much is read, and of all lines so many are shown; the audit has all.
_NEWEST = 60
_LINES = 14


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """One line: when, who (empty for the portal itself), and what."""

    at: datetime
    who: str
    what: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """The newest lines; `is_cut` where there are more."""

    lines: tuple[HistoryLine, ...]
    is_cut: bool


def history_of(application: Application) -> tuple[Change, ...]:
    """All moves, everything since the last return, and the newest of the rest, the newest first. One query."""
    changes = application.changes.all()
    returns = Change.objects.filter(application=application, moved_to=State.RETURNED_FOR_CHANGES).order_by("-pk")
    is_new = Q(pk__gt=returns.values("pk")[:1]) | Q(pk__in=changes.order_by("-pk").values("pk")[:_NEWEST])
    return tuple(changes.filter(is_new | ~Q(moved_to="")).select_related("who"))


def timeline(application: Application, history: Iterable[Change], queries: Iterable[Query]) -> Timeline:
    """The lines, the newest first. No query where the case was read with its application."""
    sent: dict[int, int] = {}
    for query in queries:
        if query.round is not None:
            sent[query.round] = sent.get(query.round, 0) + 1
    lines = list(_of_changes(history, sent))
    case: Case | None = getattr(application, "case", None)
    if case is not None and case.is_claimed and case.claimed_by is not None and case.claimed_at is not None:
        word = f": {case.word}" if case.word else ""
        lines.append(HistoryLine(case.claimed_at, case.claimed_by.called, f"Claimed the case{word}"))
    lines.sort(key=lambda line: line.at, reverse=True)
    return Timeline(tuple(lines[:_LINES]), is_cut=len(lines) > _LINES)


def _of_changes(history: Iterable[Change], sent: dict[int, int]) -> Iterator[HistoryLine]:
    """Every move on a line of its own; what one person changed between two moves is one line a day."""
    oldest_first = sorted(history, key=lambda change: change.pk)
    rounds = 0
    for (move, who, _), some in groupby(
        oldest_first, key=lambda one: (one.moved_to and one.pk, one.who, one.at.date())
    ):
        group = list(some)
        last = group[-1]
        rounds += last.moved_to == State.SUBMITTED_FOR_REVIEW
        said = last.what if move or len(group) == 1 else "Changed answers or documents"
        asked = sent.get(rounds, 0) if last.moved_to == State.RETURNED_FOR_CHANGES else 0
        more = f", with {if_any(asked, 'query', 'queries')}" if asked else ""
        yield HistoryLine(last.at, who.called if who else "", said + more)
