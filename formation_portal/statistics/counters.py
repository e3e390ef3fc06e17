"""Single numbers in the tables of totals, and how they are added to."""

from collections import Counter
from enum import StrEnum
from typing import Any, NamedTuple

from django.apps.registry import Apps
from django.db.models import F

from .models import Turn


class TotalTable(StrEnum):
    """The tables of totals, by their models' names."""

    OPEN = "OpenDay"
    DEEDS = "DeedTotal"
    DURATIONS = "DurationTotal"
    CLOSINGS = "ClosingTotal"
    REASONS = "ReasonTotal"
    QUESTIONS = "QuestionTotal"


_KEY_COLUMNS: dict[TotalTable, tuple[str, ...]] = {
    TotalTable.OPEN: ("day",),
    TotalTable.DEEDS: ("span", "start"),
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


def increase(more: Counter[CounterKey], apps: Any) -> None:
    """Add to what stands there. One query a row, two more for a row that is new."""
    for (table, key), columns in _rows(more).items():
        model = apps.get_model("figures", table.value)
        names = dict(zip(_KEY_COLUMNS[table], key, strict=True))
        row, sums = model.objects.filter(**names), {name: F(name) + number for name, number in columns.items()}
        if not row.update(**sums):
            # Of two who make the same row at once the second waits for the first, and adds to its row.
            model.objects.bulk_create([model(**names)], ignore_conflicts=True)
            row.update(**sums)


def create(more: Counter[CounterKey], apps: Apps) -> None:
    """The same where the tables are empty, in few queries."""
    rows = _rows(more)
    for table in TotalTable:
        model, names = apps.get_model("figures", table.value), _KEY_COLUMNS[table]
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
        Turn.objects.bulk_create([Turn(pk=_LOCK_KEY)], ignore_conflicts=True)
        _lock_row()


def _lock_row() -> bool:
    return bool(Turn.objects.select_for_update().filter(pk=_LOCK_KEY).values_list("pk"))
