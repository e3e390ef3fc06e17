"""How long cases wait: figures for metrics."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, Min
from django.utils import timezone

from formation_portal.desk.models import Case


class WaitingCases(NamedTuple):
    """The cases of one view of the queue, and since when the oldest is in it."""

    view: str
    number: int
    oldest: datetime | None


def waiting_cases() -> Iterator[WaitingCases]:
    """Four queries, each by an index."""
    for view, field in (("open", "open_since"), ("waiting", "waiting_since"), ("to_confirm", "confirm_since")):
        found = Case.objects.filter(**{f"{field}__isnull": False}).aggregate(number=Count("pk"), oldest=Min(field))
        yield WaitingCases(view, found["number"], found["oldest"])
    late = Case.objects.filter(overdue_at__lte=timezone.now())
    found = late.aggregate(number=Count("pk"), oldest=Min("overdue_at"))
    yield WaitingCases("overdue", found["number"], found["oldest"])
