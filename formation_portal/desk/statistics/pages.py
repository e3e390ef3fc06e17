"""The page of statistics, and each of its tables alone."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from django.conf import settings
from django.urls import reverse
from django.utils import timezone

from formation_portal.statistics.dimensions import PERIODS, Period
from formation_portal.ui.forms.controls import as_options

from ..forms import FilterControl
from .ages import ages
from .returns import questions, reasons
from .tables import Table
from .throughput import Chart, charts, throughput
from .times import products, times

_SHOWN = 20

# Each table by its name, whole.
TABLES: dict[str, Callable[[Period, date], Table]] = {
    "open": lambda _, today: ages(today),
    "throughput": throughput,
    "questions": questions,
    "reasons": reasons,
    "times": times,
    "products": products,
}


@dataclass(frozen=True, slots=True)
class TableWithCsv:
    """A table, and where it is as CSV."""

    table: Table
    csv_url: str


@dataclass(frozen=True, slots=True)
class StatisticsPage:
    """All tables of a period. `first` is its first day."""

    controls: tuple[FilterControl, ...]
    period: Period
    first: date
    time_zone: str
    overdue_words: str
    most_shown: int
    pictures: tuple[Chart, ...]
    open: TableWithCsv
    throughput: TableWithCsv
    questions: TableWithCsv
    reasons: TableWithCsv
    times: TableWithCsv
    products: TableWithCsv


def statistics_page(period: Period) -> StatisticsPage:
    """The figures of a period, as it ends today. Eight queries."""
    today = timezone.localdate()
    done = throughput(period, today)
    return StatisticsPage(
        controls=(_control(period),),
        period=period,
        first=period.starts(today)[0],
        time_zone=timezone.get_current_timezone_name(),
        overdue_words=f"Cases that have been with us for {settings.OVERDUE_DAYS} days or more are overdue.",
        most_shown=_SHOWN,
        pictures=charts(done),
        open=_with_csv_url(ages(today), period),
        throughput=_with_csv_url(done, period),
        questions=_with_csv_url(questions(period, today, at_most=_SHOWN), period),
        reasons=_with_csv_url(reasons(period, today), period),
        times=_with_csv_url(times(period, today), period),
        products=_with_csv_url(products(period, today, at_most=_SHOWN), period),
    )


def table_of(name: str, period: Period) -> Table:
    """One table, whole."""
    return TABLES[name](period, timezone.localdate())


def _control(chosen: Period) -> FilterControl:
    periods = ((one.name, f"Last {one.words}") for one in PERIODS)
    return FilterControl("period", "Period", choices=as_options(periods, chosen.name))


def _with_csv_url(table: Table, period: Period) -> TableWithCsv:
    return TableWithCsv(table, f"{reverse('desk:statistics_table', args=[table.name])}?period={period.name}")
