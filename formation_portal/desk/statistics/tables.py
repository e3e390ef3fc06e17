"""What a table of statistics is made of: the same rows as a page shows them, with bars drawn on the server, and as CSV
has them; and a chart of each of its columns."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from formation_portal.statistics.dimensions import Side
from formation_portal.ui.charts import Swatch, swatch

SWATCHES = {side: swatch(place) for place, side in enumerate(Side)}
# The pieces of a bar: where each begins, how long it is, and what it is drawn with.
Bar = tuple[tuple[str, str, Swatch], ...]

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_CHART_HEIGHT = 40
# What lies between two columns of a chart, as a part of what one takes.
_GAP = 0.2


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
