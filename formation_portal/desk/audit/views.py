"""Who looked at what, who changed and decided what."""

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from formation_portal.accounts.models import Right
from formation_portal.accounts.policies import UserRequest, agent_with
from formation_portal.audit.models import Entry
from formation_portal.ui.downloads import csv_response

from .filters import AuditFilter, number_in
from .pages import audit_page, csv_rows, entry_page


@require_safe
@agent_with(Right.AUDIT)
def audit(request: UserRequest) -> HttpResponse:
    """One page of the timeline; the address says what it is narrowed to, and where the page begins."""
    page = audit_page(AuditFilter.read(request.GET), before=number_in(request.GET.get("before", "")))
    return render(request, "desk/audit/audit.html", {"page": page})


@require_safe
@agent_with(Right.AUDIT)
def entry(request: UserRequest, number: int) -> HttpResponse:
    """One entry: its address stays what it is."""
    return render(request, "desk/audit/entry.html", {"page": entry_page(get_object_or_404(Entry, pk=number))})


@require_safe
@agent_with(Right.AUDIT, Right.EXPORT)
def table(request: UserRequest) -> HttpResponseBase:
    """The same entries as the timeline, all of them, as CSV."""
    return csv_response(csv_rows(AuditFilter.read(request.GET).entries()), name="audit")
