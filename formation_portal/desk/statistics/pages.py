"""The page of statistics, and each of its tables alone."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from django.conf import settings
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
class StatisticsPage:
    """All tables of a period. `first` is its first day."""

    controls: tuple[FilterControl, ...]
    period: Period
    first: date
    time_zone: str
    overdue_words: str
    most_shown: int
    pictures: tuple[Chart, ...]
    open: Table
    throughput: Table
    questions: Table
    reasons: Table
    times: Table
    products: Table


def statistics_page(period: Period) -> StatisticsPage:
    """The statistics of a period that ends today. Eight queries."""
    today = timezone.localdate()
    done = throughput(period, today)
    periods = ((one.name, f"Last {one.words}") for one in PERIODS)
    return StatisticsPage(
        controls=(FilterControl("period", "Period", choices=as_options(periods, period.name)),),
        period=period,
        first=period.starts(today)[0],
        time_zone=timezone.get_current_timezone_name(),
        overdue_words=f"Cases that have been with us for {settings.OVERDUE_DAYS} days or more are overdue.",
        most_shown=_SHOWN,
        pictures=charts(done),
        open=ages(today),
        throughput=done,
        questions=questions(period, today, at_most=_SHOWN),
        reasons=reasons(period, today),
        times=times(period, today),
        products=products(period, today, at_most=_SHOWN),
    )


def table_of(name: str, period: Period) -> Table:
    """One table, whole."""
    return TABLES[name](period, timezone.localdate())
