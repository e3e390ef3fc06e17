"""A table of figures: the same rows as a page shows them and as CSV has them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from formation_portal.ui.charts import Swatch

from .bars import Bar


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


def count(number: int) -> Cell:
    """A number as people read it; none is a dash, so that the eye finds the others."""
    return Cell(number, f"{number:,}" if number else "–")


def text(words: str, small: str = "") -> Cell:
    """Words that CSV has too."""
    return Cell(words, words, small)
