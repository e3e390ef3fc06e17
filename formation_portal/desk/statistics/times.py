"""How long the cases that were closed had stood with us, and how long with others: together, and by product."""

from collections.abc import Mapping
from datetime import date

from formation_portal.statistics import totals
from formation_portal.statistics.dimensions import Period, Side, quantile
from formation_portal.statistics.totals import FormTimes

from .tables import SWATCHES, Column, Row, Table, bar, count_cell, duration_cell, span_bar, text_cell

_PARTS = (0.25, 0.5, 0.75)


def times(period: Period, today: date) -> Table:
    """By side; each over the cases that were ever there. One query."""
    counted = totals.durations(period, today)
    marks = {side: [quantile(counts, part) for part in _PARTS] for side, counts in counted.items() if counts.total()}
    longest = max((last for *_, last in marks.values()), default=0.0)
    rows: list[Row] = []
    for side, (first, middle, last) in marks.items():
        drawn = span_bar(first, middle, last, SWATCHES[side], longest=longest)
        durations = map(duration_cell, (first, middle, last))
        rows.append(Row((text_cell(side.words), count_cell(counted[side].total()), *durations), drawn, SWATCHES[side]))
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
        f"No cases closed in the last {period.words}.",
    )


def products(period: Period, today: date, *, at_most: int | None = None) -> Table:
    """By product, those with most closed cases first; means over all of these. One query."""
    found = [one for one in totals.form_times(period, today) if one.cases][:at_most]
    longest = max((sum(_means(one).values()) for one in found), default=0.0) or 1
    return Table(
        "products",
        "Average time of closed cases with each side, by company type",
        (
            Column("product", "Company type", is_number=False),
            Column("place", "Jurisdiction", is_number=False),
            Column("closed", "Closed"),
            *(Column(f"{side}_mean_hours", side.words, swatch=SWATCHES[side]) for side in Side),
        ),
        tuple(_product_row(one, longest) for one in found),
        f"No cases closed in the last {period.words}.",
    )


def _means(one: FormTimes) -> Mapping[Side, float]:
    return {side: seconds / one.cases for side, seconds in one.seconds.items()}


def _product_row(one: FormTimes, longest: float) -> Row:
    means = _means(one)
    cells = (
        text_cell(one.name),
        text_cell(one.place),
        count_cell(one.cases),
        *(duration_cell(means[side]) for side in Side),
    )
    return Row(cells, bar([(means[side], SWATCHES[side]) for side in Side], longest=longest))
