"""The figures. For agents; each table as CSV by a view of its own."""

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from formation_portal.accounts.models import Right
from formation_portal.accounts.policies import UserRequest, agent, agent_with
from formation_portal.statistics.dimensions import get_period

from ..csv_export import csv_response
from .pages import TABLES, statistics_page, table_of


@require_safe
@agent
def statistics(request: UserRequest) -> HttpResponse:
    """All tables of the period that the address names."""
    return render(
        request, "desk/statistics/statistics.html", {"page": statistics_page(get_period(request.GET.get("period", "")))}
    )


@require_safe
@agent_with(Right.EXPORT)
def table(request: UserRequest, name: str) -> HttpResponseBase:
    """One of the tables, whole, as CSV."""
    if name not in TABLES:
        raise Http404
    period = get_period(request.GET.get("period", ""))
    return csv_response(table_of(name, period).lines(), name=f"figures-{name}")
