"""Why applications went back to their customers, and over which questions."""

from collections.abc import Iterable
from datetime import date

from formation_portal.reviews.models import QueryReason
from formation_portal.reviews.targets import TargetKind
from formation_portal.statistics import totals
from formation_portal.statistics.dimensions import Period
from formation_portal.statistics.totals import Returns

from .tables import ALONE, Cell, Column, Row, Table, bar, count_cell, text_cell

_COUNTS = (Column("returns", "Returns"), Column("remarks", "Queries"))


def reasons(period: Period, today: date) -> Table:
    """By reason, the most frequent first. One query."""
    found = totals.returns_by_reason(period, today)
    labels = dict(QueryReason.choices)
    return Table(
        "reasons",
        "Returns and queries by reason",
        (Column("reason", "Reason", is_number=False), *_COUNTS),
        _rows(found, ((text_cell(labels.get(one.words, one.words)),) for one in found)),
        _nothing(period),
    )


def questions(period: Period, today: date, *, at_most: int | None = None) -> Table:
    """By question, the most frequent first. Two queries."""
    found = totals.returns_by_question(period, today, at_most=at_most)
    # What it is, where that isn't an answer, as most are.
    kinds = {kind.value: str(kind.label) for kind in (TargetKind.DOCUMENT, TargetKind.SECTION)}
    return Table(
        "questions",
        "Returns and queries by question",
        (Column("question", "Question", is_number=False), Column("form", "Form", is_number=False), *_COUNTS),
        _rows(found, ((text_cell(one.words, kinds.get(one.kind, "")), text_cell(one.form)) for one in found)),
        _nothing(period),
    )


def _rows(found: list[Returns], heads: Iterable[tuple[Cell, ...]]) -> tuple[Row, ...]:
    longest = max((one.returns for one in found), default=1)
    return tuple(
        Row((*head, count_cell(one.returns), count_cell(one.remarks)), bar([(one.returns, ALONE)], longest=longest))
        for one, head in zip(found, heads, strict=True)
    )


def _nothing(period: Period) -> str:
    return f"No returns with queries in the last {period.words}."
