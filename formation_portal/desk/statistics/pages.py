"""Build the tables of the statistics: open cases, throughput, reasons for returns, and durations.

A page shows the rows of the CSV, with bars and charts that are drawn on the server.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from formation_portal.reviews.models import QueryReason
from formation_portal.reviews.targets import TargetKind
from formation_portal.statistics.dimensions import Side, Span
from formation_portal.statistics.figures import TRANSITION_COLUMNS
from formation_portal.statistics.totals import Totals, quantile
from formation_portal.ui.charts import Swatch, swatch

from ..wording import numbered

SWATCHES = {side: swatch(place) for place, side in enumerate(Side)}
# The pieces of a bar: start, length, and colour.
Bar = tuple[tuple[str, str, Swatch], ...]

_MINUTE = 60
_HOUR = 3_600
_DAY = 86_400
_CHART_HEIGHT = 40
# The gap between two columns of a chart, as a part of a column's share.
_GAP = 0.2
_QUARTERS = (0.25, 0.5, 0.75)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table; `name` is its name in CSV."""

    name: str
    label: str
    is_number: bool = True
    swatch: Swatch | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """A value for the CSV, and its text for the page; `small` stands below it."""

    value: str | int | float | None
    text: str
    small: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A row, named by its first cell, with its bar, a stroke across it, and the colour of a legend."""

    cells: tuple[Cell, ...]
    bar: Bar | None = None
    stroke: str = ""
    swatch: Swatch | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table; `nothing` is the sentence in place of missing rows."""

    name: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    nothing: str

    @property
    def has_bars(self) -> bool:
        return any(row.bar is not None for row in self.rows)

    def lines(self) -> Iterator[Sequence[Any]]:
        """Yield the lines of the CSV, its head first."""
        yield [column.name for column in self.columns]
        for row in self.rows:
            yield [cell.value for cell in row.cells]


@dataclass(frozen=True, slots=True)
class Chart:
    """A column of counts as a small picture, the oldest on the left; `highest` is the count that fills its height."""

    label: str
    counts: tuple[int, ...]
    highest: int

    @property
    def total(self) -> str:
        return f"{sum(self.counts):,}"

    @property
    def pillars(self) -> Iterator[tuple[str, str, float, float]]:
        """Yield the left edge, width, upper edge and height of each count."""
        share = 1 / max(1, len(self.counts))
        for place, count in enumerate(self.counts):
            height = max(1.0, round(_CHART_HEIGHT * count / self.highest, 1)) if count else 0.0
            yield percent(place * share), percent(share * (1 - _GAP)), _CHART_HEIGHT - height, height


def charts(table: Table) -> list[Chart]:
    """Draw each column of counts, all to the same scale."""
    columns = []
    for place in range(1, len(table.columns)):
        values = [row.cells[place].value for row in reversed(table.rows)]
        columns.append(tuple(value for value in values if isinstance(value, int)))
    highest = max((count for column in columns for count in column), default=0)
    return [Chart(head.label, counts, highest) for head, counts in zip(table.columns[1:], columns, strict=True)]


def stacked_bar(lengths: Iterable[tuple[float, Swatch]], *, longest: float) -> Bar:
    """Draw pieces one after the other; `longest` is the length that fills the cell."""
    pieces = []
    start = 0.0
    for length, colour in lengths:
        if length > 0:
            pieces.append((percent(start / longest), percent(length / longest), colour))
            start += length
    return tuple(pieces)


def percent(part: float) -> str:
    """Format a length of SVG, which takes no other notation."""
    return f"{part * 100:.2f}".rstrip("0").rstrip(".") + "%"


def count_cell(number: int) -> Cell:
    """Return a number with separators; a dash for 0, so that the others stand out."""
    return Cell(number, f"{number:,}" if number else "–")


def text_cell(text: str, small: str = "") -> Cell:
    return Cell(text, text, small)


def duration_cell(seconds: float) -> Cell:
    """Return a duration in the unit that fits: 20 min, 5 h, 2.4 days; a dash for 0. The CSV has hours."""
    if not seconds:
        text = "–"
    elif seconds < _HOUR:
        text = f"{max(1, round(seconds / _MINUTE))}\u00a0min"
    elif seconds < 2 * _DAY:
        text = f"{round(seconds / _HOUR)}\u00a0h"
    else:
        text = f"{seconds / _DAY:,.1f}\u00a0days"
    return Cell(round(seconds / _HOUR, 2), text)


def ages(totals: Totals) -> Table:
    """Count the open cases by how long they have been with the side that has them now."""
    # The halves of the days that a case may wait for us; then overdue, twice and four times as long.
    overdue = settings.OVERDUE_DAYS
    firsts = sorted({0, 1, (overdue + 1) // 2, overdue, 2 * overdue, 4 * overdue})
    counted = {first: Counter[Side]() for first in firsts}
    for day, sides in totals.open_cases().items():
        # A day in the future, after the clock was put back, counts as today.
        age = max(0, (totals.today - day).days)
        counted[firsts[bisect_right(firsts, age) - 1]].update(sides)
    longest = max(counts.total() for counts in counted.values())
    rows: list[Row] = []
    for first, after in zip(firsts, (*firsts[1:], None), strict=True) if longest else ():
        counts = counted[first]
        cells = (
            text_cell(_days(first, after), "overdue with us" if first >= overdue else ""),
            *(count_cell(counts[side]) for side in Side),
            count_cell(counts.total()),
        )
        rows.append(Row(cells, stacked_bar([(counts[side], SWATCHES[side]) for side in Side], longest=longest)))
    return Table(
        "open",
        "Open cases by days waiting",
        (
            Column("days", "Days", is_number=False),
            *(Column(side.value, side.words, swatch=SWATCHES[side]) for side in Side),
            Column("together", "Total"),
        ),
        tuple(rows),
        "No open cases.",
    )


def _days(first: int, after: int | None) -> str:
    """Name the days from the first one to the last one before `after`."""
    if after is None:
        return f"{numbered(first, 'day')} or more"
    if after == first + 1:
        return numbered(first, "day") if first else "Today"
    return f"{first} to {numbered(after - 1, 'day')}"


def throughput(totals: Totals) -> Table:
    """Count the transitions in each week or month, the newest first."""
    period = totals.period
    transitions = totals.transitions()
    rows: list[Row] = []
    for start in reversed(period.starts(totals.today)) if transitions else ():
        name = f"{start:%B %Y}" if period.span is Span.MONTH else f"From {start.day} {start:%b %Y}"
        columns = transitions.get(start, {})
        counts = [count_cell(columns.get(column, 0)) for column in TRANSITION_COLUMNS.values()]
        rows.append(Row((Cell(start.isoformat(), name), *counts)))
    return Table(
        "throughput",
        f"Throughput by {period.span.value}",
        (
            Column(period.span.value, period.span.value.capitalize(), is_number=False),
            *(Column(name, name.capitalize()) for name in TRANSITION_COLUMNS.values()),
        ),
        tuple(rows),
        f"No submissions or decisions in the last {period.words}.",
    )


def questions(totals: Totals, *, at_most: int | None = None) -> Table:
    """Count returns and queries by question, the most frequent first."""
    # Answers, the most frequent kind, are not named.
    kinds = {kind.value: str(kind.label) for kind in (TargetKind.DOCUMENT, TargetKind.SECTION)}
    returns = []
    for total in totals.returns_by_question()[:at_most]:
        head = (text_cell(total.label, kinds.get(total.kind, "")), text_cell(total.product))
        returns.append((head, total.returns, total.queries))
    return Table(
        "questions",
        "Returns and queries by question",
        (Column("question", "Question", is_number=False), Column("form", "Form", is_number=False), *_RETURN_COLUMNS),
        _return_rows(returns),
        f"No returns with queries in the last {totals.period.words}.",
    )


def reasons(totals: Totals) -> Table:
    """Count returns and queries by reason, the most frequent first."""
    labels = dict(QueryReason.choices)
    returns = []
    for code, return_count, query_count in totals.returns_by_reason():
        returns.append(((text_cell(labels.get(code, code)),), return_count, query_count))
    return Table(
        "reasons",
        "Returns and queries by reason",
        (Column("reason", "Reason", is_number=False), *_RETURN_COLUMNS),
        _return_rows(returns),
        f"No returns with queries in the last {totals.period.words}.",
    )


_RETURN_COLUMNS = (Column("returns", "Returns"), Column("remarks", "Queries"))


def _return_rows(returns: Sequence[tuple[tuple[Cell, ...], int, int]]) -> tuple[Row, ...]:
    longest = max((return_count for _, return_count, _ in returns), default=1)
    rows = []
    for head, return_count, query_count in returns:
        cells = (*head, count_cell(return_count), count_cell(query_count))
        rows.append(Row(cells, stacked_bar([(return_count, swatch(0))], longest=longest)))
    return tuple(rows)


def times(totals: Totals) -> Table:
    """Tell how long closed cases were with each side, over the cases that were ever there."""
    counted = {side: counts for side, counts in totals.durations().items() if counts.total()}
    quarters = {side: [quantile(counts, part) for part in _QUARTERS] for side, counts in counted.items()}
    longest = max((third for *_, third in quarters.values()), default=0.0)
    rows: list[Row] = []
    for side, (first, median, third) in quarters.items():
        cells = (
            text_cell(side.words),
            count_cell(counted[side].total()),
            *map(duration_cell, (first, median, third)),
        )
        bar: Bar = ()
        stroke = ""
        if longest:
            bar = ((percent(first / longest), percent((third - first) / longest), SWATCHES[side]),)
            stroke = percent(median / longest)
        rows.append(Row(cells, bar, stroke, SWATCHES[side]))
    return Table(
        "times",
        "Time of closed cases with each side",
        (
            Column("where", "Side", is_number=False),
            Column("cases", "Cases"),
            Column("quarter_within_hours", "25% within"),
            Column("half_within_hours", "50% within"),
            Column("three_quarters_within_hours", "75% within"),
        ),
        tuple(rows),
        f"No cases closed in the last {totals.period.words}.",
    )


def products(totals: Totals, *, at_most: int | None = None) -> Table:
    """Return the mean duration of the closed cases of each product, the products with most cases first."""
    closings = [total for total in totals.closings() if total.cases][:at_most]
    means_of = [{side: spent / total.cases for side, spent in total.seconds.items()} for total in closings]
    longest = max((sum(means.values()) for means in means_of), default=0.0) or 1
    rows = []
    for total, means in zip(closings, means_of, strict=True):
        cells = (
            text_cell(total.name),
            text_cell(total.place),
            count_cell(total.cases),
            *(duration_cell(means[side]) for side in Side),
        )
        rows.append(Row(cells, stacked_bar([(means[side], SWATCHES[side]) for side in Side], longest=longest)))
    return Table(
        "products",
        "Average time of closed cases with each side, by company type",
        (
            Column("product", "Company type", is_number=False),
            Column("place", "Jurisdiction", is_number=False),
            Column("closed", "Closed"),
            *(Column(f"{side}_mean_hours", side.words, swatch=SWATCHES[side]) for side in Side),
        ),
        tuple(rows),
        f"No cases closed in the last {totals.period.words}.",
    )


TABLES: dict[str, Callable[[Totals], Table]] = {
    "open": ages,
    "throughput": throughput,
    "questions": questions,
    "reasons": reasons,
    "times": times,
    "products": products,
}
