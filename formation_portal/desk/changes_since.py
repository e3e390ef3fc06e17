"""What others have done while a page was open, and the answer to a post that was therefore not carried out: nothing
that was typed is lost.
"""

from collections.abc import Iterable
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
    """Catch what stops a change of a review, and answer the post. `response` is None where nothing has stopped it.

    `title` says on a page of its own what was not done; `typed` is what was written, by its label. Subclasses show the
    form again where it can be corrected.
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
        """Draw what the agent gets in place of the next page; None for an error that is not answered here."""
        if isinstance(error, ReviewChanged | ReviewRefused | Closed | ClaimedByColleague):
            draft = get_case_or_404(self.reference)
            return not_done(self.request, draft, error, title=self.title, typed=self.typed)
        return None


def not_done(
    request: UserRequest,
    draft: Draft,
    why: ReviewChanged | ReviewRefused | Closed | ClaimedByColleague,
    *,
    title: str,
    typed: Iterable[tuple[str, str]] = (),
) -> HttpResponse:
    """A page that says why. After ReviewChanged it tells what others did and offers the same post again, with the new
    version; `typed` is what was written, by its label, to be kept where it can't be posted again."""
    version = current_version(draft.application)
    is_late = isinstance(why, ReviewChanged)
    changes: tuple[ReviewChange, ...] = ()
    if isinstance(why, ReviewChanged):
        changes = why.changes
    elif isinstance(why, Closed | ClaimedByColleague):
        seen = ReviewVersion(0, ReviewVersion.parse(request.POST.get("sight", "")).version)
        changes = changes_since(draft.application, seen, by=request.user)[:5]
    context = {
        "draft": draft,
        "title": title,
        "why": str(why),
        "changes": changes,
        "again": posted_again(request, without=("sight",)) if is_late else (),
        "is_late": is_late,
        "sight": version,
        "typed": [(label, text) for label, text in typed if text.strip() and not is_late],
        "can_take_over": isinstance(why, ClaimedByColleague) and request.user.has_perm(Right.REVIEW.permission),
        "back": return_url(request.POST, draft.application.reference),
    }
    return render(request, "desk/not_done.html", context, status=422 if isinstance(why, ReviewRefused) else 409)


def posted_again(request: UserRequest, *, without: Iterable[str] = ()) -> tuple[tuple[str, str], ...]:
    """Everything that was posted, to be posted once more, but for these names."""
    left_out = {"csrfmiddlewaretoken", *without}
    return tuple(
        (name, value)
        for name, values in request.POST.lists()
        if name not in left_out
        for value in values
        if isinstance(value, str)
    )
