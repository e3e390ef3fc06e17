"""What the totals should be, worked out slowly from the history, by other code than that which counts."""

from collections import defaultdict
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

from django.core.cache import cache
from django.utils import timezone

from formation_portal.applications.models import Application, Change
from formation_portal.statistics.dimensions import BUCKET_BOUNDS, PERIODS, Period, Span
from formation_portal.statistics.totals import Totals

Table = dict[tuple[str, ...], dict[str, int]]
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


def fresh_totals(period: int = 0) -> Totals:
    """Count the totals of one of the three periods again."""
    cache.clear()
    return Totals.get(PERIODS[period], timezone.localdate())


def counted(span: str = "month") -> dict[str, Table]:
    """Count every table over a period that holds all there is, and a clock that was put back."""
    cache.clear()
    totals = Totals.get(Period("all", "ever", Span(span), 500), timezone.localdate() + timedelta(days=40))
    tables: dict[str, Table] = defaultdict(dict)
    for table, key, column, number in totals.cells:
        tables[table].setdefault(tuple(key), {})[column] = number
    return dict(tables)


def recounted(span: str = "month") -> dict[str, Table]:
    """Work the tables of transitions and times out from the history."""
    tables: dict[str, Table] = defaultdict(lambda: defaultdict(lambda: defaultdict(int)))
    for application in Application.objects.filter(deleted_at=None).exclude(submitted_at=None):
        _recount(application, tables, span)
    return {name: _plain(table) for name, table in tables.items() if _plain(table)}


def _recount(application: Application, tables: dict[str, Table], span: str) -> None:
    moves = [(move.moved_to, move.at) for move in Change.objects.filter(application=application).order_by("pk")]
    moves = [move for move in moves if move[0]]
    stays: list[list[Any]] = []
    for state, at in moves:
        if state in _DONE:
            tables["transitions"][(_start(span, timezone.localdate(at)),)][_DONE[state]] += 1
        if not stays or stays[-1][0] != _WHERE.get(state):
            stays.append([_WHERE.get(state), at])
    if stays[-1][0]:
        tables["open"][(timezone.localdate(stays[-1][1]).isoformat(),)][stays[-1][0]] += 1
        return
    spent: dict[str, int] = {}
    for (where, since), (_, until) in pairwise(stays):
        spent[where] = spent.get(where, 0) + max(0, int((until - since) // timedelta(seconds=1)))
    for where, seconds in spent.items():
        bucket = sum(bound <= seconds for bound in BUCKET_BOUNDS)
        tables["durations"][(str(bucket),)][where] += 1
        tables["closings"][(application.product_id,)][f"cases_{where}"] += 1
        tables["closings"][(application.product_id,)][f"seconds_{where}"] += seconds


def _start(span: str, day: date) -> str:
    monday = day - timedelta(days=day.isoweekday() - 1)
    return (monday if span == "week" else date(day.year, day.month, 1)).isoformat()


def _plain(table: Table) -> Table:
    """Without what is zero."""
    filled = {key: {name: number for name, number in row.items() if number} for key, row in table.items()}
    return {key: row for key, row in filled.items() if row}
