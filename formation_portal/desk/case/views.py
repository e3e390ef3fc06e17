"""A case: its page, what an open page asks by itself, its documents, and accepting facts."""

from collections.abc import Callable
from functools import partial
from http import HTTPStatus

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from formation_portal.accounts.models import Right
from formation_portal.accounts.policies import UserRequest, agent, agent_with
from formation_portal.accounts.sessions import background_request
from formation_portal.applications.draft import Draft
from formation_portal.applications.services import Closed
from formation_portal.reviews.changes_since import ReviewVersion
from formation_portal.reviews.checklist import load_checklist
from formation_portal.reviews.checks import accept, reopen
from formation_portal.reviews.targets import Target
from formation_portal.reviews.transactions import DocumentsNotOpened, ReviewChanged, ReviewRefused
from formation_portal.ui.documents import document_page as page_of
from formation_portal.ui.downloads import as_download, page_as_picture, record_as_json, record_as_pdf

from ..case_urls import TargetLinks, queue_shown, return_url
from ..changes_since import not_done, posted_again
from ..decisions.pages import decision_panel
from ..documents import acknowledged_documents, unopened_documents
from ..lookups import get_case_or_404, get_document_or_404, get_live_case_or_404
from ..models import WORD_LIMIT
from ..wording import numbered
from .conflicts import conflict_page
from .forms import posted_targets
from .news import case_line
from .news import case_news as news_of
from .pages import case_page
from .presence import CaseVersion


@require_safe
@agent
def case(request: UserRequest, reference: str) -> HttpResponse:
    """Answers, parties, shares, documents, history, how far all of it has come to the service, and who works on it."""
    draft, shown = get_case_or_404(reference), queue_shown(request.GET)
    live = case_line(draft.application, request.user)
    page = case_page(draft, reader=request.user, asked=request.GET)
    decision = decision_panel(
        draft, request.user, deliveries=page.arrivals, shown=shown, facts=page.facts, version=page.version
    )
    context = {
        "page": page,
        "case": getattr(draft.application, "case", None),
        "word_limit": WORD_LIMIT,
        "live": live,
        "decision": decision,
        "shown": shown.address,
    }
    return render(request, "desk/case/case.html", context)


@require_safe
@agent_with(Right.EXPORT)
def record(request: UserRequest, reference: str) -> HttpResponse:
    """The case as JSON, the same document that its owner can keep."""
    return record_as_json(request, get_case_or_404(reference))


@require_safe
@agent_with(Right.EXPORT)
def record_pdf(request: UserRequest, reference: str) -> HttpResponse:
    """The case as a PDF, as its owner has it."""
    return record_as_pdf(request, get_case_or_404(reference))


@require_safe
@agent
def document(request: UserRequest, reference: str, number: int) -> HttpResponse:
    """One document, to be saved and not shown: the browser must not take somebody's file for a page of ours."""
    return as_download(request, get_document_or_404(reference, number), by=request.user)


@require_safe
@background_request
@agent
def case_news(request: UserRequest, reference: str) -> HttpResponse:
    """What has happened since a page of the case was drawn: 204 while its line says so already.

    Asking keeps the case open for others to see. Whoever opens the address gets the case.
    """
    application = get_live_case_or_404(reference)
    if not request.htmx:
        return redirect("desk:case", reference=reference)
    drawn, said = (CaseVersion.read(request.GET.get(name, "")) for name in ("drawn", "said"))
    found = news_of(application, request.user, drawn=drawn, said=said) if drawn and said else None
    if found is None:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    page = request.htmx.current_url_abs_path or reverse("desk:case", args=[reference])
    return render(request, "desk/case/_live_answer.html", {"live": found, "page_url": page})


@require_safe
@agent
def document_page(request: UserRequest, reference: str, number: int, page: int) -> HttpResponse:
    """One page of a document, as its owner sees it."""
    draft, document = get_case_or_404(reference), get_document_or_404(reference, number)
    held = next(one for one in draft.documents if one.pk == document.pk)
    return render(request, "portal/documents/document.html", {"page": page_of(draft, held, page, room="desk")})


@require_safe
@agent
def document_picture(request: UserRequest, reference: str, number: int, page: int) -> HttpResponseBase:
    """The picture of one page; with `size=close` one to be looked at closely."""
    document, is_close = get_document_or_404(reference, number), request.GET.get("size") == "close"
    return page_as_picture(request, document, page, is_close=is_close)


_METHODS = ["GET", "HEAD", "POST"]


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
def acceptances(request: UserRequest, reference: str) -> HttpResponse:
    """Accept what is ticked, or, by the button "all", everything that the page had left, and go back to it."""
    draft, targets = get_case_or_404(reference), posted_targets(request.POST)
    if request.method == "POST" and not targets:
        messages.info(request, "Select what you want to accept.")
    if request.method != "POST" or not targets:
        return redirect(return_url(request.POST, reference))
    accepted = partial(accept, draft, targets, by=request.user, acknowledged=acknowledged_documents(request.POST))
    try:
        return _apply(request, draft, targets, lambda seen: _accepted(accepted(version=seen)))
    except DocumentsNotOpened as unopened:
        # Name them, with a way to each, and the same post once more.
        documents = unopened_documents(draft, unopened.documents, queue_shown(request.POST))
        back = return_url(request.POST, draft.application.reference)
        context = {"draft": draft, "documents": documents, "again": posted_again(request), "back": back}
        return render(request, "desk/case/unopened_documents.html", context, status=422)


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
def reopenings(request: UserRequest, reference: str) -> HttpResponse:
    """Take the acceptance of one fact back, and go back to the page."""
    draft, targets = get_case_or_404(reference), posted_targets(request.POST)[:1]
    if request.method != "POST" or not targets:
        return redirect(return_url(request.POST, reference))
    reopened = partial(reopen, draft, targets[0], by=request.user)
    return _apply(request, draft, targets, lambda seen: _reopened(reopened(version=seen)), is_reopening=True)


def _apply(
    request: UserRequest,
    draft: Draft,
    targets: tuple[Target, ...],
    deed: Callable[[ReviewVersion], str],
    *,
    is_reopening: bool = False,
) -> HttpResponse:
    seen, back = (
        ReviewVersion.parse(request.POST.get("sight", "")),
        return_url(request.POST, draft.application.reference),
    )
    page_of = partial(conflict_page, draft, targets, seen=seen, back=back, is_reopening=is_reopening)
    try:
        messages.success(request, deed(seen))
    except Closed as closed:
        return not_done(request, draft, closed, title="Nothing was changed")
    except ReviewChanged as changed:
        return render(
            request, "desk/case/acceptance_conflict.html", {"page": page_of(changes=changed.changes)}, status=409
        )
    except ReviewRefused as refused:
        return render(
            request, "desk/case/acceptance_conflict.html", {"page": page_of(reason=refused.message)}, status=422
        )
    return redirect(_next_url(request, draft, back) if "goes_on" in request.POST else back)


def _next_url(request: UserRequest, draft: Draft, back: str) -> str:
    """The same page at the first of the case's own sections and documents that is still to be checked, else at the
    decision. Two queries."""
    facts = load_checklist(draft)
    own = facts.of_holder("")
    following = next((fact.target for fact in own.facts if fact.is_to_do), None) if own else None
    links = TargetLinks(draft, facts, queue_shown(request.POST))
    _, _, anchor = links.at(following).partition("#") if following else ("", "", "decide")
    return f"{back.partition('#')[0]}#{anchor}"


def _accepted(count: int) -> str:
    if not count:
        return "Already accepted."
    return f"{numbered(count, 'fact')} accepted."


def _reopened(was_accepted: bool) -> str:
    return "Acceptance undone." if was_accepted else "It was no longer accepted."
