"""What pages with questions have in common: the answer to a change, the page for a stale save, and its way out."""

from typing import Protocol

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from .. import conflict
from ..sheet import Sheet, difference


class AnswersPage(Protocol):
    """A page that asks the questions of one sheet."""

    @property
    def sheet(self) -> Sheet: ...

    @property
    def url(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def company(self) -> str: ...

    @property
    def version(self) -> int: ...


def wants_to_stay(request: HttpRequest) -> bool:
    """Whether the button was one that only brings the page up to date, as without script."""
    return "update" in request.POST


def answer_change(request: HttpRequest, page: AnswersPage, *, before: Sheet) -> HttpResponse:
    """After a change was saved: only what the page shows wrong, out of band; never a control that may be in use."""
    changed = difference(before=before, after=page.sheet, shown=request.POST.getlist("shown"))
    return render(request, "portal/_section_change.html", {"page": page, "changed": changed})


def draw_conflict(request: HttpRequest, page: AnswersPage, clashes: tuple[conflict.Clash, ...]) -> HttpResponse:
    """409: what stands there now beside what was typed, and a form that sends it once more."""
    found = conflict.Conflict(
        title=page.title,
        company=page.company,
        url=page.url,
        version=page.version,
        clashes=clashes,
        carried=conflict.carried(request.POST),
    )
    return render(request, "portal/section_conflict.html", {"page": found}, status=409)
