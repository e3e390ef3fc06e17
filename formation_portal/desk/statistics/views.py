"""Show agents the statistics of a period that ends today, and download each table as CSV."""

from datetime import timedelta

from django.conf import settings
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from formation_portal.accounts.models import Right
from formation_portal.accounts.policies import UserRequest, agent, agent_with, recently_authenticated
from formation_portal.statistics.dimensions import PERIODS, get_period
from formation_portal.statistics.totals import Totals
from formation_portal.ui.downloads import csv_response
from formation_portal.ui.forms.controls import FilterControl, as_options

from ..wording import numbered
from .pages import TABLES, ages, charts, products, questions, reasons, throughput, times

# The most rows on the page; the CSV has every row.
_MAX_ROWS = 20


@require_safe
@agent
def statistics(request: UserRequest) -> HttpResponse:
    totals = _totals(request)
    period = totals.period
    minutes = (timezone.now() - totals.counted_at) // timedelta(minutes=1)
    periods = as_options(((option.name, f"Last {option.label}") for option in PERIODS), period.name)
    transitions = throughput(totals)
    context = {
        "controls": (FilterControl("period", "Period", choices=periods),),
        "period": period,
        "first": period.starts(totals.today)[0],
        "age": numbered(minutes, "minute") if minutes > 0 else "",
        "overdue_words": f"Cases that have been with us for {settings.OVERDUE_DAYS} days or more are overdue.",
        "most": _MAX_ROWS,
        "open": ages(totals),
        "throughput": transitions,
        "charts": charts(transitions),
        "questions": questions(totals, at_most=_MAX_ROWS),
        "reasons": reasons(totals),
        "times": times(totals),
        "products": products(totals, at_most=_MAX_ROWS),
    }
    return render(request, "desk/statistics/statistics.html", context)


@require_safe
@agent_with(Right.EXPORT)
@recently_authenticated
def table(request: UserRequest, name: str) -> HttpResponseBase:
    if name not in TABLES:
        raise Http404
    return csv_response(TABLES[name](_totals(request)).lines(), name=f"figures-{name}")


def _totals(request: UserRequest) -> Totals:
    return Totals.get(get_period(request.GET.get("period", "")), timezone.localdate())
