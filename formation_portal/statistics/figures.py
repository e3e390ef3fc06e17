"""Count the figures of a case by day, from its history and its queries: pure functions, for `totals.py` and
`erasure.py`."""

import hashlib
from collections import Counter
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from enum import StrEnum
from itertools import groupby
from typing import Any, NamedTuple

from formation_portal.contract.lifecycle import FINAL, State
from formation_portal.core.time_zones import operators_day
from formation_portal.reviews.models import Query
from formation_portal.reviews.targets import TargetKind

from .dimensions import SIDES, Side, bucket_of

# The column that counts transitions to each state.
TRANSITION_COLUMNS = {
    State.SUBMITTED_FOR_REVIEW: "submitted",
    State.RETURNED_FOR_CHANGES: "returned",
    State.SUBMITTED_TO_CSP: "approved",
    State.REJECTED: "declined",
    State.INCORPORATED: "incorporated",
    State.WITHDRAWN: "withdrawn",
}
_LABELS_BY_KIND = {
    # Replaces the name of the person or company.
    TargetKind.PARTY.value: "Person or company and roles",
    TargetKind.APPLICATION.value: "Whole application",
}


class Table(StrEnum):
    """The tables of figures. Each comment says what the keys hold."""

    OPEN = "open"  # none; the column is the side
    TRANSITIONS = "transitions"  # none
    DURATIONS = "durations"  # the bucket; the column is the side
    CLOSINGS = "closings"  # the product's id
    REASONS = "reasons"  # the code of a reason
    QUESTIONS = "questions"  # digest, product's id, kind, label


class Figure(NamedTuple):
    """The day, table, row key and column of a number."""

    day: date
    table: str
    key: tuple[str, ...]
    column: str


def case_figures(product_id: str, moves: Iterable[tuple[str, datetime]]) -> Counter[Figure]:
    """Count a case's transitions; also the side that must act on an open case, or the time that a closed case was
    with each side. `moves` are the states that the case moved to, each with its time, oldest first."""
    figures = Counter[Figure]()
    seconds = Counter[Side]()
    side: Side | None = None
    since: datetime | None = None
    for state_name, at in moves:
        state = State(state_name)
        day = operators_day(at)
        if state in TRANSITION_COLUMNS:
            figures[Figure(day, Table.TRANSITIONS, (), TRANSITION_COLUMNS[state])] += 1
        if SIDES.get(state) is not side:
            if side is not None and since is not None:
                # Never negative, even if the clock was put back.
                seconds[side] += max(0, (at - since) // timedelta(seconds=1))
            side = SIDES.get(state)
            since = at
        if state in FINAL:
            for past_side, duration in seconds.items():
                figures[Figure(day, Table.DURATIONS, (str(bucket_of(duration)),), past_side.value)] += 1
                figures[Figure(day, Table.CLOSINGS, (product_id,), f"cases_{past_side}")] += 1
                figures[Figure(day, Table.CLOSINGS, (product_id,), f"seconds_{past_side}")] += duration
    if side is not None and since is not None:
        figures[Figure(operators_day(since), Table.OPEN, (), side.value)] += 1
    return figures


def query_figures(product_id: str, queries: Iterable[Query]) -> Counter[Figure]:
    """Count the sent queries of one application, sorted by round. The queries of a round make up a return, which
    counts once for each of their reasons and each of their questions."""
    figures = Counter[Figure]()
    for _, group in groupby(queries, key=lambda query: query.round):
        returned = list(group)
        day = operators_day(returned[0].sent_at)
        reasons = Counter(query.reason for query in returned)
        questions = Counter[str]()
        keys: dict[str, tuple[str, ...]] = {}
        for query in returned:
            key = _question_key(query, product_id)
            keys[key[0]] = key
            questions[key[0]] += 1
        for reason, number in reasons.items():
            figures[Figure(day, Table.REASONS, (reason,), "returns")] += 1
            figures[Figure(day, Table.REASONS, (reason,), "queries")] += number
        for digest, number in questions.items():
            figures[Figure(day, Table.QUESTIONS, keys[digest], "returns")] += 1
            figures[Figure(day, Table.QUESTIONS, keys[digest], "queries")] += number
    return figures


def _question_key(query: Query, product_id: str) -> tuple[str, ...]:
    """Return the key of a query's question: a digest of form, kind and name; the form's product id, kind and label."""
    names = {TargetKind.SECTION.value: query.holder, TargetKind.PARTY.value: "", TargetKind.APPLICATION.value: ""}
    parts = (product_id, query.kind, names.get(query.kind, query.name))
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    label = _LABELS_BY_KIND.get(query.kind) or query.label or query.name
    return digest, product_id, query.kind, label


def to_json(figures: Counter[Figure]) -> list[list[Any]]:
    return [
        [day.isoformat(), str(table), list(key), column, number]
        for (day, table, key, column), number in figures.items()
        if number
    ]


def from_json(rows: Iterable[Any]) -> Counter[Figure]:
    figures = Counter[Figure]()
    for day, table, key, column, number in rows:
        figures[Figure(date.fromisoformat(day), table, tuple(key), column)] += number
    return figures
