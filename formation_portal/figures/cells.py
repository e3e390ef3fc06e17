"""Single numbers in the tables of totals, and how they are added to."""

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from django.apps.registry import Apps
from django.db.models import F


class Table(StrEnum):
    """The tables of totals, by their models' names."""

    OPEN = "OpenDay"
    DEEDS = "DeedTotal"
    DURATIONS = "DurationTotal"
    CLOSINGS = "ClosingTotal"
    REASONS = "ReasonTotal"
    QUESTIONS = "QuestionTotal"


_KEYS: dict[Table, tuple[str, ...]] = {
    Table.OPEN: ("day",),
    Table.DEEDS: ("span", "start"),
    Table.DURATIONS: ("span", "start", "bucket"),
    Table.CLOSINGS: ("span", "start", "form_id"),
    Table.REASONS: ("span", "start", "reason"),
    Table.QUESTIONS: ("span", "start", "question_id"),
}


class Cell(NamedTuple):
    """One number: its table, its row's key and its column."""

    table: Table
    key: tuple[Any, ...]
    column: str


def add(more: Counter[Cell], apps: Any) -> None:
    """Add to what stands there. One query a row, two more for a row that is new."""
    for (table, key), columns in _rows(more).items():
        _add(apps.get_model("figures", table.value), dict(zip(_KEYS[table], key, strict=True)), columns)


def put(more: Counter[Cell], apps: Apps) -> None:
    """The same where the tables are empty, in few queries."""
    rows = _rows(more)
    for table in Table:
        model, names = apps.get_model("figures", table.value), _KEYS[table]
        made = (
            model(**dict(zip(names, key, strict=True)), **columns)
            for (one, key), columns in rows.items()
            if one is table
        )
        model._default_manager.bulk_create(made, batch_size=500)


def _rows(more: Counter[Cell]) -> dict[tuple[Table, tuple[Any, ...]], dict[str, int]]:
    order = list(Table)
    rows: dict[tuple[Table, tuple[Any, ...]], dict[str, int]] = {}
    for cell, number in sorted(more.items(), key=lambda one: (order.index(one[0].table), *one[0][1:])):
        if number:
            rows.setdefault((cell.table, cell.key), {})[cell.column] = number
    return rows


def _add(model: Any, key: Mapping[str, Any], columns: Mapping[str, int]) -> None:
    """Of two who make the same row at once the second waits for the first, and adds to its row."""
    row, sums = model.objects.filter(**key), {name: F(name) + number for name, number in columns.items()}
    if not row.update(**sums):
        model.objects.bulk_create([model(**key)], ignore_conflicts=True)
        row.update(**sums)
