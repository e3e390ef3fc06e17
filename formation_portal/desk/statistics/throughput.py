"""What was done in each week or month: a table, and a row of columns for each deed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from formation_portal.statistics import totals
from formation_portal.statistics.dimensions import Period, Span
from formation_portal.statistics.increments import TRANSITION_COLUMNS
from formation_portal.statistics.models import DeedTotal

from .tables import Cell, Column, Row, Table, count_cell, percent

HEIGHT = 40
# What lies between two columns, as a part of what one takes.
_GAP = 0.2


@dataclass(frozen=True, slots=True)
class ChartBar:
    """One week or month of a deed; the last one has not ended yet."""

    x: str
    width: str
    y: float
    height: float
    is_running: bool


@dataclass(frozen=True, slots=True)
class Chart:
    """One deed: how often it was done, and when."""

    label: str
    total: str
    pillars: tuple[ChartBar, ...]


def throughput(period: Period, today: date) -> Table:
    """The newest first. One query."""
    found = totals.transitions(period, today)
    spans = [(start, found.get(start, DeedTotal())) for start in reversed(period.starts(today))]
    head = Column(period.span.value, period.span.value.capitalize(), is_number=False)
    rows: list[Row] = []
    for start, total in spans if found else ():
        words = f"{start:%B %Y}" if period.span is Span.MONTH else f"From {start.day} {start:%b %Y}"
        counts = [count_cell(getattr(total, deed)) for deed in TRANSITION_COLUMNS.values()]
        rows.append(Row((Cell(start.isoformat(), words), *counts)))
    return Table(
        "throughput",
        f"Throughput by {period.span.value}",
        (head, *(Column(deed, deed.capitalize()) for deed in TRANSITION_COLUMNS.values())),
        tuple(rows),
        f"No submissions or decisions in the last {period.words}.",
    )


def charts(table: Table) -> tuple[Chart, ...]:
    """A picture of each column, the oldest on the left, all to the same scale."""
    columns = [[_number(row, place) for row in reversed(table.rows)] for place in range(1, len(table.columns))]
    highest = max((number for column in columns for number in column), default=0)
    return tuple(
        Chart(head.label, f"{sum(column):,}", _chart_bars(column, highest))
        for head, column in zip(table.columns[1:], columns, strict=True)
    )


def _number(row: Row, place: int) -> int:
    value = row.cells[place].value
    return value if isinstance(value, int) else 0


def _chart_bars(numbers: Sequence[int], highest: int) -> tuple[ChartBar, ...]:
    each = 1 / max(1, len(numbers))
    drawn = []
    for place, number in enumerate(numbers):
        height = max(1.0, round(HEIGHT * number / highest, 1)) if number else 0.0
        is_running = place == len(numbers) - 1
        drawn.append(ChartBar(percent(place * each), percent(each * (1 - _GAP)), HEIGHT - height, height, is_running))
    return tuple(drawn)
