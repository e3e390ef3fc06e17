"""Deciding about a case, and confirming or refusing, as the second agent, what another has proposed."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.models import Right
from formation_portal.accounts.policies import UserRequest, agent, agent_with
from formation_portal.applications.draft import Draft
from formation_portal.applications.services import Closed
from formation_portal.contract.lifecycle import State
from formation_portal.reviews.models import DecisionOutcome, ReviewDecision
from formation_portal.reviews.scheduled_decisions import undo_decision
from formation_portal.reviews.transactions import (
    UNDER_REVIEW,
    ClaimedByColleague,
    DocumentsNotOpened,
    NotApprovable,
    ReviewChanged,
    ReviewRefused,
    ReviewVersion,
)

from ..case_access import opens_case
from ..case_urls import case_url, queue_shown, queue_url
from ..changes_since import ReviewErrors, not_done, posted_again
from ..delivery_status import case_deliveries
from ..documents import unopened_documents
from ..lookups import get_case_or_404
from ..queue.searches import claim_next_case
from ..shared_texts import SharedTexts, is_insertion
from .forms import DecisionForm
from .pages import decided_message, decision_panel

_METHODS = ["GET", "HEAD", "POST"]


class DecisionErrors(ReviewErrors):
    """Show what is in the way of a decision above the form as it was typed; of what ended meanwhile the words are kept
    to be copied."""

    def __init__(self, request: UserRequest, reference: str, form: DecisionForm) -> None:
        super().__init__(request, reference, title="Your decision was not recorded", typed=form.typed)
        self.form = form

    def answer(self, error: Exception) -> HttpResponse | None:
        if isinstance(error, Closed | ClaimedByColleague):
            return super().answer(error)
        draft = get_case_or_404(self.reference)
        if isinstance(error, ReviewChanged):
            return _draw(self.request, draft, form=self.form, late=error, status=409)
        if isinstance(error, DocumentsNotOpened):
            return _draw(self.request, draft, form=self.form, unopened=error, status=422)
        if isinstance(error, ReviewRefused):
            self.form.add_refusal(error)
        return _draw(self.request, draft, form=self.form, is_stopped=isinstance(error, NotApprovable), status=422)


@require_http_methods(_METHODS)
@agent_with(Right.DECIDE)
@opens_case
def decision(request: UserRequest, reference: str) -> HttpResponse:
    """The form alone; a POST decides, or proposes it where a second agent has to confirm it."""
    if request.method != "POST":
        return _draw(request, get_case_or_404(reference))
    if is_insertion(request):
        return _insert(request, get_case_or_404(reference))
    form, draft = DecisionForm.read(request.POST), get_case_or_404(reference)
    if not form.is_valid():
        return _draw(request, draft, form=form, status=422)
    if form.must_be_asked_again:
        return _draw(request, draft, form=form, asks_again=True)
    with DecisionErrors(request, reference, form) as errors:
        made = form.decide(draft, by=request.user)
    return errors.response or _go_on(request, draft, made, opens_next=form.opens_next)


@require_http_methods(_METHODS)
@agent_with(Right.CONFIRM)
@opens_case
def confirmation(request: UserRequest, reference: str) -> HttpResponse:
    """Carry out what another agent has proposed."""
    if request.method != "POST":
        return redirect("desk:decision", reference=reference)
    form, draft = DecisionForm.read(request.POST), get_case_or_404(reference)
    if not form.is_certain:
        return _draw(request, draft, form=form, asks_again=True)
    with DecisionErrors(request, reference, form) as errors:
        made = form.confirm(draft, by=request.user)
    return errors.response or _go_on(request, draft, made, opens_next=form.opens_next)


@require_http_methods(_METHODS)
@agent_with(Right.CONFIRM)
@opens_case
def refusal(request: UserRequest, reference: str) -> HttpResponse:
    """Say no to what another agent has proposed, with a word to colleagues."""
    if request.method != "POST":
        return redirect("desk:decision", reference=reference)
    form, draft = DecisionForm.read(request.POST), get_case_or_404(reference)
    if not form.is_valid():
        return _draw(request, draft, form=form, status=422)
    with DecisionErrors(request, reference, form) as errors:
        form.refuse(draft, by=request.user)
    return errors.response or _go_back(request, reference, "Decision not confirmed.")


@require_http_methods(_METHODS)
@agent_with(Right.DECIDE)
@opens_case
def retraction(request: UserRequest, reference: str) -> HttpResponse:
    """Take back what one has proposed oneself."""
    if request.method != "POST":
        return redirect("desk:decision", reference=reference)
    form, draft = DecisionForm.read(request.POST), get_case_or_404(reference)
    with DecisionErrors(request, reference, form) as errors:
        form.withdraw(draft, by=request.user)
    return errors.response or _go_back(request, reference, "Your decision has been withdrawn.")


@require_http_methods(_METHODS)
@agent
@opens_case
def reversal(request: UserRequest, reference: str) -> HttpResponse:
    """Undo one's own decision before it takes effect."""
    if request.method == "POST":
        try:
            undo_decision(get_case_or_404(reference), by=request.user)
        except ReviewRefused as refused:
            messages.error(request, refused.message)
        else:
            messages.success(request, "Your decision has been undone.")
    return redirect(case_url(reference, queue_shown(request.POST)))


def _go_back(request: UserRequest, reference: str, message: str) -> HttpResponse:
    messages.info(request, message)
    return redirect(case_url(reference, queue_shown(request.POST)))


def _insert(request: UserRequest, draft: Draft) -> HttpResponse:
    """The form as it was typed, with a shared text in its message. Nothing is decided."""
    form = DecisionForm.read(request.POST)
    if draft.application.status not in UNDER_REVIEW | {State.SUBMITTED_TO_CSP}:
        # The page has no form any more.
        closed = Closed(draft.application.status)
        return not_done(request, draft, closed, title="Your decision was not recorded", typed=form.typed)
    form.insert(SharedTexts(draft, reader=request.user), request.POST.get("shared_text", ""))
    return _draw(request, draft, form=form, version=form.version)


def _go_on(request: UserRequest, draft: Draft, decision: ReviewDecision, *, opens_next: bool) -> HttpResponse:
    """To the next case where it is asked for and there is one, else to the queue; with what was decided just now, and
    the button that undoes it."""
    shown, reference = queue_shown(request.POST), draft.application.reference
    link = '<a class="name" href="{}">{}</a> {}'
    words = format_html(link, case_url(reference, shown), draft.title, decided_message(decision))
    is_scheduled = decision.outcome == DecisionOutcome.SCHEDULED
    messages.success(request, words, extra_tags=reverse("desk:decision_undo", args=[reference]) if is_scheduled else "")
    if opens_next and request.user.has_perm(Right.REVIEW.permission):
        following, none = claim_next_case(request, shown)
        if following:
            return redirect(case_url(following.application.reference, shown))
        if none:
            messages.info(request, none)
    return redirect(queue_url(shown))


def _draw(
    request: UserRequest,
    draft: Draft,
    *,
    form: DecisionForm | None = None,
    late: ReviewChanged | None = None,
    is_stopped: bool = False,
    unopened: DocumentsNotOpened | None = None,
    asks_again: bool = False,
    version: ReviewVersion | None = None,
    status: int = 200,
) -> HttpResponse:
    shown = queue_shown(request.POST or request.GET)
    panel = decision_panel(
        draft, request.user, deliveries=case_deliveries(draft), shown=shown, form=form, version=version
    )
    context = {
        "decision": panel,
        "draft": draft,
        "back": case_url(draft.application.reference, shown),
        "changes": late.changes if late else (),
        "is_late": late is not None,
        "is_stopped": is_stopped,
        "documents": unopened_documents(draft, unopened.documents, shown) if unopened else (),
        "asks_again": asks_again,
        "again": posted_again(request, without=("certain",) if asks_again else ()) if unopened or asks_again else (),
        "problems": panel.form.problems,
    }
    return render(request, "desk/decisions/decision.html", context, status=status)
