"""Count and cache the totals of a period for the desk's page, from the history and reviewers' queries."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Any, Self

from django.core.cache import cache
from django.db.models import Max, Q
from django.utils import timezone

from formation_portal.applications.models import Application, Change
from formation_portal.contract.lifecycle import FINAL
from formation_portal.reviews.models import Query

from .dimensions import BUCKET_BOUNDS, Period, Side
from .figures import Figure, Table, case_figures, from_json, query_figures
from .models import ErasedFigures

_CACHE_SECONDS = 5 * 60

# A total as JSON: its table, the key of its row, its column, and the number.
Cell = list[Any]


@dataclass(frozen=True, slots=True)
class Totals:
    """The totals of a period that ends today. `products` maps product ids to names and jurisdictions."""

    period: Period
    today: date
    counted_at: datetime
    cells: list[Cell]
    products: dict[str, list[str]]

    @classmethod
    def get(cls, period: Period, today: date) -> Self:
        """Return the cached totals, or count the totals by four SQL queries and cache them."""
        key = f"statistics:{period.name}:{today.isoformat()}"
        if stored := cache.get(key):
            return cls(period, today, datetime.fromisoformat(stored["at"]), stored["cells"], stored["products"])
        totals = cls(period, today, timezone.now(), _count_cells(period, today), _product_names())
        stored = {"at": totals.counted_at.isoformat(), "cells": totals.cells, "products": totals.products}
        cache.set(key, stored, _CACHE_SECONDS)
        return totals

    def durations(self) -> dict[Side, Counter[int]]:
        """Return for each side how many closed cases are in each bucket of the time spent with that side."""
        durations: dict[Side, Counter[int]] = {side: Counter() for side in Side}
        for (bucket,), columns in self.rows(Table.DURATIONS).items():
            for side, number in columns.items():
                durations[Side(side)][int(bucket)] = number
        return durations

    def closings(self) -> list[tuple[int, str, str, dict[Side, int]]]:
        """Return each product's number of closed cases, name, jurisdiction and seconds with each side; most cases
        first. Every case was with us, so our column counts all."""
        closings = []
        for (product_id,), columns in self.rows(Table.CLOSINGS).items():
            if cases := columns.get(f"cases_{Side.US}"):
                name, place = self.products.get(product_id, (product_id, ""))
                seconds = {side: columns.get(f"seconds_{side}", 0) for side in Side}
                closings.append((cases, name, place, seconds))
        return sorted(closings, key=lambda closing: (-closing[0], *closing[1:3]))

    def returns(self, table: Table) -> list[tuple[tuple[str, ...], int, int]]:
        """Return the key of each reason or question with its numbers of returns and queries, most returns first."""
        returns = []
        for key, columns in self.rows(table).items():
            returns.append((key, columns.get("returns", 0), columns.get("queries", 0)))
        return sorted(returns, key=lambda row: (-row[1], -row[2]))

    def rows(self, table: Table) -> dict[tuple[str, ...], dict[str, int]]:
        """Return a table's rows by their keys (such as a day, or the first day of a span): number by column."""
        rows: dict[tuple[str, ...], dict[str, int]] = {}
        for name, key, column, number in self.cells:
            if name == table:
                rows.setdefault(tuple(key), {})[column] = number
        return rows


def quantile(counts: Mapping[int, int], part: float) -> float:
    """Return the seconds that a `part` (such as 0.5) of the durations do not exceed, as if each bucket of `counts`
    were evenly filled. Raises ValueError if no duration was counted."""
    remaining = part * sum(counts.values())
    for bucket, count in sorted(counts.items()):
        if remaining <= count and count:
            low = BUCKET_BOUNDS[bucket - 1] if bucket else 0
            # The last bucket is unbounded.
            high = BUCKET_BOUNDS[bucket] if bucket < len(BUCKET_BOUNDS) else low
            return low + (high - low) * remaining / count
        remaining -= count
    raise ValueError("No duration was counted")


def _count_cells(period: Period, today: date) -> list[Cell]:
    starts = period.starts(today)
    figures = _figures_since(starts[0])
    question_keys: dict[str, tuple[str, ...]] = {}
    for figure in sorted(figures, key=attrgetter("day")):
        if figure.table == Table.QUESTIONS:
            # Each question has the label of its latest query.
            question_keys[figure.key[0]] = figure.key
    cells = Counter[tuple[str, tuple[str, ...], str]]()
    for (day, table, key, column), number in figures.items():
        start = period.span.start_of(day)
        if table == Table.OPEN:
            cells[table, (day.isoformat(),), column] += number
        elif start not in starts:
            continue
        elif table == Table.TRANSITIONS:
            cells[table, (start.isoformat(),), column] += number
        elif table == Table.QUESTIONS:
            cells[table, question_keys[key[0]], column] += number
        else:
            cells[table, key, column] += number
    return [[table, list(key), column, number] for (table, key, column), number in cells.items() if number]


def _figures_since(first: date) -> Counter[Figure]:
    """Count the figures of every case that is open or has changed since a day. Three SQL queries."""
    start = timezone.make_aware(datetime.combine(first, time.min))
    figures = Counter[Figure]()
    for erased in ErasedFigures.objects.filter(last_day__gte=first):
        figures.update(from_json(erased.figures))
    submitted = Application.objects.filter(deleted_at=None).exclude(submitted_at=None)
    applications = submitted.filter(~Q(state__in=FINAL) | Q(updated_at__gte=start))
    moves = Change.objects.exclude(moved_to="").filter(application__in=applications).order_by("application", "pk")
    columns = moves.values_list("application_id", "application__product_id", "moved_to", "at")
    for (_, product_id), rows in groupby(columns.iterator(), key=itemgetter(0, 1)):
        figures.update(case_figures(product_id, (row[2:] for row in rows)))
    names = ("kind", "holder", "name", "label", "row", "reason", "round", "sent_at", "application__product_id")
    queries = Query.objects.filter(sent_at__gte=start).select_related("application").only(*names)
    queries = queries.order_by("application", "round", "pk")
    for application, group in groupby(queries.iterator(), key=attrgetter("application")):
        figures.update(query_figures(application.product_id, group))
    return figures


def _product_names() -> dict[str, list[str]]:
    """Return the name and jurisdiction of each product, by its id, as its latest application has them."""
    submitted = Application.objects.exclude(submitted_at=None)
    latest = submitted.values("product_id").annotate(latest=Max("pk")).values("latest")
    names: dict[str, list[str]] = {}
    for product_id, product in Application.objects.filter(pk__in=latest).values_list("product_id", "product"):
        name = product.get("product", {}).get("name", "")
        names[product_id] = [name, product.get("jurisdiction", {}).get("name", "")]
    return names
