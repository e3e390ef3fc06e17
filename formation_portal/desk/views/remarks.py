"""Asking a customer to mend something: drafting it at a place, dropping it, and saying that it is answered."""

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
from formation_portal.reviews.exceptions import ReviewChanged, ReviewRefused
from formation_portal.reviews.queries import delete_draft, resolve
from formation_portal.reviews.targets import Target

from ..finding import case_of
from ..meanwhile import meanwhile
from ..remark_form import RemarkForm, keep, posted_form
from ..remark_panels import Panels
from ..ways_back import back_in
from .undone import undone

_METHODS = ["GET", "HEAD", "POST"]


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
def remarks(request: UserRequest, reference: str) -> HttpResponse:
    """Draft a remark, change it, or note something for colleagues. A GET shows the form of the place that it names."""
    draft, said = case_of(reference), request.POST if request.method == "POST" else request.GET
    place = Target.parse(said.get("place", ""))
    if request.method != "POST":
        return _draw(request, draft, place) if place else redirect("desk:review", reference=reference)
    if place is None:
        raise Http404
    form = posted_form(draft, place, request.POST)
    if "update" in request.POST:
        return _draw(request, draft, place, form=form)
    try:
        keep(draft, form, by=request.user, sight=_sight(request))
    except ReviewChanged as late:
        return _draw(request, case_of(reference), place, form=form, late=late, status=409)
    except ReviewRefused as refused:
        return _draw(request, draft, place, form=form.with_error(refused), status=422)
    except Closed as closed:
        typed = (("Message to the customer", form.text), ("For colleagues only", form.note))
        return undone(request, case_of(reference), closed, title="Your query was not saved", typed=typed)
    messages.success(request, _said(form))
    return redirect(back_in(request.POST, reference))


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
def removal(request: UserRequest, reference: str, number: int) -> HttpResponse:
    """Drop what is drafted."""
    return _end(
        request, reference, number, delete_draft, title="The draft query was not deleted", said="Draft deleted."
    )


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
def settlement(request: UserRequest, reference: str, number: int) -> HttpResponse:
    """Say that what was asked is answered."""
    return _end(request, reference, number, resolve, title="The query was not resolved", said="Query resolved.")


def _end(
    request: UserRequest, reference: str, number: int, deed: Callable[..., bool], *, title: str, said: str
) -> HttpResponse:
    draft = case_of(reference)
    if request.method != "POST":
        return redirect("desk:review", reference=reference)
    try:
        is_done = deed(draft, number, by=request.user, version=_sight(request))
    except (ReviewChanged, Closed) as why:
        return undone(request, case_of(reference), why, title=title)
    messages.info(request, said if is_done else "This query is no longer open.")
    return redirect(back_in(request.POST, reference))


def _draw(
    request: UserRequest,
    draft: Draft,
    place: Target,
    *,
    form: RemarkForm | None = None,
    late: ReviewChanged | None = None,
    status: int = 200,
) -> HttpResponse:
    """The form of one place on a page of its own: with what was typed, and what others did meanwhile."""
    back = back_in(request.POST or request.GET, draft.application.reference)
    panel = Panels(draft, reader=request.user, back=back).at(place, form=form)
    if request.htmx:
        return render(request, "desk/_remark.html", {"panel": replace(panel, is_open=True)})
    context: dict[str, Any] = {
        "draft": draft,
        "panel": panel,
        "back": back,
        "moves": meanwhile(late.changes) if late else (),
        "is_late": late is not None,
        "problems": form.problems if form else (),
    }
    return render(request, "desk/remark.html", context, status=status)


def _said(form: RemarkForm) -> str:
    if form.is_a_note_alone:
        return "Note saved. Only colleagues can see it."
    return "Query saved. It is sent when you return the application."


def _sight(request: UserRequest) -> ReviewVersion:
    return ReviewVersion.parse(request.POST.get("sight", ""))
