"""The answer to a deed on a case that was not done, with which nothing that was typed is lost."""

from collections.abc import Iterable
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render

from formation_portal.accounts.policies import UserRequest
from formation_portal.applications.draft import Draft
from formation_portal.applications.services import Closed
from formation_portal.reviews.changes_since import ReviewVersion, changes_since, current_version
from formation_portal.reviews.exceptions import ReviewChanged, ReviewRefused

from ..meanwhile import meanwhile
from ..ways_back import back_in


def undone(
    request: UserRequest,
    draft: Draft,
    why: ReviewChanged | ReviewRefused | Closed,
    *,
    title: str,
    typed: Iterable[tuple[str, str]] = (),
) -> HttpResponse:
    """A page that says why. After Overtaken it tells what others did and offers the same post again, with the new
    sight; `typed` is what was written, by its label, to be kept where it can't be posted again."""
    sight = current_version(draft.application)
    is_late = isinstance(why, ReviewChanged)
    moves = why.changes if isinstance(why, ReviewChanged) else _moves(request, draft) if isinstance(why, Closed) else ()
    context = {
        "draft": draft,
        "title": title,
        "why": str(why),
        "moves": meanwhile(moves),
        "again": carried(request, without=("sight",)) if is_late else (),
        "is_late": is_late,
        "sight": sight,
        "typed": [(label, text) for label, text in typed if text.strip() and not is_late],
        "back": back_in(request.POST, draft.application.reference),
    }
    return render(request, "desk/undone.html", context, status=422 if isinstance(why, ReviewRefused) else 409)


def _moves(request: UserRequest, draft: Draft) -> tuple[Any, ...]:
    return changes_since(
        draft.application, ReviewVersion(0, ReviewVersion.parse(request.POST.get("sight", "")).version), by=request.user
    )[:5]


def carried(request: UserRequest, *, without: Iterable[str] = ()) -> tuple[tuple[str, str], ...]:
    """Everything that was posted, to be posted once more, but for these names."""
    left_out = {"csrfmiddlewaretoken", *without}
    return tuple(
        (name, value)
        for name, values in request.POST.lists()
        if name not in left_out
        for value in values
        if isinstance(value, str)
    )
