"""The tables of the statistics: open cases, what was done, why applications went back, and how long cases took. A page
shows the same rows as CSV has, with bars and charts that are drawn on the server.
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
# The pieces of a bar: where each begins, how long it is, and what it is drawn with.
Bar = tuple[tuple[str, str, Swatch], ...]

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_CHART_HEIGHT = 40
# What lies between two columns of a chart, as a part of what one takes.
_GAP = 0.2
_QUARTERS = (0.25, 0.5, 0.75)


@dataclass(frozen=True, slots=True)
class Column:
    """What stands in a column; `name` is its name in CSV."""

    name: str
    label: str
    is_number: bool = True
    swatch: Swatch | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """One value as CSV has it, and in words; `small` stands below them."""

    value: str | int | float | None
    words: str
    small: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One row, whose first cell names it, with its bar and a stroke across; the swatch says what it is drawn with."""

    cells: tuple[Cell, ...]
    bar: Bar | None = None
    stroke: str = ""
    swatch: Swatch | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table; `nothing` is what the page says where it has no rows."""

    name: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    nothing: str

    @property
    def has_bars(self) -> bool:
        """Whether its rows have any."""
        return any(row.bar is not None for row in self.rows)

    def lines(self) -> Iterator[Sequence[Any]]:
        """As CSV has it, its head first."""
        yield [column.name for column in self.columns]
        for row in self.rows:
            yield [cell.value for cell in row.cells]


@dataclass(frozen=True, slots=True)
class Chart:
    """A column of counts as a small picture, the oldest on the left; `highest` is what would fill its height."""

    label: str
    counts: tuple[int, ...]
    highest: int

    @property
    def total(self) -> str:
        """All of them together."""
        return f"{sum(self.counts):,}"

    @property
    def pillars(self) -> Iterator[tuple[str, str, float, float]]:
        """Of each count the left edge, the width, the upper edge and the height."""
        each = 1 / max(1, len(self.counts))
        for place, count in enumerate(self.counts):
            height = max(1.0, round(_CHART_HEIGHT * count / self.highest, 1)) if count else 0.0
            yield percent(place * each), percent(each * (1 - _GAP)), _CHART_HEIGHT - height, height


def charts(table: Table) -> list[Chart]:
    """A picture of each column of counts, all to the same scale."""
    columns = [
        tuple(count for row in reversed(table.rows) if isinstance(count := row.cells[place].value, int))
        for place in range(1, len(table.columns))
    ]
    highest = max((count for column in columns for count in column), default=0)
    return [Chart(head.label, counts, highest) for head, counts in zip(table.columns[1:], columns, strict=True)]


def stacked_bar(lengths: Iterable[tuple[float, Swatch]], *, longest: float) -> Bar:
    """Pieces one after the other; `longest` is what would fill the cell."""
    pieces, start = [], 0.0
    for length, fill in lengths:
        if length > 0:
            pieces.append((percent(start / longest), percent(length / longest), fill))
            start += length
    return tuple(pieces)


def percent(part: float) -> str:
    """A length of SVG, which knows no other notation than this."""
    return f"{part * 100:.2f}".rstrip("0").rstrip(".") + "%"


def count_cell(number: int) -> Cell:
    """A number as people read it; none is a dash, so that the eye finds the others."""
    return Cell(number, f"{number:,}" if number else "–")


def text_cell(words: str, small: str = "") -> Cell:
    """Words that CSV has too."""
    return Cell(words, words, small)


def duration_cell(seconds: float) -> Cell:
    """In the unit that fits: 20 min, 5 h, 2.4 days; a dash for none. CSV has hours."""
    words = f"{seconds / _DAY:,.1f}\u00a0days"
    if not seconds:
        words = "–"
    elif seconds < _HOUR:
        words = f"{max(1, round(seconds / _MINUTE))}\u00a0min"
    elif seconds < 2 * _DAY:
        words = f"{round(seconds / _HOUR)}\u00a0h"
    return Cell(round(seconds / _HOUR, 2), words)


def ages(totals: Totals) -> Table:
    """The open cases by how long they have been with whom they are with now."""
    # Of the days that a case may wait for us, their halves; then what is overdue, twice and four times as long.
    overdue = settings.OVERDUE_DAYS
    firsts = sorted({0, 1, (overdue + 1) // 2, overdue, 2 * overdue, 4 * overdue})
    counted = {first: Counter[Side]() for first in firsts}
    for day, sides in totals.open_cases().items():
        # What came on a day that is still to come, somebody having put the clock back, came today.
        counted[firsts[bisect_right(firsts, max(0, (totals.today - day).days)) - 1]].update(sides)
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
    """From the first day up to the one `after` the last; the oldest have none."""
    if after is None:
        return f"{numbered(first, 'day')} or more"
    if after == first + 1:
        return numbered(first, "day") if first else "Today"
    return f"{first} to {numbered(after - 1, 'day')}"


def throughput(totals: Totals) -> Table:
    """What was done in each week or month, the newest first."""
    period = totals.period
    transitions = totals.transitions()
    rows: list[Row] = []
    for start in reversed(period.starts(totals.today)) if transitions else ():
        words = f"{start:%B %Y}" if period.span is Span.MONTH else f"From {start.day} {start:%b %Y}"
        columns = transitions.get(start, {})
        counts = [count_cell(columns.get(name, 0)) for name in TRANSITION_COLUMNS.values()]
        rows.append(Row((Cell(start.isoformat(), words), *counts)))
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
    """Why applications went back, by question, the most frequent first."""
    # What it is, where that isn't an answer, as most are.
    kinds = {kind.value: str(kind.label) for kind in (TargetKind.DOCUMENT, TargetKind.SECTION)}
    found = (
        ((text_cell(total.label, kinds.get(total.kind, "")), text_cell(total.product)), total.returns, total.queries)
        for total in totals.returns_by_question()[:at_most]
    )
    return Table(
        "questions",
        "Returns and queries by question",
        (Column("question", "Question", is_number=False), Column("form", "Form", is_number=False), *_RETURN_COLUMNS),
        _return_rows(found),
        f"No returns with queries in the last {totals.period.words}.",
    )


def reasons(totals: Totals) -> Table:
    """Why applications went back, by reason, the most frequent first."""
    labels = dict(QueryReason.choices)
    found = (
        ((text_cell(labels.get(code, code)),), returns, queries)
        for code, returns, queries in totals.returns_by_reason()
    )
    return Table(
        "reasons",
        "Returns and queries by reason",
        (Column("reason", "Reason", is_number=False), *_RETURN_COLUMNS),
        _return_rows(found),
        f"No returns with queries in the last {totals.period.words}.",
    )


_RETURN_COLUMNS = (Column("returns", "Returns"), Column("remarks", "Queries"))


def _return_rows(found: Iterable[tuple[tuple[Cell, ...], int, int]]) -> tuple[Row, ...]:
    """A row for each first cells with so many returns and queries."""
    rows = list(found)
    longest = max((returns for _, returns, _ in rows), default=1)
    return tuple(
        Row((*head, count_cell(returns), count_cell(queries)), stacked_bar([(returns, swatch(0))], longest=longest))
        for head, returns, queries in rows
    )


def times(totals: Totals) -> Table:
    """How long closed cases had been with each side; each over the cases that were ever there."""
    counted = {side: counts for side, counts in totals.durations().items() if counts.total()}
    marks = {side: [quantile(counts, part) for part in _QUARTERS] for side, counts in counted.items()}
    longest = max((last for *_, last in marks.values()), default=0.0)
    rows: list[Row] = []
    for side, (first, middle, last) in marks.items():
        cells = (
            text_cell(side.words),
            count_cell(counted[side].total()),
            *map(duration_cell, (first, middle, last)),
        )
        span = ((percent(first / longest), percent((last - first) / longest), SWATCHES[side]),) if longest else ()
        rows.append(Row(cells, span, percent(middle / longest) if longest else "", SWATCHES[side]))
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
    """The mean of all closed cases of each product, those with most of them first."""
    found = [
        (total.name, total.place, total.cases, {side: spent / total.cases for side, spent in total.seconds.items()})
        for total in totals.closings()
        if total.cases
    ][:at_most]
    longest = max((sum(means.values()) for *_, means in found), default=0.0) or 1
    return Table(
        "products",
        "Average time of closed cases with each side, by company type",
        (
            Column("product", "Company type", is_number=False),
            Column("place", "Jurisdiction", is_number=False),
            Column("closed", "Closed"),
            *(Column(f"{side}_mean_hours", side.words, swatch=SWATCHES[side]) for side in Side),
        ),
        tuple(
            Row(
                (
                    text_cell(name),
                    text_cell(place),
                    count_cell(cases),
                    *(duration_cell(means[side]) for side in Side),
                ),
                stacked_bar([(means[side], SWATCHES[side]) for side in Side], longest=longest),
            )
            for name, place, cases, means in found
        ),
        f"No cases closed in the last {totals.period.words}.",
    )


# Each table by its name, whole.
TABLES: dict[str, Callable[[Totals], Table]] = {
    "open": ages,
    "throughput": throughput,
    "questions": questions,
    "reasons": reasons,
    "times": times,
    "products": products,
}
