"""A case: its page, what an open page asks by itself, its documents; accepting facts, queries to the customer and notes
among colleagues.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.http import require_http_methods, require_safe

from formation_portal.accounts.models import Right
from formation_portal.accounts.policies import UserRequest, agent, agent_with, recently_authenticated
from formation_portal.accounts.sessions import background_request
from formation_portal.applications.draft import Draft
from formation_portal.applications.services import Closed
from formation_portal.reviews.checklist import QUERIED, load_checklist
from formation_portal.reviews.checks import accept, reopen
from formation_portal.reviews.queries import delete_draft, remove_note, resolve, write_note
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target
from formation_portal.reviews.transactions import (
    DocumentsNotOpened,
    ReviewChange,
    ReviewChanged,
    ReviewRefused,
    ReviewVersion,
    current_version,
)
from formation_portal.ui import downloads
from formation_portal.ui.documents import document_page as page_of

from ..case_access import opens_case, opens_documents
from ..case_urls import next_check_url, party_url, queue_shown, return_query, return_url
from ..changes_since import not_done, posted_again
from ..decisions.pages import decision_panel
from ..documents import acknowledged_documents, unopened_documents
from ..lookups import get_case_or_404, get_document_or_404, get_live_case_or_404
from ..models import WORD_LIMIT, Case
from ..queue.pages import colleague_options
from ..shared_texts import SharedTexts, is_insertion
from ..wording import numbered
from .entries import FactStatus
from .forms import QueryForm, posted_query_form, posted_targets, store_query
from .news import CaseVersion, live_case
from .pages import case_page
from .query_panels import QueryPanel, QueryPanels

_METHODS = ["GET", "HEAD", "POST"]


@require_safe
@agent
@opens_case
def case(request: UserRequest, reference: str) -> HttpResponse:
    """Answers, parties, shares, documents, history, how far all of it has come to the service, and who works on it."""
    draft, shown = get_case_or_404(reference), queue_shown(request.GET)
    live = live_case(draft.application, request.user)
    page = case_page(draft, reader=request.user, asked=request.GET)
    decision = decision_panel(
        draft, request.user, deliveries=page.deliveries, shown=shown, checklist=page.checklist, version=page.version
    )
    row: Case | None = getattr(draft.application, "case", None)
    can_assign = row is not None and row.open_since is not None and request.user.has_perm(Right.REVIEW.permission)
    context = {
        "page": page,
        "case": row,
        "colleagues": colleague_options(request.user) if can_assign else (),
        "word_limit": WORD_LIMIT,
        "live": live,
        "decision": decision,
        "shown": shown.address,
    }
    return render(request, "desk/case/case.html", context)


@require_safe
@agent_with(Right.EXPORT)
@recently_authenticated
@opens_documents
def record(request: UserRequest, reference: str) -> HttpResponse:
    """The case as JSON, the same document that its owner can keep."""
    return downloads.record_as_json(request, get_case_or_404(reference))


@require_safe
@agent_with(Right.EXPORT)
@recently_authenticated
@opens_documents
def record_pdf(request: UserRequest, reference: str) -> HttpResponse:
    """The case as a PDF, as its owner has it."""
    return downloads.record_as_pdf(request, get_case_or_404(reference))


@require_safe
@agent
@opens_documents
def document(request: UserRequest, reference: str, number: int) -> HttpResponse:
    """One document, to be saved and not shown: the browser must not take somebody's file for a page of ours."""
    return downloads.as_download(request, get_document_or_404(reference, number), by=request.user)


@require_safe
@background_request
@agent
@opens_case
def case_news(request: UserRequest, reference: str) -> HttpResponse:
    """What has happened since a page of the case was drawn: 204 while its line says so already.

    Asking keeps the case open for others to see. Whoever opens the address gets the case.
    """
    application = get_live_case_or_404(reference)
    if not request.htmx:
        return redirect("desk:case", reference=reference)
    drawn, said = (CaseVersion.read(request.GET.get(name, "")) for name in ("drawn", "said"))
    live = live_case(application, request.user, drawn=drawn) if drawn and said else None
    if live is None or live.version == said:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    page = request.htmx.current_url_abs_path or reverse("desk:case", args=[reference])
    return render(request, "desk/case/_live_answer.html", {"live": live, "page_url": page})


@require_safe
@agent
@opens_documents
def document_page(request: UserRequest, reference: str, number: int, page: int) -> HttpResponse:
    """One page of a document, as its owner sees it."""
    draft, document = get_case_or_404(reference), get_document_or_404(reference, number)
    held = next(one for one in draft.documents if one.pk == document.pk)
    return downloads.open_document_page(request, page_of(draft, held, page, room="desk"))


@require_safe
@agent
@opens_documents
def document_picture(request: UserRequest, reference: str, number: int, page: int) -> HttpResponseBase:
    """The picture of one page; with `size=close` one to be looked at closely."""
    document, is_close = get_document_or_404(reference, number), request.GET.get("size") == "close"
    return downloads.page_as_picture(request, document, page, is_close=is_close)


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
@opens_case
def acceptances(request: UserRequest, reference: str) -> HttpResponse:
    """Accept what is ticked and go back to the page; or, by the button "all", everything that the page had left, and go
    on to the next check."""
    draft, targets = get_case_or_404(reference), posted_targets(request.POST)
    if request.method == "POST" and not targets:
        messages.info(request, "Select what you want to accept.")
    if request.method != "POST" or not targets:
        return redirect(return_url(request.POST, reference))
    acknowledged, back = acknowledged_documents(request.POST), return_url(request.POST, reference)
    shown = queue_shown(return_query(request.POST, reference))

    def accepted(seen: ReviewVersion) -> str:
        count = accept(draft, targets, by=request.user, version=seen, acknowledged=acknowledged)
        said = f"{numbered(count, 'fact')} accepted." if count else "Already accepted."
        party = draft.party(targets[0].holder)
        if party is None or "all" not in request.POST:
            return said
        # The next page says whose they were, and leads back.
        return format_html(
            '<a class="name" href="{}">{}</a>: {}', party_url(reference, party.token, shown), party.label, said
        )

    try:
        return _apply(request, draft, targets, accepted)
    except DocumentsNotOpened as unopened:
        # Name them, with a way to each, and the same post once more.
        documents = unopened_documents(draft, unopened.documents, shown)
        context = {"draft": draft, "documents": documents, "again": posted_again(request), "back": back}
        return render(request, "desk/case/unopened_documents.html", context, status=422)


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
@opens_case
def reopenings(request: UserRequest, reference: str) -> HttpResponse:
    """Take the acceptance of one fact back, and go back to the page."""
    draft, targets = get_case_or_404(reference), posted_targets(request.POST)[:1]
    if request.method != "POST" or not targets:
        return redirect(return_url(request.POST, reference))

    def reopened(seen: ReviewVersion) -> str:
        is_done = reopen(draft, targets[0], by=request.user, version=seen)
        return "Acceptance undone." if is_done else "It was no longer accepted."

    return _apply(request, draft, targets, reopened, is_reopening=True)


def _apply(
    request: UserRequest,
    draft: Draft,
    targets: tuple[Target, ...],
    apply: Callable[[ReviewVersion], str],
    *,
    is_reopening: bool = False,
) -> HttpResponse:
    """Accept or reopen, and go back; else show what others have done meanwhile, or why not, with the facts as they
    stand now."""
    seen, back = _version_seen(request), return_url(request.POST, draft.application.reference)
    conflict = partial(_conflict, request, draft, targets, seen=seen, back=back, is_reopening=is_reopening)
    try:
        messages.success(request, apply(seen))
    except Closed as closed:
        return not_done(request, draft, closed, title="Nothing was changed")
    except ReviewChanged as changed:
        return conflict(changes=changed.changes, status=HTTPStatus.CONFLICT)
    except ReviewRefused as refused:
        return conflict(reason=refused.message, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    if request.POST.keys().isdisjoint(("goes_on", "all")):
        return redirect(back)
    # Two queries. The case's own page stays as it was: with all of it, or with what changed alone.
    token = targets[0].holder if draft.party(targets[0].holder) else ""
    shown = queue_shown(return_query(request.POST, draft.application.reference))
    following = next_check_url(draft, load_checklist(draft), token, shown)
    anchor = following.partition("#")[2]
    return redirect(following if token or not anchor else f"{back.partition('#')[0]}#{anchor}")


def _conflict(
    request: UserRequest,
    draft: Draft,
    targets: tuple[Target, ...],
    *,
    seen: ReviewVersion,
    back: str,
    is_reopening: bool,
    status: int,
    reason: str = "",
    changes: tuple[ReviewChange, ...] = (),
) -> HttpResponse:
    """What was chosen, to be ticked once more where it still can be; what is no part of the application any more is
    left out. `reason` says why, where that is not what others did. Three queries."""
    # Read before the facts: whatever comes between is news then.
    version = current_version(draft.application)
    rows = []
    for holder in load_checklist(draft).holders:
        for fact in holder.facts:
            if fact.target in targets:
                can_be_chosen = not (fact.query is not None and fact.query.is_draft)
                if is_reopening:
                    can_be_chosen = fact.check is not None and bool(fact.check.digest)
                by = f" by {fact.query.by.called}" if fact.query and fact.query.by else ""
                state = f"Queried{by}" if fact.state == QUERIED else FactStatus(fact).words
                rows.append((fact, holder.title, state, can_be_chosen))
    # Submitted again meanwhile: then the answers are to be looked at first.
    is_another_round = seen.round != version.round
    context = {
        "draft": draft,
        "reason": reason,
        "changes": changes,
        "rows": rows,
        "can_be_posted": not is_another_round and any(can_be_chosen for *_, can_be_chosen in rows),
        "version": version,
        "back": back,
        "is_reopening": is_reopening,
        "is_another_round": is_another_round,
    }
    return render(request, "desk/case/acceptance_conflict.html", context, status=status)


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
@opens_case
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
    if is_insertion(request):
        texts = SharedTexts(draft, reader=request.user, target=target)
        text = texts.inserted(form.text, request.POST.get("shared_text", ""))
        form = replace(form, text=text, is_filled=True)
        return _draw(request, draft, target, form=form, version=_version_seen(request))
    try:
        store_query(draft, form, by=request.user, version=_version_seen(request))
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
@opens_case
def query_removal(request: UserRequest, reference: str, number: int) -> HttpResponse:
    """Drop what is drafted."""
    return _end(
        request, reference, number, delete_draft, title="The draft query was not deleted", said="Draft deleted."
    )


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
@opens_case
def query_resolution(request: UserRequest, reference: str, number: int) -> HttpResponse:
    """Say that what was asked is answered."""
    return _end(request, reference, number, resolve, title="The query was not resolved", said="Query resolved.")


def _end(
    request: UserRequest, reference: str, number: int, action: Callable[..., bool], *, title: str, said: str
) -> HttpResponse:
    draft = get_case_or_404(reference)
    if request.method != "POST":
        return redirect("desk:case", reference=reference)
    try:
        is_done = action(draft, number, by=request.user, version=_version_seen(request))
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
    version: ReviewVersion | None = None,
    status: int = 200,
) -> HttpResponse:
    """The form of one target on a page of its own, with what was typed and what others did meanwhile. `version` is what
    the page has seen, where that is not what stands there now."""
    back = return_url(request.POST or request.GET, draft.application.reference)
    panels = QueryPanels(draft, reader=request.user, back=back, version=version)
    panel = QueryPanel(panels, target, form, is_open=bool(form or request.htmx))
    if request.htmx:
        return render(request, "desk/case/_query_panel.html", {"panel": panel})
    context: dict[str, Any] = {
        "draft": draft,
        "panel": panel,
        "back": panel.back,
        "changes": late.changes if late else (),
        "is_late": late is not None,
        "problems": form.problems if form else (),
    }
    return render(request, "desk/case/query.html", context, status=status)


def _version_seen(request: UserRequest) -> ReviewVersion:
    """The version of the review that the page showed."""
    return ReviewVersion.parse(request.POST.get("sight", ""))


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
@opens_case
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
@opens_case
def note_removal(request: UserRequest, reference: str, number: int) -> HttpResponse:
    """Take one's own note back."""
    draft = get_case_or_404(reference)
    if request.method != "POST":
        return redirect("desk:case", reference=reference)
    is_done = remove_note(draft, number, by=request.user)
    messages.info(request, "Note removed." if is_done else "This note is not yours or was already removed.")
    return redirect(return_url(request.POST, reference))
