"""Answer a post that a review refuses or that was overtaken by others, so that no typed text is lost."""

from collections.abc import Collection, Iterable
from types import TracebackType
from typing import Self

from django.http import HttpResponse
from django.shortcuts import render

from formation_portal.accounts.models import Right
from formation_portal.accounts.policies import UserRequest
from formation_portal.applications.draft import Draft
from formation_portal.applications.services import Closed
from formation_portal.reviews.transactions import (
    ClaimedByColleague,
    DocumentsNotOpened,
    NotApprovable,
    ReviewChange,
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
    """Catch the errors of a review and answer the post. `response` is None where there was no error.

    `title` says on a page of its own what was not done; `typed` are the written texts by their labels. Subclasses show
    the form again where it can be corrected.
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
        """Return the answer to the post; None for an error that is not answered here."""
        if isinstance(error, ReviewChanged | ReviewRefused | Closed | ClaimedByColleague):
            draft = get_case_or_404(self.reference)
            return not_done(self.request, draft, error, title=self.title, typed=self.typed)
        return None


def not_done(
    request: UserRequest,
    draft: Draft,
    error: ReviewChanged | ReviewRefused | Closed | ClaimedByColleague,
    *,
    title: str,
    typed: Iterable[tuple[str, str]] = (),
) -> HttpResponse:
    """Draw a page that says why nothing was done.

    After ReviewChanged it tells what others did, and offers to post again with the new version; after other errors it
    shows the `typed` texts to be copied.
    """
    version = current_version(draft.application)
    is_late = isinstance(error, ReviewChanged)
    changes: tuple[ReviewChange, ...] = ()
    if isinstance(error, ReviewChanged):
        changes = error.changes
    elif isinstance(error, Closed | ClaimedByColleague):
        seen = ReviewVersion(0, seen_version(request).version)
        changes = changes_since(draft.application, seen, by=request.user)[:5]
    context = {
        "draft": draft,
        "title": title,
        "why": str(error),
        "changes": changes,
        "again": posted_again(request, without=("sight",)) if is_late else (),
        "is_late": is_late,
        "sight": version,
        "typed": [(label, text) for label, text in typed if text.strip() and not is_late],
        "can_take_over": isinstance(error, ClaimedByColleague) and request.user.has_perm(Right.REVIEW.permission),
        "back": return_url(request.POST, draft.application.reference),
    }
    return render(request, "desk/not_done.html", context, status=422 if isinstance(error, ReviewRefused) else 409)


def seen_version(request: UserRequest) -> ReviewVersion:
    """Return the version of the review that the posting page showed."""
    return ReviewVersion.parse(request.POST.get("sight", ""))


def posted_again(request: UserRequest, *, without: Collection[str] = ()) -> tuple[tuple[str, str], ...]:
    """Return the names and values of the post, to be posted once more, but for these names."""
    controls = []
    for name, values in request.POST.lists():
        if name != "csrfmiddlewaretoken" and name not in without:
            controls += [(name, str(value)) for value in values]
    return tuple(controls)
