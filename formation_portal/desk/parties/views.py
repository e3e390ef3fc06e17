"""One party under review."""

from typing import Any
from urllib.parse import urlsplit

from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from formation_portal.accounts.models import Right
from formation_portal.accounts.policies import UserRequest, agent, agent_with

from ..case.news import live_case
from ..case_urls import return_url
from ..documents import ViewerState
from ..lookups import get_case_or_404
from .pages import PartyPage, log_numbers_shown, party_page

# What a page that asks by itself gets, by the id of what it has to draw anew.
_PARTS = {"paper": "desk/parties/_viewer_answer.html", "numbers": "desk/parties/_numbers_answer.html"}


@require_safe
@agent
def party(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """Its facts as a checklist, its documents beside them. Where a part of it asks by itself, that part alone."""
    return _draw(request, _page(request, reference, token, ViewerState.read(request.GET)))


@agent_with(Right.REVIEW)
@require_POST
def numbers(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """The same page with the numbers that people are known by, as often as it is asked for: each time is kept."""
    state = ViewerState.read(QueryDict(urlsplit(return_url(request.POST, reference)).query))
    page = _page(request, reference, token, state, shows_numbers=True)
    log_numbers_shown(page, by=request.user)
    return _draw(request, page)


def _page(request: UserRequest, reference: str, token: str, state: ViewerState, **more: Any) -> PartyPage:
    case = get_case_or_404(reference)
    found = case.party(token)
    if found is None:
        raise Http404
    return party_page(case, found, state, reader=request.user, **more)


def _draw(request: UserRequest, page: PartyPage) -> HttpResponse:
    if part := _PARTS.get(request.htmx.target or ""):
        return render(request, part, {"page": page})
    live = live_case(page.draft.application, request.user)
    return render(request, "desk/parties/party.html", {"page": page, "live": live, "page_url": page.here_url})
