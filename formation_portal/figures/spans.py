"""Weeks and months, by which the totals are kept, and the periods that the figures can be asked for."""

from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum


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


def period_named(name: str) -> Period:
    """The period of that name; the first one where there is none."""
    return next((period for period in PERIODS if period.name == name), PERIODS[0])
