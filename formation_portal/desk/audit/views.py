"""Show the audit log: who has seen, changed and decided what."""

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
    entry_filter = AuditFilter.read(request.GET)
    days, links = timeline(entry_filter, before=number_in(request.GET.get("before", "")))
    return render(request, "desk/audit/audit.html", {"entry_filter": entry_filter, "days": days, "links": links})


@require_safe
@agent_with(Right.AUDIT)
def entry(request: UserRequest, number: int) -> HttpResponse:
    entry_row = get_object_or_404(Entry, pk=number)
    [row] = describe([entry_row])
    timeline_url = f"{reverse('desk:audit')}?before={number + 1}"
    return render(request, "desk/audit/entry.html", {"row": row, "entry": entry_row, "timeline_url": timeline_url})


@require_safe
@agent_with(Right.AUDIT, Right.EXPORT)
@recently_authenticated
def table(request: UserRequest) -> HttpResponseBase:
    return csv_response(csv_rows(AuditFilter.read(request.GET).entries()), name="audit")
