"""One submitted application, whole."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from formation_portal.accounts.models import Right
from formation_portal.accounts.policies import UserRequest, agent, agent_with
from formation_portal.ui import record_files
from formation_portal.ui.downloads import as_download

from ..case_news import case_line
from ..case_page import case_page
from ..claim_words import claim_panel
from ..coming_from import came_from
from ..finding import case_of, document_of
from ..ruling_panel import ruling_panel


@require_safe
@agent
def review(request: UserRequest, reference: str) -> HttpResponse:
    """Answers, parties, shares, documents, history, how far all of it has come to the service, and who works on it."""
    case = case_of(reference)
    live, panel = case_line(case.application, request.user), claim_panel(case.application, request.user)
    page, shown = case_page(case, reader=request.user, asked=request.GET), came_from(request.GET)
    ruling = ruling_panel(case, request.user, arrivals=page.arrivals, shown=shown, facts=page.facts, sight=page.sight)
    context = {"page": page, "panel": panel, "live": live, "ruling": ruling, "shown": shown.address}
    return render(request, "desk/review.html", context)


@require_safe
@agent_with(Right.EXPORT)
def record(request: UserRequest, reference: str) -> HttpResponse:
    """The case as JSON, the same document that its owner can keep."""
    return record_files.as_json(request, case_of(reference))


@require_safe
@agent_with(Right.EXPORT)
def record_pdf(request: UserRequest, reference: str) -> HttpResponse:
    """The case as a PDF, as its owner has it."""
    return record_files.as_pdf(request, case_of(reference))


@require_safe
@agent
def document(request: UserRequest, reference: str, number: int) -> HttpResponse:
    """One document, to be saved and not shown: the browser must not take somebody's file for a page of ours."""
    return as_download(request, document_of(reference, number), by=request.user)
