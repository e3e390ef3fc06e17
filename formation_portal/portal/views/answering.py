"""What pages with questions have in common: the answer to a change, the page for a stale save, and its way out."""

from typing import Protocol

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from formation_portal.applications.drafts import Draft

from .. import conflict
from ..difference import difference
from ..finding import posted_version
from ..sheet import Sheet

# Pages that send somebody to a question, and take them back after saving.
_COMES_BACK = ("check", "overview")


class Page(Protocol):
    """A page of an application that saves what is typed on it."""

    @property
    def draft(self) -> Draft: ...

    @property
    def url(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def company(self) -> str: ...

    @property
    def version(self) -> int: ...


class AnswersPage(Page, Protocol):
    """A page that asks the questions of one sheet."""

    @property
    def sheet(self) -> Sheet: ...


def following(request: HttpRequest, page: Page, *, onwards: str) -> str:
    """Where the pressed button leads after a save: away, the same page once more, back to the check, or onwards."""
    reference = page.draft.application.reference
    if "later" in request.POST:
        return reverse("portal:overview", args=[reference])
    if "update" in request.POST:
        # Not where the post went: what was new has an address of its own by now.
        query = request.GET.urlencode()
        return f"{page.url}?{query}" if query else page.url
    if request.GET.get("next") in _COMES_BACK:
        return reverse(f"portal:{request.GET['next']}", args=[reference])
    return onwards


def answer_change(request: HttpRequest, page: AnswersPage, *, before: Sheet) -> HttpResponse:
    """After a change was saved: only what the page shows wrong, out of band; never a control that may be in use.

    204 where it shows nothing wrong, not even its version.
    """
    changed = difference(before=before, after=page.sheet, shown=request.POST.getlist("shown"))
    if changed.is_nothing and posted_version(request.POST) == page.version:
        return HttpResponse(status=204)
    return render(request, "portal/_section_change.html", {"page": page, "changed": changed})


def draw_conflict(request: HttpRequest, page: Page, clashes: tuple[conflict.Clash, ...]) -> HttpResponse:
    """409: what stands there now beside what was typed, and a form that sends it once more.

    A change that script posts in the background is only told of; the page with what was typed stays.
    """
    if getattr(request, "htmx", False):
        return render(request, "portal/_section_stale.html")
    found = conflict.Conflict(
        title=page.title,
        company=page.company,
        url=request.get_full_path(),
        version=page.version,
        clashes=clashes,
        carried=conflict.carried(request.POST),
    )
    return render(request, "portal/section_conflict.html", {"page": found}, status=409)
