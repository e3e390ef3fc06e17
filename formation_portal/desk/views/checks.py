"""Accepting facts from any page of a case, and taking an acceptance back."""

from collections.abc import Callable
from functools import partial

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.models import Right
from formation_portal.accounts.policies import UserRequest, agent_with
from formation_portal.applications.draft import Draft
from formation_portal.applications.services import Closed
from formation_portal.reviews.changes_since import ReviewVersion
from formation_portal.reviews.checklist import load_checklist
from formation_portal.reviews.checks import accept, reopen
from formation_portal.reviews.exceptions import DocumentsNotOpened, ReviewChanged, ReviewRefused
from formation_portal.reviews.targets import Target

from ..checking import places_in
from ..coming_from import came_from
from ..counts import numbered
from ..finding import case_of
from ..overtaken_page import overtaken_page
from ..place_links import PlaceLinks
from ..unseen_documents import knowing_in, unseen_documents
from ..ways_back import back_in
from .undone import carried, undone

_METHODS = ["GET", "HEAD", "POST"]


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
def acceptances(request: UserRequest, reference: str) -> HttpResponse:
    """Accept what is ticked, or, by the button "all", everything that the page had left, and go back to it."""
    draft, places = case_of(reference), places_in(request.POST)
    if request.method == "POST" and not places:
        messages.info(request, "Select what you want to accept.")
    if request.method != "POST" or not places:
        return redirect(back_in(request.POST, reference))
    accepted = partial(accept, draft, places, by=request.user, acknowledged=knowing_in(request.POST))
    try:
        return _do(request, draft, places, lambda seen: _accepted(accepted(version=seen)))
    except DocumentsNotOpened as unseen:
        return _ask(request, draft, unseen)


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
def reopenings(request: UserRequest, reference: str) -> HttpResponse:
    """Take the acceptance of one fact back, and go back to the page."""
    draft, places = case_of(reference), places_in(request.POST)[:1]
    if request.method != "POST" or not places:
        return redirect(back_in(request.POST, reference))
    reopened = partial(reopen, draft, places[0], by=request.user)
    return _do(request, draft, places, lambda seen: _reopened(reopened(version=seen)), is_reopening=True)


def _do(
    request: UserRequest,
    draft: Draft,
    places: tuple[Target, ...],
    deed: Callable[[ReviewVersion], str],
    *,
    is_reopening: bool = False,
) -> HttpResponse:
    seen, back = ReviewVersion.parse(request.POST.get("sight", "")), back_in(request.POST, draft.application.reference)
    page_of = partial(overtaken_page, draft, places, seen=seen, back=back, is_reopening=is_reopening)
    try:
        messages.success(request, deed(seen))
    except Closed as closed:
        return undone(request, draft, closed, title="Nothing was changed")
    except ReviewChanged as overtaken:
        return render(request, "desk/overtaken.html", {"page": page_of(moves=overtaken.changes)}, status=409)
    except ReviewRefused as refused:
        return render(request, "desk/overtaken.html", {"page": page_of(reason=refused.message)}, status=422)
    return redirect(_onwards(request, draft, back) if "goes_on" in request.POST else back)


def _onwards(request: UserRequest, draft: Draft, back: str) -> str:
    """The same page at the first of the case's own sections and documents that is still to be checked, else at the
    decision. Two queries."""
    facts = load_checklist(draft)
    own = facts.of_holder("")
    following = next((fact.target for fact in own.facts if fact.is_to_do), None) if own else None
    links = PlaceLinks(draft, facts, came_from(request.POST))
    _, _, anchor = links.at(following).partition("#") if following else ("", "", "decide")
    return f"{back.partition('#')[0]}#{anchor}"


def _ask(request: UserRequest, draft: Draft, unseen: DocumentsNotOpened) -> HttpResponse:
    """Name the documents that were not opened, with a way to each, and the same post once more."""
    documents = unseen_documents(draft, unseen.documents, came_from(request.POST))
    back = back_in(request.POST, draft.application.reference)
    context = {"draft": draft, "documents": documents, "again": carried(request), "back": back}
    return render(request, "desk/unseen.html", context, status=422)


def _accepted(count: int) -> str:
    if not count:
        return "Already accepted."
    return f"{numbered(count, 'fact')} accepted."


def _reopened(was_accepted: bool) -> str:
    return "Acceptance undone." if was_accepted else "It was no longer accepted."
