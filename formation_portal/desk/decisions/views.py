"""Decide about a case; confirm, refuse, withdraw or undo a decision."""

from typing import Any

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
from formation_portal.reviews.decision_rules import DECISIONS
from formation_portal.reviews.decisions import confirm_proposal, refuse_proposal, withdraw
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
    waiting_decision,
)
from formation_portal.ui.templatetags.components import form_problems

from ..case_access import Opens, case_action, opens
from ..case_urls import case_url, queue_shown, queue_url
from ..changes_since import ReviewErrors, posted_again, seen_version
from ..delivery_status import CaseDeliveries
from ..documents import acknowledged_documents, unopened_documents
from ..lookups import get_case_or_404
from ..queue.searches import claim_next_case
from ..shared_texts import SharedTexts, is_insertion
from .forms import DecisionForm
from .pages import DecisionPanel, decided_message

_METHODS = ["GET", "HEAD", "POST"]


class DecisionErrors(ReviewErrors):
    """Errors that are shown above the form as typed; if the form is gone, with the typed texts for copying."""

    def __init__(self, request: UserRequest, reference: str, form: DecisionForm) -> None:
        super().__init__(request, reference, title="Your decision was not recorded", typed=form.typed)
        self.form = form

    def answer(self, error: Exception) -> HttpResponse | None:
        if isinstance(error, Closed | ClaimedByColleague):
            return super().answer(error)
        draft = get_case_or_404(self.reference)
        if isinstance(error, ReviewChanged):
            return _draw(self.request, draft, form=self.form, is_late=True, changes=error.changes, status=409)
        if isinstance(error, DocumentsNotOpened):
            documents = unopened_documents(draft, error.documents, queue_shown(self.request.POST))
            again = posted_again(self.request)
            return _draw(self.request, draft, form=self.form, documents=documents, again=again, status=422)
        if isinstance(error, ReviewRefused):
            self.form.add_refusal(error)
        return _draw(self.request, draft, form=self.form, is_stopped=isinstance(error, NotApprovable), status=422)


@require_http_methods(_METHODS)
@agent_with(Right.DECIDE)
@opens(Opens.CASE)
def decision(request: UserRequest, reference: str) -> HttpResponse:
    """Show the form alone; a POST decides, or proposes a decision that a second agent has to confirm."""
    draft = get_case_or_404(reference)
    if request.method != "POST":
        return _draw(request, draft)
    form = DecisionForm.read(request.POST)
    if is_insertion(request):
        return _insert(request, draft, form)
    if not form.is_valid():
        return _draw(request, draft, form=form, status=422)
    rule = DECISIONS.get(form.chosen)
    if rule is not None and rule.needs_second_agent and not _is_certain(request):
        return _ask_again(request, draft, form)
    with DecisionErrors(request, reference, form) as errors:
        acknowledged = acknowledged_documents(request.POST)
        decided = form.decide(draft, by=request.user, version=seen_version(request), acknowledged=acknowledged)
    return errors.response or _go_on(request, draft, decided)


@case_action(Right.CONFIRM, leads_to="desk:decision")
def confirmation(request: UserRequest, reference: str) -> HttpResponse:
    form = DecisionForm.read(request.POST)
    draft = get_case_or_404(reference)
    if not _is_certain(request) and waiting_decision(draft.application) is not None:
        return _ask_again(request, draft, form)
    with DecisionErrors(request, reference, form) as errors:
        acknowledged = acknowledged_documents(request.POST)
        confirmed = confirm_proposal(draft, acknowledged=acknowledged, by=request.user, version=seen_version(request))
    return errors.response or _go_on(request, draft, confirmed)


@case_action(Right.CONFIRM, leads_to="desk:decision")
def refusal(request: UserRequest, reference: str) -> HttpResponse:
    """Refuse a colleague's proposal, for a reason that colleagues read."""
    form = DecisionForm.read(request.POST)
    draft = get_case_or_404(reference)
    if not form.is_valid():
        return _draw(request, draft, form=form, status=422)
    with DecisionErrors(request, reference, form) as errors:
        refuse_proposal(draft, why=form.cleaned_data["why"], by=request.user, version=seen_version(request))
    return errors.response or _go_back(request, reference, "Decision not confirmed.")


@case_action(Right.DECIDE, leads_to="desk:decision")
def retraction(request: UserRequest, reference: str) -> HttpResponse:
    form = DecisionForm.read(request.POST)
    draft = get_case_or_404(reference)
    with DecisionErrors(request, reference, form) as errors:
        withdraw(draft, by=request.user, version=seen_version(request))
    return errors.response or _go_back(request, reference, "Your decision has been withdrawn.")


@require_http_methods(_METHODS)
@agent
@opens(Opens.CASE)
def reversal(request: UserRequest, reference: str) -> HttpResponse:
    """Undo the agent's own decision before it takes effect."""
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


def _is_certain(request: UserRequest) -> bool:
    """Tell whether the agent clicked the button, or has confirmed the decision after `_ask_again`."""
    return request.POST.get("certain") == "1"


def _ask_again(request: UserRequest, draft: Draft, form: DecisionForm) -> HttpResponse:
    """Ask the agent to confirm a decision that was posted by keyboard or without script."""
    return _draw(request, draft, form=form, asks_again=True, again=posted_again(request, without=("certain",)))


def _insert(request: UserRequest, draft: Draft, form: DecisionForm) -> HttpResponse:
    """Draw the form as typed, with a shared text inserted. Makes no decision."""
    with DecisionErrors(request, draft.application.reference, form) as errors:
        if draft.application.status not in UNDER_REVIEW | {State.SUBMITTED_TO_CSP}:
            raise Closed(draft.application.status)
        form.insert(SharedTexts(draft, reader=request.user), request.POST.get("shared_text", ""))
    return errors.response or _draw(request, draft, form=form, version=seen_version(request))


def _go_on(request: UserRequest, draft: Draft, decision: ReviewDecision) -> HttpResponse:
    """Go to the queue or the next case, with a button to undo the decision."""
    queue_state = queue_shown(request.POST)
    reference = draft.application.reference
    link = '<a class="name" href="{}">{}</a> {}'
    message = format_html(link, case_url(reference, queue_state), draft.title, decided_message(decision))
    undo_url = ""
    if decision.outcome == DecisionOutcome.SCHEDULED:
        undo_url = reverse("desk:decision_undo", args=[reference])
    messages.success(request, message, extra_tags=undo_url)
    opens_next = "at_once" in request.POST or request.POST.get("then") == "next"
    if opens_next and request.user.has_perm(Right.REVIEW.permission):
        following, reason = claim_next_case(request, queue_state)
        if following:
            return redirect(case_url(following.application.reference, queue_state))
        if reason:
            messages.info(request, reason)
    return redirect(queue_url(queue_state))


def _draw(
    request: UserRequest,
    draft: Draft,
    *,
    form: DecisionForm | None = None,
    version: ReviewVersion | None = None,
    status: int = 200,
    **context: Any,
) -> HttpResponse:
    queue_state = queue_shown(request.POST or request.GET)
    panel = DecisionPanel(
        draft, request.user, deliveries=CaseDeliveries(draft), queue_state=queue_state, form=form, version=version
    )
    context |= {
        "decision": panel,
        "draft": draft,
        "problems": form_problems(panel.form),
        "back": case_url(draft.application.reference, queue_state),
    }
    return render(request, "desk/decisions/decision.html", context, status=status)
