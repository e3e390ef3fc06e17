"""Build the tables of the statistics. A page shows the rows of the CSV, with bars and charts as SVG."""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.conf import settings

from formation_portal.reviews.models import QueryReason
from formation_portal.reviews.targets import TargetKind
from formation_portal.statistics.dimensions import Side, Span
from formation_portal.statistics.figures import TRANSITION_COLUMNS
from formation_portal.statistics.figures import Table as Figures
from formation_portal.statistics.totals import Totals, quantile
from formation_portal.ui.charts import Swatch, swatch

from ..wording import numbered

SWATCHES = {side: swatch(place) for place, side in enumerate(Side)}

_MINUTE = 60
_HOUR = 3_600
_DAY = 86_400
_CHART_HEIGHT = 40
# The gap between two bars of a chart, as a fraction of a bar's space.
_GAP = 0.2
_QUARTERS = (0.25, 0.5, 0.75)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table. `name` stands in the CSV."""

    name: str
    label: str
    is_number: bool = True
    swatch: Swatch | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """A value for the CSV, and its text for the page, with `small` text below."""

    value: str | int | float | None
    text: str
    small: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A row, named by its first cell. Its bar has adjacent `pieces` (length, and colour or None for a gap) and a mark
    at the length `stroke`; `swatch` is its colour in the legend."""

    cells: tuple[Cell, ...]
    pieces: tuple[tuple[float, Swatch | None], ...] = ()
    stroke: float = 0
    swatch: Swatch | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table. `nothing` is the sentence shown without rows."""

    name: str
    caption: str
    columns: tuple[Column, ...]
    rows: Sequence[Row]
    nothing: str

    @property
    def has_bars(self) -> bool:
        return any(row.pieces for row in self.rows)

    @property
    def drawn_rows(self) -> Iterator[tuple[Row, list[tuple[str, str, Swatch]], str]]:
        """Yield each row with its bar (start, length and colour of each piece) and the position of its stroke."""
        longest = max((sum(length for length, _ in row.pieces) for row in self.rows), default=0) or 1
        for row in self.rows:
            bar = []
            start = 0.0
            for length, colour in row.pieces:
                if length > 0 and colour:
                    bar.append((percent(start / longest), percent(length / longest), colour))
                start += length
            yield row, bar, percent(row.stroke / longest) if row.stroke else ""

    def lines(self) -> Iterator[Sequence[Any]]:
        yield [column.name for column in self.columns]
        for row in self.rows:
            yield [cell.value for cell in row.cells]


def charts(table: Table) -> list[tuple[str, str, list[tuple[str, str, float, float]]]]:
    """Draw a bar chart of each column, all to one scale: its label, its total, and the left edge, width, top and height
    of each bar, oldest first."""
    if not table.rows:
        return []
    counts_by_label = {}
    for place, column in enumerate(table.columns[1:], 1):
        counts_by_label[column.label] = [int(row.cells[place].value or 0) for row in reversed(table.rows)]
    highest = max(map(max, counts_by_label.values()))
    share = 1 / len(table.rows)
    drawn = []
    for label, counts in counts_by_label.items():
        pillars = []
        for place, count in enumerate(counts):
            height = 0.0
            if count:
                height = max(1.0, round(_CHART_HEIGHT * count / highest, 1))
            pillars.append((percent(place * share), percent(share * (1 - _GAP)), _CHART_HEIGHT - height, height))
        drawn.append((label, f"{sum(counts):,}", pillars))
    return drawn


def percent(part: float) -> str:
    """Format a fraction as a percentage for SVG."""
    return f"{part * 100:.2f}".rstrip("0").rstrip(".") + "%"


def count_cell(number: int) -> Cell:
    """Return a number with separators; a dash for 0, so that other numbers stand out."""
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
    """Count the open cases by the days that each has been with its present side."""
    # Bounds in days: half the time until overdue, that time, twice and four times as long.
    overdue = settings.OVERDUE_DAYS
    firsts = sorted({0, 1, (overdue + 1) // 2, overdue, 2 * overdue, 4 * overdue})
    counted: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for (day,), columns in totals.rows(Figures.OPEN).items():
        # If the clock was put back, a day in the future counts as today.
        age = max(0, (totals.today - date.fromisoformat(day)).days)
        counted[firsts[bisect_right(firsts, age) - 1]].update(columns)
    rows = []
    for first, after in zip(firsts, (*firsts[1:], None), strict=True):
        counts = counted[first]
        note = ""
        if first >= overdue:
            note = "overdue with us"
        cells = [text_cell(_days(first, after), note)]
        pieces = []
        for side in Side:
            cells.append(count_cell(counts[side]))
            pieces.append((counts[side], SWATCHES[side]))
        rows.append(Row((*cells, count_cell(counts.total())), tuple(pieces)))
    return Table(
        "open",
        "Open cases by days waiting",
        (
            Column("days", "Days", is_number=False),
            *(Column(side.value, side.label, swatch=SWATCHES[side]) for side in Side),
            Column("together", "Total"),
        ),
        rows if any(counts.total() for counts in counted.values()) else [],
        "No open cases.",
    )


def _days(first: int, after: int | None) -> str:
    """Name the days from `first` up to the day before `after`."""
    if after is None:
        return f"{numbered(first, 'day')} or more"
    if after == first + 1:
        return numbered(first, "day") if first else "Today"
    return f"{first} to {numbered(after - 1, 'day')}"


def throughput(totals: Totals) -> Table:
    """Count the transitions in each week or month, the newest first."""
    period = totals.period
    transitions = totals.rows(Figures.TRANSITIONS)
    rows = []
    for start in reversed(period.starts(totals.today)) if transitions else ():
        name = f"{start:%B %Y}" if period.span is Span.MONTH else f"From {start.day} {start:%b %Y}"
        columns = transitions.get((start.isoformat(),), {})
        counts = [count_cell(columns.get(column, 0)) for column in TRANSITION_COLUMNS.values()]
        rows.append(Row((Cell(start.isoformat(), name), *counts)))
    return Table(
        "throughput",
        f"Throughput by {period.span.value}",
        (
            Column(period.span.value, period.span.value.capitalize(), is_number=False),
            *(Column(name, name.capitalize()) for name in TRANSITION_COLUMNS.values()),
        ),
        rows,
        f"No submissions or decisions in the last {period.label}.",
    )


def questions(totals: Totals, *, at_most: int | None = None) -> Table:
    # The most frequent kind, answers, has no label.
    kinds = {kind.value: str(kind.label) for kind in (TargetKind.DOCUMENT, TargetKind.SECTION)}
    rows = []
    for (_, product_id, kind, label), returns, queries in totals.returns(Figures.QUESTIONS)[:at_most]:
        product, _ = totals.products.get(product_id, (product_id, ""))
        rows.append(_return_row((text_cell(label, kinds.get(kind, "")), text_cell(product)), returns, queries))
    columns = (Column("question", "Question", is_number=False), Column("form", "Form", is_number=False))
    return _return_table(totals, "question", columns, rows)


def reasons(totals: Totals) -> Table:
    labels = dict(QueryReason.choices)
    rows = []
    for (code,), returns, queries in totals.returns(Figures.REASONS):
        rows.append(_return_row((text_cell(labels.get(code, code)),), returns, queries))
    return _return_table(totals, "reason", (Column("reason", "Reason", is_number=False),), rows)


def _return_row(head: tuple[Cell, ...], returns: int, queries: int) -> Row:
    return Row((*head, count_cell(returns), count_cell(queries)), ((returns, swatch(0)),))


def _return_table(totals: Totals, kind: str, columns: tuple[Column, ...], rows: list[Row]) -> Table:
    return Table(
        f"{kind}s",
        f"Returns and queries by {kind}",
        (*columns, Column("returns", "Returns"), Column("remarks", "Queries")),
        rows,
        f"No returns with queries in the last {totals.period.label}.",
    )


def times(totals: Totals) -> Table:
    """Tell how long closed cases were with each side, without the cases that never were with that side."""
    rows = []
    for side, counts in totals.durations().items():
        if counts.total():
            first, median, third = (quantile(counts, part) for part in _QUARTERS)
            cells = (text_cell(side.label), count_cell(counts.total()), *map(duration_cell, (first, median, third)))
            rows.append(Row(cells, ((first, None), (third - first, SWATCHES[side])), median, SWATCHES[side]))
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
        rows,
        f"No cases closed in the last {totals.period.label}.",
    )


def products(totals: Totals, *, at_most: int | None = None) -> Table:
    """Tell how long the closed cases of each product were with each side on average; most cases first."""
    rows = []
    for cases, name, place, seconds in totals.closings()[:at_most]:
        cells = [text_cell(name), text_cell(place), count_cell(cases)]
        pieces = []
        for side in Side:
            mean = seconds[side] / cases
            cells.append(duration_cell(mean))
            pieces.append((mean, SWATCHES[side]))
        rows.append(Row(tuple(cells), tuple(pieces)))
    return Table(
        "products",
        "Average time of closed cases with each side, by company type",
        (
            Column("product", "Company type", is_number=False),
            Column("place", "Jurisdiction", is_number=False),
            Column("closed", "Closed"),
            *(Column(f"{side}_mean_hours", side.label, swatch=SWATCHES[side]) for side in Side),
        ),
        rows,
        f"No cases closed in the last {totals.period.label}.",
    )


TABLES: dict[str, Callable[[Totals], Table]] = {
    "open": ages,
    "throughput": throughput,
    "questions": questions,
    "reasons": reasons,
    "times": times,
    "products": products,
}
