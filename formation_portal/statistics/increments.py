"""What a transition of an application, and the queries of a return, add to the totals. Without the database."""

import hashlib
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from django.utils import timezone

from formation_portal.contract.lifecycle import FINAL, State
from formation_portal.reviews.targets import TargetKind

from .counters import CounterKey, TotalTable
from .dimensions import Side, Span, bucket_of, side_of

# The column that counts the deeds that lead to a state.
TRANSITION_COLUMNS = {
    State.SUBMITTED_FOR_REVIEW: "submitted",
    State.RETURNED_FOR_CHANGES: "returned",
    State.SUBMITTED_TO_CSP: "approved",
    State.REJECTED: "declined",
    State.INCORPORATED: "incorporated",
    State.WITHDRAWN: "withdrawn",
}


def transition_increments(state: State, at: datetime, *, clock: Any, form: str) -> Counter[CounterKey]:
    """What the move adds; the clock goes on. `clock` is a CaseClock, which a migration knows without its class."""
    day, more = timezone.localdate(at), Counter[CounterKey]()
    if state in TRANSITION_COLUMNS:
        for span in Span:
            more[CounterKey(TotalTable.DEEDS, (span.value, span.start_of(day)), TRANSITION_COLUMNS[state])] += 1
    if (side_of(state) or "") != clock.side:
        _change_side(clock, side_of(state), at, more)
    if state in FINAL:
        _count_closing(clock, day, form, more)
    return more


def _change_side(clock: Any, side: Side | None, at: datetime, more: Counter[CounterKey]) -> None:
    """From one side to the other. Where somebody has put the clock back meanwhile, no time has passed."""
    if clock.side:
        more[CounterKey(TotalTable.OPEN, (clock.came_on,), clock.side)] -= 1
        passed = max(0, (at - clock.since) // timedelta(seconds=1))
        setattr(clock, clock.side, (getattr(clock, clock.side) or 0) + passed)
    clock.side, clock.since, clock.came_on = side or "", None, None
    if side:
        clock.since, clock.came_on = at, timezone.localdate(at)
        more[CounterKey(TotalTable.OPEN, (clock.came_on,), side.value)] += 1


def _count_closing(clock: Any, day: date, form: str, more: Counter[CounterKey]) -> None:
    spent = {side.value: getattr(clock, side) for side in Side if getattr(clock, side) is not None}
    for span in Span:
        key = (span.value, span.start_of(day))
        for side, seconds in spent.items():
            more[CounterKey(TotalTable.DURATIONS, (*key, bucket_of(seconds)), side)] += 1
            more[CounterKey(TotalTable.CLOSINGS, (*key, form), f"cases_{side}")] += 1
            more[CounterKey(TotalTable.CLOSINGS, (*key, form), f"seconds_{side}")] += seconds


# A party is called as its customer has called it, and the whole by nothing.
_TEXTS_BY_KIND = {
    TargetKind.PARTY.value: "Person or company and roles",
    TargetKind.APPLICATION.value: "Whole application",
}


def question_digest(query: Any, form: str) -> str:
    """What stands for the question that a query is about: the form, the kind, and what the form knows it by."""
    known_by = {TargetKind.SECTION.value: query.holder, TargetKind.PARTY.value: "", TargetKind.APPLICATION.value: ""}
    parts = (form, query.kind, known_by.get(query.kind, query.name))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def question_text(query: Any) -> str:
    """What the question is called."""
    return _TEXTS_BY_KIND.get(query.kind) or query.label or query.name


def query_increments(queries: Sequence[Any], *, form: str, questions: Mapping[str, int]) -> Counter[CounterKey]:
    """What one return adds. `questions` are the numbers of its questions, by their digests."""
    more = Counter[CounterKey]()
    day = timezone.localdate(queries[0].sent_at)
    more.update(_count_by(TotalTable.REASONS, day, [query.reason for query in queries]))
    more.update(_count_by(TotalTable.QUESTIONS, day, [questions[question_digest(query, form)] for query in queries]))
    return more


def _count_by(table: TotalTable, day: date, things: Iterable[Hashable]) -> Counter[CounterKey]:
    """Each query, and the return once, however many of its queries are about the same."""
    more = Counter[CounterKey]()
    for thing, queries in Counter(things).items():
        for span in Span:
            key = (span.value, span.start_of(day), thing)
            more[CounterKey(table, key, "returns")] = 1
            more[CounterKey(table, key, "remarks")] = queries
    return more
