"""What the totals should be, worked out anew and slowly from the history, by other code than that which counts."""

from collections import defaultdict
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

from django.db.models import Model
from django.utils import timezone

from formation_portal.applications.models import Application, Change
from formation_portal.statistics.dimensions import BUCKET_BOUNDS
from formation_portal.statistics.models import ClosingTotal, DurationTotal, OpenDay, TransitionTotal

Table = dict[tuple[Any, ...], dict[str, int]]
_DONE = {
    "submitted_for_review": "submitted",
    "returned_for_changes": "returned",
    "submitted_to_csp": "approved",
    "rejected": "declined",
    "incorporated": "incorporated",
    "withdrawn": "withdrawn",
}
_WHERE = {
    "submitted_for_review": "with_us",
    "in_review": "with_us",
    "returned_for_changes": "with_customer",
    "submitted_to_csp": "with_registry",
}


def recounted() -> dict[str, Table]:
    """Each table as the history has it."""
    tables: dict[str, Table] = {name: defaultdict(lambda: defaultdict(int)) for name in _KEYS}
    for application in Application.objects.filter(deleted_at=None).exclude(submitted_at=None):
        _recount(application, tables)
    return {name: _plain(table) for name, table in tables.items()}


def counted() -> dict[str, Table]:
    """Each table as it stands."""
    return {name: _read(model, keys) for name, (model, keys) in _KEYS.items()}


def _recount(application: Application, tables: dict[str, Table]) -> None:
    moves = [(move.moved_to, move.at) for move in Change.objects.filter(application=application).order_by("pk")]
    moves = [move for move in moves if move[0]]
    stays: list[list[Any]] = []
    for state, at in moves:
        if state in _DONE:
            for key in _spans(timezone.localdate(at)):
                tables["deeds"][key][_DONE[state]] += 1
        if not stays or stays[-1][0] != _WHERE.get(state):
            stays.append([_WHERE.get(state), at])
    if stays[-1][0]:
        tables["open"][(timezone.localdate(stays[-1][1]),)][stays[-1][0]] += 1
        return
    spent: dict[str, int] = {}
    for (where, since), (_, until) in pairwise(stays):
        spent[where] = spent.get(where, 0) + max(0, int((until - since) // timedelta(seconds=1)))
    for key in _spans(timezone.localdate(stays[-1][1])):
        for where, seconds in spent.items():
            bucket = sum(bound <= seconds for bound in BUCKET_BOUNDS)
            tables["durations"][(*key, bucket)][where] += 1
            tables["closings"][(*key, application.product_id)][f"cases_{where}"] += 1
            tables["closings"][(*key, application.product_id)][f"seconds_{where}"] += seconds


def _spans(day: date) -> list[tuple[str, date]]:
    return [("week", day - timedelta(days=day.isoweekday() - 1)), ("month", date(day.year, day.month, 1))]


_KEYS: dict[str, tuple[type[Model], tuple[str, ...]]] = {
    "open": (OpenDay, ("day",)),
    "deeds": (TransitionTotal, ("span", "start")),
    "durations": (DurationTotal, ("span", "start", "bucket")),
    "closings": (ClosingTotal, ("span", "start", "form_id")),
}


def _read(model: type[Model], keys: tuple[str, ...]) -> Table:
    columns = [field.attname for field in model._meta.concrete_fields if field.attname not in (*keys, "id")]
    rows = model._default_manager.all()
    return _plain(
        {tuple(getattr(row, key) for key in keys): {one: getattr(row, one) for one in columns} for row in rows}
    )


def _plain(table: Table) -> Table:
    """Without what is zero."""
    filled = {key: {name: number for name, number in row.items() if number} for key, row in table.items()}
    return {key: row for key, row in filled.items() if row}
