"""Answer a post that the review refuses, or that comes after a change by others, without losing typed text."""

from collections.abc import Collection, Iterable
from types import TracebackType
from typing import Self

from django.http import HttpResponse
from django.shortcuts import render

from formation_portal.accounts.models import Right
from formation_portal.accounts.policies import UserRequest
from formation_portal.applications.services import Closed
from formation_portal.reviews.transactions import (
    ClaimedByColleague,
    DocumentsNotOpened,
    NotApprovable,
    ReviewChanged,
    ReviewRefused,
    ReviewVersion,
    changes_since,
    current_version,
)

from .case_urls import return_url
from .lookups import get_case_or_404

ReviewError = (ReviewChanged, ReviewRefused, Closed, ClaimedByColleague, NotApprovable, DocumentsNotOpened)


class ReviewErrors:
    """A context that catches the errors of a review. `response` then answers the post; None where there was no error.

    `title` says what was not done; `typed` has labels with typed texts. Subclasses show the form again.
    """

    def __init__(
        self, request: UserRequest, reference: str, *, title: str, typed: Iterable[tuple[str, str]] = ()
    ) -> None:
        self.request = request
        self.reference = reference
        self.title = title
        self.typed = tuple(typed)
        self.response: HttpResponse | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, error: BaseException | None, _traceback: TracebackType | None
    ) -> bool:
        if isinstance(error, ReviewError):
            self.response = self.answer(error)
        return self.response is not None

    def answer(self, error: Exception) -> HttpResponse | None:
        """Return a page that says why nothing was done; None for an unknown error.

        After ReviewChanged the page offers to post again, after other errors to copy the `typed` texts.
        """
        if not isinstance(error, ReviewChanged | ReviewRefused | Closed | ClaimedByColleague):
            return None
        draft = get_case_or_404(self.reference)
        context = {
            "draft": draft,
            "title": self.title,
            "why": str(error),
            "sight": current_version(draft.application),
            "back": return_url(self.request.POST, self.reference),
        }
        if isinstance(error, ReviewChanged):
            again = posted_again(self.request, without=("sight",))
            context |= {"is_late": True, "changes": error.changes, "again": again}
        else:
            context["typed"] = [(label, text) for label, text in self.typed if text.strip()]
        if isinstance(error, ReviewRefused):
            return render(self.request, "desk/not_done.html", context, status=422)
        if isinstance(error, Closed | ClaimedByColleague):
            seen = ReviewVersion(0, seen_version(self.request).version)
            context["changes"] = changes_since(draft.application, seen, by=self.request.user)[:5]
        if isinstance(error, ClaimedByColleague):
            context["can_take_over"] = self.request.user.has_perm(Right.REVIEW.permission)
        return render(self.request, "desk/not_done.html", context, status=409)


def seen_version(request: UserRequest) -> ReviewVersion:
    return ReviewVersion.parse(request.POST.get("sight", ""))


def posted_again(request: UserRequest, *, without: Collection[str] = ()) -> tuple[tuple[str, str], ...]:
    """Return the names and values of the post, except the names in `without`, to be posted again."""
    controls = []
    for name, values in request.POST.lists():
        if name != "csrfmiddlewaretoken" and name not in without:
            controls += [(name, str(value)) for value in values]
    return tuple(controls)
