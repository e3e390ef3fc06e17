"""The dimensions of the totals: sides (who must act next), weeks and months, and buckets of durations."""

from bisect import bisect_right
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum

from django.db.models import TextChoices

from formation_portal.contract.lifecycle import State


class Side(TextChoices):
    """The side that must act next on a case. The value of a side names the column of its counts."""

    US = "with_us", "With us"
    CUSTOMER = "with_customer", "With the customer"
    REGISTRY = "with_registry", "With the registry"


# The side that must act in each state; a closed application has none.
SIDES = {
    State.SUBMITTED_FOR_REVIEW: Side.US,
    State.IN_REVIEW: Side.US,
    State.RETURNED_FOR_CHANGES: Side.CUSTOMER,
    State.SUBMITTED_TO_CSP: Side.REGISTRY,
}


class Span(StrEnum):
    """The span that a total covers, identified by its first day."""

    WEEK = "week"
    MONTH = "month"

    def start_of(self, day: date) -> date:
        return day - timedelta(days=day.weekday()) if self is Span.WEEK else day.replace(day=1)


@dataclass(frozen=True, slots=True)
class Period:
    """A number of weeks or months up to the present."""

    name: str
    label: str
    span: Span
    count: int

    def starts(self, today: date) -> tuple[date, ...]:
        """Return the first day of each week or month of the period, oldest first."""
        starts = [self.span.start_of(today)]
        while len(starts) < self.count:
            starts.append(self.span.start_of(starts[-1] - timedelta(days=1)))
        return tuple(reversed(starts))


PERIODS = (
    Period("4-weeks", "4 weeks", Span.WEEK, 4),
    Period("12-weeks", "12 weeks", Span.WEEK, 12),
    Period("12-months", "12 months", Span.MONTH, 12),
)


def get_period(name: str) -> Period:
    """Return the named period, else the first one."""
    for period in PERIODS:
        if period.name == name:
            return period
    return PERIODS[0]


# Seconds from 15 minutes to some ten years; each bound is a quarter above the one before.
BUCKET_BOUNDS = tuple(round(15 * 60 * 1.25**step) for step in range(58))


def bucket_of(seconds: int) -> int:
    return bisect_right(BUCKET_BOUNDS, seconds)
