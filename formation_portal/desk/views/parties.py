"""One party under review."""

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from formation_portal.accounts.policies import UserRequest, agent

from ..case_news import case_line
from ..finding import case_of
from ..looks import Look
from ..party_page import party_page


@require_safe
@agent
def party(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """Its facts as a checklist, its documents beside them. Where the viewer asks by itself, the viewer alone."""
    case = case_of(reference)
    found = case.party(token)
    if found is None:
        raise Http404
    page = party_page(case, found, Look.read(request.GET), reader=request.user)
    if request.htmx.target == "paper":
        return render(request, "desk/_viewer_answer.html", {"page": page})
    return render(request, "desk/party.html", {"page": page, "live": case_line(case.application, request.user)})
