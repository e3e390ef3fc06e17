"""Count waiting cases for the metrics."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, Min
from django.utils import timezone

from formation_portal.desk.models import Case


class WaitingCases(NamedTuple):
    """The number of cases in one view of the queue, and the time since which the oldest is in it."""

    view: str
    number: int
    oldest: datetime | None


def waiting_cases() -> Iterator[WaitingCases]:
    """Count the cases of four views. Four queries, each by an index."""
    for view, field in (("open", "open_since"), ("waiting", "waiting_since"), ("to_confirm", "confirm_since")):
        cases = Case.objects.filter(**{f"{field}__isnull": False})
        yield WaitingCases(view, **cases.aggregate(number=Count("pk"), oldest=Min(field)))
    overdue = Case.objects.filter(overdue_at__lte=timezone.now())
    yield WaitingCases("overdue", **overdue.aggregate(number=Count("pk"), oldest=Min("overdue_at")))
