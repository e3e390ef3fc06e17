"""Counting: what a transition of an application, and the queries of a return, add to the totals, in their transaction.

`count_transition` and `count_queries` are called from `core/subscribers.py`. What is added is computed without the
database, so that the backfill of before computes the same.
"""

import hashlib
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

from django.apps import apps
from django.apps.registry import Apps
from django.db.models import F
from django.utils import timezone

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import FINAL, State
from formation_portal.contract.localisation import stored_words
from formation_portal.reviews.models import Query
from formation_portal.reviews.targets import TargetKind

from .dimensions import Side, Span, bucket_of, side_of
from .models import CaseClock, CountingLock, Form, Question

# The column that counts the deeds that lead to a state.
TRANSITION_COLUMNS = {
    State.SUBMITTED_FOR_REVIEW: "submitted",
    State.RETURNED_FOR_CHANGES: "returned",
    State.SUBMITTED_TO_CSP: "approved",
    State.REJECTED: "declined",
    State.INCORPORATED: "incorporated",
    State.WITHDRAWN: "withdrawn",
}


class TotalTable(StrEnum):
    """The tables of totals, by their models' names."""

    OPEN = "OpenDay"
    TRANSITIONS = "TransitionTotal"
    DURATIONS = "DurationTotal"
    CLOSINGS = "ClosingTotal"
    REASONS = "ReasonTotal"
    QUESTIONS = "QuestionTotal"


_KEY_COLUMNS: dict[TotalTable, tuple[str, ...]] = {
    TotalTable.OPEN: ("day",),
    TotalTable.TRANSITIONS: ("span", "start"),
    TotalTable.DURATIONS: ("span", "start", "bucket"),
    TotalTable.CLOSINGS: ("span", "start", "form_id"),
    TotalTable.REASONS: ("span", "start", "reason"),
    TotalTable.QUESTIONS: ("span", "start", "question_id"),
}


class CounterKey(NamedTuple):
    """One number: its table, its row's key and its column."""

    table: TotalTable
    key: tuple[Any, ...]
    column: str


def count_transition(draft: Draft) -> None:
    """Some seven queries for a move, and ten more for one that closes the case. A deleted draft was no case."""
    application = draft.application
    if application.submitted_at is None or application.deleted_at is not None:
        return
    lock_totals()
    change = next(one for one in reversed(draft.new_changes) if one.moved_to)
    clock = CaseClock.objects.filter(pk=application.pk).first() or CaseClock(application=application)
    more = transition_increments(State(change.moved_to), change.at, clock=clock, form=application.product_id)
    clock.save()
    if application.status in FINAL:
        _store_form(application)
    increase(more)


def count_queries(draft: Draft, queries: list[Query]) -> None:
    """The queries of a return, by reason and by question."""
    if not queries:
        return
    lock_totals()
    application = draft.application
    _store_form(application)
    questions = _store_questions(queries, application.product_id)
    increase(query_increments(queries, form=application.product_id, questions=questions))


def _store_form(application: Application) -> None:
    """What the product is called by now."""
    form = Form(
        product_id=application.product_id,
        name=stored_words(application.product_name),
        place=stored_words(application.jurisdiction_name),
    )
    names = ["name", "place"]
    Form.objects.bulk_create([form], update_conflicts=True, update_fields=names, unique_fields=["product_id"])


def _store_questions(queries: list[Query], form: str) -> dict[str, int]:
    """What the questions are called by now, and their numbers by their digests."""
    found = {
        question_digest(one, form): Question(form_id=form, kind=one.kind, words=question_text(one)) for one in queries
    }
    for digest, question in found.items():
        question.digest = digest
    Question.objects.bulk_create(
        found.values(), update_conflicts=True, update_fields=["words"], unique_fields=["digest"]
    )
    return dict(Question.objects.filter(digest__in=found).values_list("digest", "pk"))


def transition_increments(state: State, at: datetime, *, clock: Any, form: str) -> Counter[CounterKey]:
    """What the move adds; the clock goes on. `clock` is a CaseClock, which a migration knows without its class."""
    day, more = timezone.localdate(at), Counter[CounterKey]()
    if state in TRANSITION_COLUMNS:
        for span in Span:
            more[CounterKey(TotalTable.TRANSITIONS, (span.value, span.start_of(day)), TRANSITION_COLUMNS[state])] += 1
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


def increase(more: Counter[CounterKey]) -> None:
    """Add to what stands there. One query a row, two more for a row that is new."""
    for (table, key), columns in _rows(more).items():
        model = apps.get_model("figures", table.value)
        names = dict(zip(_KEY_COLUMNS[table], key, strict=True))
        row, sums = model.objects.filter(**names), {name: F(name) + number for name, number in columns.items()}
        if not row.update(**sums):
            # Of two who make the same row at once the second waits for the first, and adds to its row.
            model.objects.bulk_create([model(**names)], ignore_conflicts=True)
            row.update(**sums)


def create(more: Counter[CounterKey], registry: Apps) -> None:
    """The same where the tables are empty, in few queries."""
    rows = _rows(more)
    for table in TotalTable:
        model, names = registry.get_model("figures", table.value), _KEY_COLUMNS[table]
        made = (
            model(**dict(zip(names, key, strict=True)), **columns)
            for (one, key), columns in rows.items()
            if one is table
        )
        model._default_manager.bulk_create(made, batch_size=500)


def _rows(more: Counter[CounterKey]) -> dict[tuple[TotalTable, tuple[Any, ...]], dict[str, int]]:
    order = list(TotalTable)
    rows: dict[tuple[TotalTable, tuple[Any, ...]], dict[str, int]] = {}
    for cell, number in sorted(more.items(), key=lambda one: (order.index(one[0].table), *one[0][1:])):
        if number:
            rows.setdefault((cell.table, cell.key), {})[cell.column] = number
    return rows


_LOCK_KEY = 1


def lock_totals() -> None:
    """Wait until nobody else counts. One query, and two more the first time of all."""
    if not _lock_row():
        CountingLock.objects.bulk_create([CountingLock(pk=_LOCK_KEY)], ignore_conflicts=True)
        _lock_row()


def _lock_row() -> bool:
    return bool(CountingLock.objects.select_for_update().filter(pk=_LOCK_KEY).values_list("pk"))
