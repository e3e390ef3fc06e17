"""By what totals are kept: with whom a case is, in which week or month, and how long it has been there."""

from bisect import bisect_right
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum

from formation_portal.contract.lifecycle import State


class Side(StrEnum):
    """Who has to do the next thing; the value is the column that counts it."""

    US = "with_us"
    CUSTOMER = "with_customer"
    REGISTRY = "with_registry"

    @property
    def words(self) -> str:
        """As agents read it."""
        return _SIDE_NAMES[self]


_SIDE_NAMES = {Side.US: "With us", Side.CUSTOMER: "With the customer", Side.REGISTRY: "With the registry"}

_SIDE_BY_STATE = {
    State.SUBMITTED_FOR_REVIEW: Side.US,
    State.IN_REVIEW: Side.US,
    State.RETURNED_FOR_CHANGES: Side.CUSTOMER,
    State.SUBMITTED_TO_CSP: Side.REGISTRY,
}


def side_of(state: State) -> Side | None:
    """With whom an application in that state stands; with nobody once it is closed."""
    return _SIDE_BY_STATE.get(state)


class Span(StrEnum):
    """What a total is kept for. Each is known by its first day."""

    WEEK = "week"
    MONTH = "month"

    def start_of(self, day: date) -> date:
        """The first day of the span that the day is in."""
        return day - timedelta(days=day.weekday()) if self is Span.WEEK else day.replace(day=1)


@dataclass(frozen=True, slots=True)
class Period:
    """So many weeks or months, of which the last is the present one."""

    name: str
    words: str
    span: Span
    count: int

    def starts(self, today: date) -> tuple[date, ...]:
        """The first days of its spans, the oldest first."""
        found = [self.span.start_of(today)]
        while len(found) < self.count:
            found.append(self.span.start_of(found[-1] - timedelta(days=1)))
        return tuple(reversed(found))


PERIODS = (
    Period("4-weeks", "4 weeks", Span.WEEK, 4),
    Period("12-weeks", "12 weeks", Span.WEEK, 12),
    Period("12-months", "12 months", Span.MONTH, 12),
)


def get_period(name: str) -> Period:
    """The period of that name; the first one where there is none."""
    return next((period for period in PERIODS if period.name == name), PERIODS[0])


_QUARTER_HOUR, _GROWTH, _BUCKETS = 15 * 60, 1.25, 58
# From a quarter of an hour to some ten years.
BUCKET_BOUNDS = tuple(round(_QUARTER_HOUR * _GROWTH**step) for step in range(_BUCKETS))


def bucket_of(seconds: int) -> int:
    """Where a duration is counted."""
    return bisect_right(BUCKET_BOUNDS, seconds)
