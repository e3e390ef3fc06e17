"""Queries to the customer and notes among colleagues."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.models import Right
from formation_portal.accounts.policies import UserRequest, agent_with
from formation_portal.applications.draft import Draft
from formation_portal.applications.services import Closed
from formation_portal.reviews.changes_since import ReviewVersion
from formation_portal.reviews.queries import delete_draft, remove_note, resolve, write_note
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target
from formation_portal.reviews.transactions import ReviewChanged, ReviewRefused

from ..case_urls import return_url
from ..changes_since import not_done
from ..lookups import get_case_or_404
from .forms import QueryForm, posted_query_form, store_query
from .query_panels import QueryPanels

_METHODS = ["GET", "HEAD", "POST"]


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
def queries(request: UserRequest, reference: str) -> HttpResponse:
    """Draft a query, change it, or note something for colleagues. A GET shows the form of the target that it names."""
    draft, said = get_case_or_404(reference), request.POST if request.method == "POST" else request.GET
    target = Target.parse(said.get("place", ""))
    if request.method != "POST":
        return _draw(request, draft, target) if target else redirect("desk:case", reference=reference)
    if target is None:
        raise Http404
    form = posted_query_form(draft, target, request.POST)
    if "update" in request.POST:
        return _draw(request, draft, target, form=form)
    try:
        store_query(draft, form, by=request.user, version=_sight(request))
    except ReviewChanged as late:
        return _draw(request, get_case_or_404(reference), target, form=form, late=late, status=409)
    except ReviewRefused as refused:
        return _draw(request, draft, target, form=form.with_error(refused), status=422)
    except Closed as closed:
        typed = (("Message to the customer", form.text), ("For colleagues only", form.note))
        return not_done(request, get_case_or_404(reference), closed, title="Your query was not saved", typed=typed)
    if form.is_a_note_alone:
        messages.success(request, "Note saved. Only colleagues can see it.")
    else:
        messages.success(request, "Query saved. It is sent when you return the application.")
    return redirect(return_url(request.POST, reference))


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
def query_removal(request: UserRequest, reference: str, number: int) -> HttpResponse:
    """Drop what is drafted."""
    return _end(
        request, reference, number, delete_draft, title="The draft query was not deleted", said="Draft deleted."
    )


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
def query_resolution(request: UserRequest, reference: str, number: int) -> HttpResponse:
    """Say that what was asked is answered."""
    return _end(request, reference, number, resolve, title="The query was not resolved", said="Query resolved.")


def _end(
    request: UserRequest, reference: str, number: int, deed: Callable[..., bool], *, title: str, said: str
) -> HttpResponse:
    draft = get_case_or_404(reference)
    if request.method != "POST":
        return redirect("desk:case", reference=reference)
    try:
        is_done = deed(draft, number, by=request.user, version=_sight(request))
    except (ReviewChanged, Closed) as why:
        return not_done(request, get_case_or_404(reference), why, title=title)
    messages.info(request, said if is_done else "This query is no longer open.")
    return redirect(return_url(request.POST, reference))


def _draw(
    request: UserRequest,
    draft: Draft,
    target: Target,
    *,
    form: QueryForm | None = None,
    late: ReviewChanged | None = None,
    status: int = 200,
) -> HttpResponse:
    """The form of one target on a page of its own, with what was typed and what others did meanwhile."""
    back = return_url(request.POST or request.GET, draft.application.reference)
    panel = QueryPanels(draft, reader=request.user, back=back).at(target, form=form)
    if request.htmx:
        return render(request, "desk/case/_query_panel.html", {"panel": replace(panel, is_open=True)})
    context: dict[str, Any] = {
        "draft": draft,
        "panel": panel,
        "back": back,
        "changes": late.changes if late else (),
        "is_late": late is not None,
        "problems": form.problems if form else (),
    }
    return render(request, "desk/case/query.html", context, status=status)


def _sight(request: UserRequest) -> ReviewVersion:
    return ReviewVersion.parse(request.POST.get("sight", ""))


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
def notes(request: UserRequest, reference: str) -> HttpResponse:
    """Keep a note about a target, or about the whole application."""
    draft = get_case_or_404(reference)
    if request.method != "POST":
        return redirect("desk:case", reference=reference)
    target = Target.parse(request.POST.get("place", str(WHOLE_APPLICATION)))
    if target is None:
        raise Http404
    text = request.POST.get("note", "")
    try:
        write_note(draft, target, text=text, by=request.user)
    except ReviewRefused as refused:
        return not_done(request, draft, refused, title="Your note was not saved", typed=(("Your note", text),))
    messages.success(request, "Note saved. Only colleagues can see it.")
    return redirect(return_url(request.POST, reference))


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
def note_removal(request: UserRequest, reference: str, number: int) -> HttpResponse:
    """Take one's own note back."""
    draft = get_case_or_404(reference)
    if request.method != "POST":
        return redirect("desk:case", reference=reference)
    is_done = remove_note(draft, number, by=request.user)
    messages.info(request, "Note removed." if is_done else "This note is not yours or was already removed.")
    return redirect(return_url(request.POST, reference))
