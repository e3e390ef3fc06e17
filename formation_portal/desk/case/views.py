"""Show a case, its news and its documents; accept facts, query the customer, and keep notes for colleagues."""

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
from formation_portal.ui.documents import DocumentPage

from ..case_access import Opens, case_action, opens
from ..case_urls import next_check_url, party_url, queue_shown, return_query, return_url
from ..changes_since import ReviewErrors, posted_again, seen_version
from ..decisions.pages import DecisionPanel
from ..documents import acknowledged_documents, unopened_documents
from ..lookups import get_case_or_404, get_document_or_404, get_live_case_or_404
from ..models import TAKEOVER_REASON_LIMIT, Case
from ..queue.pages import colleague_options
from ..shared_texts import SharedTexts, is_insertion
from ..wording import numbered
from .entries import FactStatus
from .forms import QueryForm, posted_query_form, posted_targets
from .news import CaseVersion, live_case
from .pages import CasePage
from .query_panels import QueryPanel, QueryPanels

_METHODS = ["GET", "HEAD", "POST"]


@require_safe
@agent
@opens(Opens.CASE)
def case(request: UserRequest, reference: str) -> HttpResponse:
    draft = get_case_or_404(reference)
    queue_state = queue_shown(request.GET)
    live = live_case(draft.application, request.user)
    page = CasePage(draft, reader=request.user, query=request.GET)
    decision = DecisionPanel(
        draft,
        request.user,
        deliveries=page.deliveries,
        queue_state=queue_state,
        checklist=page.checklist,
        version=page.version,
    )
    row: Case = draft.application.case
    context = {
        "page": page,
        "case": row,
        "reason_limit": TAKEOVER_REASON_LIMIT,
        "live": live,
        "decision": decision,
        "shown": queue_state.address,
    }
    if row.open_since is not None and request.user.has_perm(Right.REVIEW.permission):
        context["colleagues"] = colleague_options(request.user)
    return render(request, "desk/case/case.html", context)


@require_safe
@agent_with(Right.EXPORT)
@recently_authenticated
@opens(Opens.DOCUMENTS)
def record(request: UserRequest, reference: str) -> HttpResponse:
    return downloads.record_as_json(request, get_case_or_404(reference))


@require_safe
@agent_with(Right.EXPORT)
@recently_authenticated
@opens(Opens.DOCUMENTS)
def record_pdf(request: UserRequest, reference: str) -> HttpResponse:
    return downloads.record_as_pdf(request, get_case_or_404(reference))


@require_safe
@agent
@opens(Opens.DOCUMENTS)
def document(request: UserRequest, reference: str, number: int) -> HttpResponse:
    """Download a document, to be saved: a browser must not show an upload as a page of ours."""
    return downloads.as_download(request, get_document_or_404(reference, number), by=request.user)


@require_safe
@background_request
@agent
@opens(Opens.CASE)
def case_news(request: UserRequest, reference: str) -> HttpResponse:
    """Note that the case is open, and tell what changed since its page was drawn; 204 if already told."""
    application = get_live_case_or_404(reference)
    if not request.htmx:
        return redirect("desk:case", reference=reference)
    drawn = CaseVersion.read(request.GET.get("drawn", ""))
    last_told = CaseVersion.read(request.GET.get("said", ""))
    if drawn and last_told:
        live = live_case(application, request.user, drawn=drawn)
        if live.version != last_told:
            page = request.htmx.current_url_abs_path or reverse("desk:case", args=[reference])
            return render(request, "desk/case/_live_answer.html", {"live": live, "page_url": page})
    return HttpResponse(status=HTTPStatus.NO_CONTENT)


@require_safe
@agent
@opens(Opens.DOCUMENTS)
def document_page(request: UserRequest, reference: str, number: int, page: int) -> HttpResponse:
    draft = get_case_or_404(reference)
    document = next((document for document in draft.documents if document.pk == number), None)
    if document is None:
        raise Http404
    return downloads.open_document_page(request, DocumentPage(draft, document, page, room="desk"))


@require_safe
@agent
@opens(Opens.DOCUMENTS)
def document_picture(request: UserRequest, reference: str, number: int, page: int) -> HttpResponseBase:
    """Send the picture of a page; with `size=close` a larger picture."""
    is_close = request.GET.get("size") == "close"
    return downloads.page_as_picture(request, get_document_or_404(reference, number), page, is_close=is_close)


@case_action(Right.REVIEW)
def acceptances(request: UserRequest, reference: str) -> HttpResponse:
    """Accept the ticked facts, or by the button "all" the remaining facts, and go to the next check."""
    draft = get_case_or_404(reference)
    targets = posted_targets(request.POST)
    if not targets:
        messages.info(request, "Select what you want to accept.")
        return redirect(return_url(request.POST, reference))
    with AcceptanceErrors(request, draft, targets) as errors:
        count = accept(
            draft,
            targets,
            by=request.user,
            version=seen_version(request),
            acknowledged=acknowledged_documents(request.POST),
        )
    if errors.response:
        return errors.response
    message = f"{numbered(count, 'fact')} accepted." if count else "Already accepted."
    party = draft.party(targets[0].holder)
    if party is not None and "all" in request.POST:
        # The next page names and links the accepted party.
        url = party_url(reference, party.token, queue_shown(return_query(request.POST, reference)))
        message = format_html('<a class="name" href="{}">{}</a>: {}', url, party.label, message)
    messages.success(request, message)
    return _go_on(request, draft, targets)


@case_action(Right.REVIEW)
def reopenings(request: UserRequest, reference: str) -> HttpResponse:
    """Undo the acceptance of a fact, and go back to the page."""
    draft = get_case_or_404(reference)
    targets = posted_targets(request.POST)[:1]
    if not targets:
        return redirect(return_url(request.POST, reference))
    with AcceptanceErrors(request, draft, targets, is_reopening=True) as errors:
        is_done = reopen(draft, targets[0], by=request.user, version=seen_version(request))
    if errors.response:
        return errors.response
    messages.success(request, "Acceptance undone." if is_done else "It was no longer accepted.")
    return _go_on(request, draft, targets)


def _go_on(request: UserRequest, draft: Draft, targets: tuple[Target, ...]) -> HttpResponse:
    """Go back to the page, or on to the next check if the form says so."""
    back = return_url(request.POST, draft.application.reference)
    if request.POST.keys().isdisjoint(("goes_on", "all")):
        return redirect(back)
    # Two SQL queries.
    checklist = load_checklist(draft)
    queue_state = queue_shown(return_query(request.POST, draft.application.reference))
    if draft.party(targets[0].holder):
        return redirect(next_check_url(draft, checklist, targets[0].holder, queue_state))
    following = next_check_url(draft, checklist, "", queue_state)
    # The case page keeps its view: the whole case, or only changes.
    if anchor := following.partition("#")[2]:
        following = f"{back.partition('#')[0]}#{anchor}"
    return redirect(following)


class AcceptanceErrors(ReviewErrors):
    """Errors that show the present state of the chosen facts, or the unopened documents, and offer to post again."""

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
        queue_state = queue_shown(return_query(self.request.POST, self.reference))
        context = {
            "draft": self.draft,
            "documents": unopened_documents(self.draft, unopened.documents, queue_state),
            "again": posted_again(self.request),
            "back": return_url(self.request.POST, self.reference),
        }
        return render(self.request, "desk/case/unopened_documents.html", context, status=422)

    def _show_conflict(self, *, status: int, reason: str = "", changes: tuple[ReviewChange, ...] = ()) -> HttpResponse:
        """Draw the chosen facts, to be ticked again where possible. Three SQL queries."""
        # Read before the facts, so that a later change counts as unseen.
        version = current_version(self.draft.application)
        rows = []
        for holder in load_checklist(self.draft).holders:
            for fact in holder.facts:
                if fact.target in self.targets:
                    can_be_chosen = not (fact.query is not None and fact.query.is_draft)
                    if self.is_reopening:
                        can_be_chosen = fact.check is not None and bool(fact.check.digest)
                    state = FactStatus(fact).words
                    if fact.state == QUERIED:
                        state = "Queried"
                        if fact.query and fact.query.by:
                            state += f" by {fact.query.by.called}"
                    rows.append((fact, holder.title, state, can_be_chosen))
        # After a resubmission the agent must read the new answers first.
        is_another_round = seen_version(self.request).round != version.round
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
@opens(Opens.CASE)
def queries(request: UserRequest, reference: str) -> HttpResponse:
    """Draft or change a query, or write a note for colleagues. A GET shows the form of the target in the URL."""
    draft = get_case_or_404(reference)
    if request.method != "POST":
        target = Target.parse(request.GET.get("place", ""))
        if target is None:
            return redirect("desk:case", reference=reference)
        return _draw(request, draft, target)
    target = Target.parse(request.POST.get("place", ""))
    if target is None:
        raise Http404
    form = posted_query_form(draft, target, request.POST)
    if "update" in request.POST:
        return _draw(request, draft, target, form=form)
    if is_insertion(request):
        texts = SharedTexts(draft, reader=request.user, target=target)
        form.insert(texts, request.POST.get("shared_text", ""))
        return _draw(request, draft, target, form=form, version=seen_version(request))
    if not form.is_valid():
        return _draw(request, draft, target, form=form, status=422)
    with QueryErrors(request, draft, target, form) as errors:
        form.store(draft, by=request.user, version=seen_version(request))
    if errors.response:
        return errors.response
    if form.is_a_note_alone:
        messages.success(request, "Note saved. Only colleagues can see it.")
    else:
        messages.success(request, "Query saved. It is sent when you return the application.")
    return redirect(return_url(request.POST, reference))


class QueryErrors(ReviewErrors):
    """Errors that show the form of a query again, with its errors or the changes by others."""

    def __init__(self, request: UserRequest, draft: Draft, target: Target, form: QueryForm) -> None:
        super().__init__(request, draft.application.reference, title="Your query was not saved", typed=form.typed)
        self.draft = draft
        self.target = target
        self.form = form

    def answer(self, error: Exception) -> HttpResponse | None:
        if isinstance(error, ReviewChanged):
            draft = get_case_or_404(self.reference)
            return _draw(
                self.request, draft, self.target, form=self.form, is_late=True, changes=error.changes, status=409
            )
        if isinstance(error, ReviewRefused):
            self.form.add_refusal(error)
            return _draw(self.request, self.draft, self.target, form=self.form, status=422)
        return super().answer(error)


@case_action(Right.REVIEW)
def query_removal(request: UserRequest, reference: str, number: int) -> HttpResponse:
    draft = get_case_or_404(reference)
    with ReviewErrors(request, reference, title="The draft query was not deleted") as errors:
        is_done = delete_draft(draft, number, by=request.user, version=seen_version(request))
    return errors.response or _query_ended(request, reference, "Draft deleted.", is_done=is_done)


@case_action(Right.REVIEW)
def query_resolution(request: UserRequest, reference: str, number: int) -> HttpResponse:
    draft = get_case_or_404(reference)
    with ReviewErrors(request, reference, title="The query was not resolved") as errors:
        is_done = resolve(draft, number, by=request.user, version=seen_version(request))
    return errors.response or _query_ended(request, reference, "Query resolved.", is_done=is_done)


def _query_ended(request: UserRequest, reference: str, message: str, *, is_done: bool) -> HttpResponse:
    if not is_done:
        message = "This query is no longer open."
    messages.info(request, message)
    return redirect(return_url(request.POST, reference))


def _draw(
    request: UserRequest,
    draft: Draft,
    target: Target,
    *,
    form: QueryForm | None = None,
    version: ReviewVersion | None = None,
    status: int = 200,
    **context: Any,
) -> HttpResponse:
    """Draw the form of a target on its own page; `context` says what others did. `version` is the version that the
    agent has seen, if not the current one.
    """
    back = return_url(request.POST or request.GET, draft.application.reference)
    panels = QueryPanels(draft, reader=request.user, back=back, version=version)
    panel = QueryPanel(panels, target, form, is_open=bool(form or request.htmx))
    if request.htmx:
        return render(request, "desk/case/_query_panel.html", {"panel": panel})
    context |= {"draft": draft, "panel": panel, "back": panel.back, "problems": form.problems if form else ()}
    return render(request, "desk/case/query.html", context, status=status)


@case_action(Right.REVIEW)
def notes(request: UserRequest, reference: str) -> HttpResponse:
    draft = get_case_or_404(reference)
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


@case_action(Right.REVIEW)
def note_removal(request: UserRequest, reference: str, number: int) -> HttpResponse:
    draft = get_case_or_404(reference)
    is_done = remove_note(draft, number, by=request.user)
    messages.info(request, "Note removed." if is_done else "This note is not yours or was already removed.")
    return redirect(return_url(request.POST, reference))
