"""Count waiting cases for the metrics."""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import Count, Min
from django.utils import timezone

from formation_portal.desk.models import Case


def waiting_cases() -> Iterator[tuple[str, int, datetime | None]]:
    """Yield for each of four views its name, its number of cases, and since when the oldest waits (None without cases).
    Four SQL queries, by indexes."""
    columns = {"open": "open_since", "waiting": "waiting_since", "to_confirm": "confirm_since", "overdue": "overdue_at"}
    for view, column in columns.items():
        cases = Case.objects.filter(**{f"{column}__lte": timezone.now()})
        figures = cases.aggregate(number=Count("pk"), oldest=Min(column))
        yield view, figures["number"], figures["oldest"]
