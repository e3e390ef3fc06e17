"""One party under review: its page, its numbers, and where its documents prove its facts."""

from typing import Any
from urllib.parse import urlsplit

from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from formation_portal.accounts.models import Right
from formation_portal.accounts.policies import UserRequest, agent, agent_with
from formation_portal.applications.services import Closed
from formation_portal.reviews.evidence import prove, remove_evidence
from formation_portal.reviews.targets import Target
from formation_portal.reviews.transactions import ReviewChanged, ReviewRefused, ReviewVersion

from ..case.news import live_case
from ..case.query_panels import target_id
from ..case_urls import return_url
from ..changes_since import not_done
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
    page = _page(request, reference, token, _looked_at(request, reference), shows_numbers=True)
    log_numbers_shown(page, by=request.user)
    return _draw(request, page)


@require_http_methods(["GET", "HEAD", "POST"])
@agent_with(Right.REVIEW)
def evidence(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """Note that the page in the viewer proves a fact, and what it says; or, by a fact's own button, remove that."""
    draft = get_case_or_404(reference)
    target = Target.parse(request.POST.get("remove", "") or request.POST.get("place", ""))
    if draft.party(token) is None or (target is not None and target.holder != token):
        raise Http404
    if request.method != "POST" or target is None:
        return redirect("desk:party", reference=reference, token=token)
    says, looked = request.POST.get("says", ""), _looked_at(request, reference)
    document = next((one for one in draft.documents if one.pk == looked.document), None)
    version = ReviewVersion.parse(request.POST.get("sight", ""))
    try:
        if "remove" in request.POST:
            is_done = remove_evidence(draft, target, by=request.user, version=version)
            messages.info(request, "Note removed." if is_done else "This note was already removed.")
        else:
            made = prove(draft, target, document, looked.page, text=says, by=request.user, version=version)
            messages.success(request, f"{made.slot}, page {made.page} noted for {made.label}.")
    except (ReviewChanged, ReviewRefused, Closed) as why:
        typed = (("What the document says", says),)
        return not_done(request, get_case_or_404(reference), why, title="Your note was not saved", typed=typed)
    back = return_url(request.POST, reference).partition("#")[0]
    return redirect(f"{back}#{target_id(target)}")


def _looked_at(request: UserRequest, reference: str) -> ViewerState:
    """What the viewer showed on the page that posted."""
    return ViewerState.read(QueryDict(urlsplit(return_url(request.POST, reference)).query))


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
