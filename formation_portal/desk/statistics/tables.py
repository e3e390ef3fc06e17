"""A table of statistics: the same rows as a page shows them, with bars drawn on the server, and as CSV has them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from formation_portal.statistics.dimensions import Side
from formation_portal.ui.charts import Swatch, swatch


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of a bar: where it begins, and how long it is."""

    start: str
    width: str
    swatch: Swatch


@dataclass(frozen=True, slots=True)
class Bar:
    """The pieces of a row's bar, and a stroke across it where there is one."""

    parts: tuple[Part, ...] = ()
    stroke: str = ""


def bar(lengths: Iterable[tuple[float, Swatch]], *, longest: float) -> Bar:
    """Pieces one after the other; `longest` is what would fill the cell."""
    parts, start = [], 0.0
    for length, fill in lengths:
        if length > 0:
            parts.append(Part(percent(start / longest), percent(length / longest), fill))
            start += length
    return Bar(tuple(parts))


def span_bar(first: float, middle: float, last: float, fill: Swatch, *, longest: float) -> Bar:
    """From one value to another, with a stroke at what lies between."""
    if not longest:
        return Bar()
    piece = Part(percent(first / longest), percent((last - first) / longest), fill)
    return Bar((piece,), percent(middle / longest))


def percent(part: float) -> str:
    """A length of SVG, which knows no other notation than this."""
    return f"{part * 100:.2f}".rstrip("0").rstrip(".") + "%"


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
    """One row, whose first cell names it, with its bar; the swatch says what the bar is drawn with."""

    cells: tuple[Cell, ...]
    bar: Bar | None = None
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
        return any(row.bar for row in self.rows)

    def lines(self) -> Iterator[Sequence[Any]]:
        """As CSV has it, its head first."""
        yield [column.name for column in self.columns]
        for row in self.rows:
            yield [cell.value for cell in row.cells]


def count_cell(number: int) -> Cell:
    """A number as people read it; none is a dash, so that the eye finds the others."""
    return Cell(number, f"{number:,}" if number else "–")


def text_cell(words: str, small: str = "") -> Cell:
    """Words that CSV has too."""
    return Cell(words, words, small)


SWATCHES = {side: swatch(place) for place, side in enumerate(Side)}
ALONE = swatch(0)


_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400


def duration_cell(seconds: float) -> Cell:
    """In the unit that fits: 20 min, 5 h, 2.4 days; a dash for none. CSV has hours."""
    return Cell(round(seconds / _HOUR, 2), _duration_text(seconds))


def _duration_text(seconds: float) -> str:
    if not seconds:
        return "–"
    if seconds < _HOUR:
        return f"{max(1, round(seconds / _MINUTE))}\u00a0min"
    if seconds < 2 * _DAY:
        return f"{round(seconds / _HOUR)}\u00a0h"
    return f"{seconds / _DAY:,.1f}\u00a0days"
