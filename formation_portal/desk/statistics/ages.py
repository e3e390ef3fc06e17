"""The open cases by how long they have been with whom they are with now."""

from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from django.conf import settings

from formation_portal.statistics import totals
from formation_portal.statistics.dimensions import Side
from formation_portal.ui.charts import Swatch

from ..wording import numbered
from .tables import SWATCHES, Cell, Column, Row, Table, bar, count_cell


@dataclass(frozen=True, slots=True)
class Band:
    """Days from `first` to `last`; the oldest band has no last."""

    first: int
    last: int | None

    @property
    def words(self) -> str:
        """As agents read it."""
        if self.last is None:
            return f"{numbered(self.first, 'day')} or more"
        if self.first == self.last:
            return numbered(self.first, "day") if self.first else "Today"
        return f"{self.first} to {numbered(self.last, 'day')}"


def bands(overdue: int) -> tuple[Band, ...]:
    """Of the days that a case may wait for us, their halves; then what is overdue, twice and four times as long."""
    firsts = sorted({0, 1, (overdue + 1) // 2, overdue, 2 * overdue, 4 * overdue})
    return (*(Band(first, after - 1) for first, after in pairwise(firsts)), Band(firsts[-1], None))


def ages(today: date) -> Table:
    """The open cases by age. Two queries."""
    counted = _counted(today, found := bands(settings.OVERDUE_DAYS))
    longest = max(counts.total() for counts in counted.values())
    rows: list[Row] = []
    for band in found if longest else ():
        counts = counted[band]
        overdue = "overdue with us" if band.first >= settings.OVERDUE_DAYS else ""
        cells = (Cell(band.words, band.words, overdue), *(count_cell(counts[side]) for side in Side))
        lengths: list[tuple[float, Swatch]] = [(counts[side], SWATCHES[side]) for side in Side]
        rows.append(Row((*cells, count_cell(counts.total())), bar(lengths, longest=longest)))
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


def _counted(today: date, found: tuple[Band, ...]) -> dict[Band, Counter[Side]]:
    """What came on a day that is still to come, somebody having put the clock back, came today."""
    oldest = found[-1]
    young_from = today - timedelta(days=oldest.first - 1)
    counted = {one: Counter[Side]() for one in found}
    counted[oldest].update(totals.opened_before(young_from))
    for day, sides in totals.opened_since(young_from).items():
        age = (today - day).days
        counted[next(one for one in found if one.last is None or age <= one.last)].update(sides)
    return counted
