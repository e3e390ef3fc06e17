"""A case: its page, what an open page asks by itself, its documents; accepting facts, queries to the customer and notes
among colleagues.
"""

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
from ..changes_since import ReviewErrors, posted_again
from ..decisions.pages import decision_panel
from ..documents import acknowledged_documents, unopened_documents
from ..lookups import get_case_or_404, get_document_or_404, get_live_case_or_404
from ..models import WORD_LIMIT, Case
from ..queue.pages import colleague_options
from ..shared_texts import SharedTexts, is_insertion
from ..wording import numbered
from .entries import FactStatus
from .forms import QueryForm, posted_query_form, posted_targets
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
    seen = _version_seen(request)
    with AcceptanceErrors(request, draft, targets) as errors:
        count = accept(draft, targets, by=request.user, version=seen, acknowledged=acknowledged_documents(request.POST))
    if errors.response:
        return errors.response
    message = f"{numbered(count, 'fact')} accepted." if count else "Already accepted."
    party = draft.party(targets[0].holder)
    if party is not None and "all" in request.POST:
        # The next page says whose they were, and leads back.
        url = party_url(reference, party.token, queue_shown(return_query(request.POST, reference)))
        message = format_html('<a class="name" href="{}">{}</a>: {}', url, party.label, message)
    messages.success(request, message)
    return _go_on(request, draft, targets)


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
@opens_case
def reopenings(request: UserRequest, reference: str) -> HttpResponse:
    """Take the acceptance of one fact back, and go back to the page."""
    draft, targets = get_case_or_404(reference), posted_targets(request.POST)[:1]
    if request.method != "POST" or not targets:
        return redirect(return_url(request.POST, reference))
    with AcceptanceErrors(request, draft, targets, is_reopening=True) as errors:
        is_done = reopen(draft, targets[0], by=request.user, version=_version_seen(request))
    if errors.response:
        return errors.response
    messages.success(request, "Acceptance undone." if is_done else "It was no longer accepted.")
    return _go_on(request, draft, targets)


def _go_on(request: UserRequest, draft: Draft, targets: tuple[Target, ...]) -> HttpResponse:
    """Go back to the page, or on to the next check where the form asks for it."""
    back = return_url(request.POST, draft.application.reference)
    if request.POST.keys().isdisjoint(("goes_on", "all")):
        return redirect(back)
    # Two queries. The case's own page stays as it was: with all of it, or with what changed alone.
    token = targets[0].holder if draft.party(targets[0].holder) else ""
    shown = queue_shown(return_query(request.POST, draft.application.reference))
    following = next_check_url(draft, load_checklist(draft), token, shown)
    anchor = following.partition("#")[2]
    return redirect(following if token or not anchor else f"{back.partition('#')[0]}#{anchor}")


class AcceptanceErrors(ReviewErrors):
    """Show what others have done meanwhile, or why not, with the chosen facts as they stand now; or the documents that
    the agent has not opened, with the same post once more."""

    def __init__(
        self, request: UserRequest, draft: Draft, targets: tuple[Target, ...], *, is_reopening: bool = False
    ) -> None:
        super().__init__(request, draft.application.reference, title="Nothing was changed")
        self.draft = draft
        self.targets = targets
        self.is_reopening = is_reopening

    def answer(self, error: Exception) -> HttpResponse | None:
        if isinstance(error, ReviewChanged):
            return self._show_conflict(changes=error.changes, status=HTTPStatus.CONFLICT)
        if isinstance(error, ReviewRefused):
            return self._show_conflict(reason=error.message, status=HTTPStatus.UNPROCESSABLE_ENTITY)
        if isinstance(error, DocumentsNotOpened):
            return self._show_documents(error)
        return super().answer(error)

    def _show_documents(self, unopened: DocumentsNotOpened) -> HttpResponse:
        shown = queue_shown(return_query(self.request.POST, self.reference))
        context = {
            "draft": self.draft,
            "documents": unopened_documents(self.draft, unopened.documents, shown),
            "again": posted_again(self.request),
            "back": return_url(self.request.POST, self.reference),
        }
        return render(self.request, "desk/case/unopened_documents.html", context, status=422)

    def _show_conflict(self, *, status: int, reason: str = "", changes: tuple[ReviewChange, ...] = ()) -> HttpResponse:
        """Draw what was chosen, to be ticked once more where it still can be. `reason` says why, where that is not what
        others did. Three queries."""
        # Read before the facts: whatever comes between is news then.
        version = current_version(self.draft.application)
        rows = []
        for holder in load_checklist(self.draft).holders:
            for fact in holder.facts:
                if fact.target in self.targets:
                    can_be_chosen = not (fact.query is not None and fact.query.is_draft)
                    if self.is_reopening:
                        can_be_chosen = fact.check is not None and bool(fact.check.digest)
                    by = f" by {fact.query.by.called}" if fact.query and fact.query.by else ""
                    state = f"Queried{by}" if fact.state == QUERIED else FactStatus(fact).words
                    rows.append((fact, holder.title, state, can_be_chosen))
        # Submitted again meanwhile: then the answers are to be looked at first.
        is_another_round = _version_seen(self.request).round != version.round
        context = {
            "draft": self.draft,
            "reason": reason,
            "changes": changes,
            "rows": rows,
            "can_be_posted": not is_another_round and any(can_be_chosen for *_, can_be_chosen in rows),
            "version": version,
            "back": return_url(self.request.POST, self.reference),
            "is_reopening": self.is_reopening,
            "is_another_round": is_another_round,
        }
        return render(self.request, "desk/case/acceptance_conflict.html", context, status=status)


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
        form.insert(texts, request.POST.get("shared_text", ""))
        return _draw(request, draft, target, form=form, version=_version_seen(request))
    if not form.is_valid():
        return _draw(request, draft, target, form=form, status=422)
    with QueryErrors(request, draft, target, form) as errors:
        form.store(draft, by=request.user, version=_version_seen(request))
    if errors.response:
        return errors.response
    if form.is_a_note_alone:
        messages.success(request, "Note saved. Only colleagues can see it.")
    else:
        messages.success(request, "Query saved. It is sent when you return the application.")
    return redirect(return_url(request.POST, reference))


class QueryErrors(ReviewErrors):
    """Show the form of a query again, with what is wrong in it or what others have done meanwhile."""

    def __init__(self, request: UserRequest, draft: Draft, target: Target, form: QueryForm) -> None:
        super().__init__(request, draft.application.reference, title="Your query was not saved", typed=form.typed)
        self.draft = draft
        self.target = target
        self.form = form

    def answer(self, error: Exception) -> HttpResponse | None:
        if isinstance(error, ReviewChanged):
            draft = get_case_or_404(self.reference)
            return _draw(self.request, draft, self.target, form=self.form, late=error, status=409)
        if isinstance(error, ReviewRefused):
            self.form.add_refusal(error)
            return _draw(self.request, self.draft, self.target, form=self.form, status=422)
        return super().answer(error)


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
@opens_case
def query_removal(request: UserRequest, reference: str, number: int) -> HttpResponse:
    """Drop what is drafted."""
    draft = get_case_or_404(reference)
    if request.method != "POST":
        return redirect("desk:case", reference=reference)
    with ReviewErrors(request, reference, title="The draft query was not deleted") as errors:
        is_done = delete_draft(draft, number, by=request.user, version=_version_seen(request))
    return errors.response or _query_ended(request, reference, "Draft deleted." if is_done else "")


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
@opens_case
def query_resolution(request: UserRequest, reference: str, number: int) -> HttpResponse:
    """Say that what was asked is answered."""
    draft = get_case_or_404(reference)
    if request.method != "POST":
        return redirect("desk:case", reference=reference)
    with ReviewErrors(request, reference, title="The query was not resolved") as errors:
        is_done = resolve(draft, number, by=request.user, version=_version_seen(request))
    return errors.response or _query_ended(request, reference, "Query resolved." if is_done else "")


def _query_ended(request: UserRequest, reference: str, message: str) -> HttpResponse:
    messages.info(request, message or "This query is no longer open.")
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
    with ReviewErrors(request, reference, title="Your note was not saved", typed=(("Your note", text),)) as errors:
        write_note(draft, target, text=text, by=request.user)
    if errors.response:
        return errors.response
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
