"""How long a case has waited for us, against the days that it may: in words, and as strokes."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.utils import timezone

# More strokes than this are no picture any more.
_STROKES = 20
_STEP, _FIRST, _GAP, _GROUP = 5, 2, 3, 5


@dataclass(frozen=True, slots=True)
class Stroke:
    """One day: where it stands, and whether it has passed."""

    x: int
    has_passed: bool


@dataclass(frozen=True, slots=True)
class Due:
    """The days of a waiting case."""

    days: int
    allowed: int

    @property
    def is_overdue(self) -> bool:
        """Whether it has waited for as long as it may."""
        return self.days >= self.allowed

    @property
    def is_last_day(self) -> bool:
        """Whether it is overdue by tomorrow."""
        return self.days == self.allowed - 1

    @property
    def words(self) -> str:
        """The days as the queue says them."""
        return f"{self.days} of {self.allowed}"

    @property
    def strokes(self) -> tuple[Stroke, ...]:
        """A stroke a day, in groups of five; none where there would be too many."""
        days = range(self.allowed if self.allowed <= _STROKES else 0)
        return tuple(Stroke(_FIRST + day * _STEP + day // _GROUP * _GAP, day < self.days) for day in days)

    @property
    def width(self) -> int:
        """What the strokes take, in pixels."""
        return self.strokes[-1].x + _GAP if self.strokes else 0


def due(waiting_since: datetime | None) -> Due | None:
    """How it stands with a case; nothing with one that doesn't wait for us."""
    if waiting_since is None:
        return None
    return Due(max(0, (timezone.now() - waiting_since).days), settings.OVERDUE_DAYS)
