"""Words among colleagues about a case."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.models import Right
from formation_portal.accounts.policies import UserRequest, agent_with
from formation_portal.reviews.exceptions import ReviewRefused
from formation_portal.reviews.notes import remove_note, write_note
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target

from ..finding import case_of
from ..ways_back import back_in
from .undone import undone

_METHODS = ["GET", "HEAD", "POST"]


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
def notes(request: UserRequest, reference: str) -> HttpResponse:
    """Keep a note about a place, or about the whole."""
    draft = case_of(reference)
    if request.method != "POST":
        return redirect("desk:review", reference=reference)
    place = Target.parse(request.POST.get("place", str(WHOLE_APPLICATION)))
    if place is None:
        raise Http404
    text = request.POST.get("note", "")
    try:
        write_note(draft, place, text=text, by=request.user)
    except ReviewRefused as refused:
        return undone(request, draft, refused, title="Your note was not saved", typed=(("Your note", text),))
    messages.success(request, "Note saved. Only colleagues can see it.")
    return redirect(back_in(request.POST, reference))


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
def removal(request: UserRequest, reference: str, number: int) -> HttpResponse:
    """Take one's own note back."""
    draft = case_of(reference)
    if request.method != "POST":
        return redirect("desk:review", reference=reference)
    is_done = remove_note(draft, number, by=request.user)
    messages.info(request, "Note removed." if is_done else "This note is not yours or was already removed.")
    return redirect(back_in(request.POST, reference))
