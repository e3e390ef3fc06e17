"""Who looked at what, who changed and decided what."""

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from formation_portal.accounts.models import Right
from formation_portal.accounts.policies import UserRequest, agent_with, recently_authenticated
from formation_portal.audit.models import Entry
from formation_portal.ui.downloads import csv_response

from .pages import AuditFilter, csv_rows, describe, number_in, timeline


@require_safe
@agent_with(Right.AUDIT)
def audit(request: UserRequest) -> HttpResponse:
    """One page of the timeline; the address says what it is narrowed to, and where the page begins."""
    asked = AuditFilter.read(request.GET)
    days, links = timeline(asked, before=number_in(request.GET.get("before", "")))
    return render(request, "desk/audit/audit.html", {"asked": asked, "days": days, "links": links})


@require_safe
@agent_with(Right.AUDIT)
def entry(request: UserRequest, number: int) -> HttpResponse:
    """One entry: its address stays what it is."""
    found = get_object_or_404(Entry, pk=number)
    [row] = describe([found])
    timeline_url = f"{reverse('desk:audit')}?before={number + 1}"
    return render(request, "desk/audit/entry.html", {"row": row, "entry": found, "timeline_url": timeline_url})


@require_safe
@agent_with(Right.AUDIT, Right.EXPORT)
@recently_authenticated
def table(request: UserRequest) -> HttpResponseBase:
    """The same entries as the timeline, all of them, as CSV."""
    return csv_response(csv_rows(AuditFilter.read(request.GET).entries()), name="audit")
