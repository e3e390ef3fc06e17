"""What an open page of a case asks by itself."""

from http import HTTPStatus

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from formation_portal.accounts.policies import UserRequest, agent
from formation_portal.accounts.sessions import background_request

from ..case_news import case_news as news_of
from ..case_version import CaseVersion
from ..finding import open_case_of


@require_safe
@background_request
@agent
def case_news(request: UserRequest, reference: str) -> HttpResponse:
    """What has happened since a page of the case was drawn: 204 while its line says so already.

    Asking keeps the case open for others to see. Whoever opens the address gets the case.
    """
    application = open_case_of(reference)
    if not request.htmx:
        return redirect("desk:review", reference=reference)
    drawn, said = (CaseVersion.read(request.GET.get(name, "")) for name in ("drawn", "said"))
    found = news_of(application, request.user, drawn=drawn, said=said) if drawn and said else None
    if found is None:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    page = request.htmx.current_url_abs_path or reverse("desk:review", args=[reference])
    return render(request, "desk/_live_answer.html", {"live": found, "page_url": page})
