"""How long a case has waited for us, against the working days that it may: kept, in words, and as strokes."""

from dataclasses import dataclass
from datetime import datetime, time

from django.conf import settings
from django.utils.timezone import localdate, make_aware

from formation_portal.applications.models import Application
from formation_portal.contract.catalog import least_working_days, working_days_after, working_days_between

from ..models import Case

# What a column holds, and more than anybody waits.
_MOST = 30_000
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


def due(case: Case) -> Due | None:
    """How it stands with a case; nothing with one that doesn't wait for us."""
    if case.waiting_since is None:
        return None
    return Due(case.waited_days + _days_since(case.waiting_since), case.target_days or settings.OVERDUE_DAYS)


def update_due_date(case: Case, application: Application, *, was_waiting_since: datetime | None) -> None:
    """Bring the case's clock up to date: it counts working days while the case is with us, and stands still while its
    customer or the registry has it. The target is the product's own, where its timeline tells one."""
    timeline = str(application.product.get("estimated_timeline") or "")
    case.target_days = min(least_working_days(timeline) or settings.OVERDUE_DAYS, _MOST)
    if was_waiting_since is not None and was_waiting_since != case.waiting_since:
        case.waited_days = min(case.waited_days + _days_since(was_waiting_since), _MOST)
    case.overdue_at = _overdue_at(case)


def _overdue_at(case: Case) -> datetime | None:
    """The beginning of the day on which it has waited for as long as it may."""
    if case.waiting_since is None:
        return None
    left = case.target_days - case.waited_days
    if left <= 0:
        return case.waiting_since
    day = working_days_after(localdate(case.waiting_since), left)
    return make_aware(datetime.combine(day, time.min))


def _days_since(at: datetime) -> int:
    return working_days_between(localdate(at), localdate())
