"""Figures without a case: as rows that were erased have left them."""

from datetime import date

from django.utils import timezone

from formation_portal.statistics.models import ErasedFigures


def add_figures(table: str, key: tuple[str, ...] = (), *, day: date | None = None, **columns: int) -> None:
    """Add numbers of one day, by their columns, to a table."""
    day = day or timezone.localdate()
    figures = [[day.isoformat(), table, list(key), column, number] for column, number in columns.items()]
    ErasedFigures.objects.create(figures=figures, last_day=timezone.localdate())
