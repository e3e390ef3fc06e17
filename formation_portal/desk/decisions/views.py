"""Deciding about a case, and confirming or refusing, as the second agent, what another has proposed."""

from collections.abc import Callable
from dataclasses import replace

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
from formation_portal.reviews.decisions import refuse_proposal, withdraw
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
from ..changes_since import not_done, posted_again
from ..delivery_status import case_deliveries
from ..documents import unopened_documents
from ..lookups import get_case_or_404
from ..queue.searches import claim_next_case
from ..shared_texts import SharedTexts, is_insertion
from .forms import DecisionForm, NotCertain, confirm_as_posted, decide_as_posted
from .pages import decided_message, decision_panel

# A decision, from the case, the form and the version that the page was drawn with.
Decide = Callable[[Draft, DecisionForm, ReviewVersion], ReviewDecision]


@require_http_methods(["GET", "HEAD", "POST"])
@agent_with(Right.DECIDE)
@opens_case
def decision(request: UserRequest, reference: str) -> HttpResponse:
    """The form alone; a POST decides, or proposes it where a second agent has to confirm it."""
    if request.method != "POST":
        return _draw(request, get_case_or_404(reference))
    if is_insertion(request):
        return _insert(request, get_case_or_404(reference))
    return _apply(
        request,
        reference,
        lambda draft, form, version: decide_as_posted(draft, form, by=request.user, version=version),
    )


@require_http_methods(["GET", "HEAD", "POST"])
@agent_with(Right.CONFIRM)
@opens_case
def confirmation(request: UserRequest, reference: str) -> HttpResponse:
    """Carry out what another agent has proposed."""
    return _apply(
        request,
        reference,
        lambda draft, form, version: confirm_as_posted(draft, form, by=request.user, version=version),
    )


@require_http_methods(["GET", "HEAD", "POST"])
@agent_with(Right.CONFIRM)
@opens_case
def refusal(request: UserRequest, reference: str) -> HttpResponse:
    """Say no to what another agent has proposed, with a word to colleagues."""
    return _apply(
        request,
        reference,
        lambda draft, form, version: refuse_proposal(draft, why=form.why, by=request.user, version=version),
        then="Decision not confirmed.",
    )


@require_http_methods(["GET", "HEAD", "POST"])
@agent_with(Right.DECIDE)
@opens_case
def retraction(request: UserRequest, reference: str) -> HttpResponse:
    """Take back what one has proposed oneself."""
    return _apply(
        request,
        reference,
        lambda draft, _, version: withdraw(draft, by=request.user, version=version),
        then="Your decision has been withdrawn.",
    )


@require_http_methods(["GET", "HEAD", "POST"])
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


def _apply(request: UserRequest, reference: str, decide: Decide, *, then: str = "") -> HttpResponse:
    """Do what was posted; a GET, as after signing in again, only leads to the form. What is in its way is shown above
    the form as it was typed; of what ended meanwhile the words are kept to be copied. `then` stays at the case and says
    so; else one goes on."""
    draft, form = get_case_or_404(reference), DecisionForm.read(request.POST)
    if request.method != "POST":
        return redirect("desk:decision", reference=reference)
    try:
        made = decide(draft, form, ReviewVersion.parse(request.POST.get("sight", "")))
    except ReviewChanged as late:
        return _draw(request, get_case_or_404(reference), form=form, late=late, status=409)
    except NotApprovable:
        return _draw(request, get_case_or_404(reference), form=form, is_stopped=True, status=422)
    except DocumentsNotOpened as unopened:
        return _draw(request, draft, form=form, unopened=unopened, status=422)
    except NotCertain:
        return _draw(request, draft, form=form, asks_again=True)
    except ClaimedByColleague as claimed:
        return not_done(request, draft, claimed, title="Your decision was not recorded", typed=form.typed)
    except ReviewRefused as refused:
        return _draw(request, get_case_or_404(reference), form=form.with_error(refused), status=422)
    except Closed as closed:
        return not_done(
            request, get_case_or_404(reference), closed, title="Your decision was not recorded", typed=form.typed
        )
    if then:
        messages.info(request, then)
        return redirect(case_url(reference, queue_shown(request.POST)))
    return _go_on(request, draft, made, opens_next=form.opens_next)


def _insert(request: UserRequest, draft: Draft) -> HttpResponse:
    """The form as it was typed, with a shared text in its message. Nothing is decided."""
    form, version = DecisionForm.read(request.POST), ReviewVersion.parse(request.POST.get("sight", ""))
    if draft.application.status not in UNDER_REVIEW | {State.SUBMITTED_TO_CSP}:
        # The page has no form any more.
        closed, typed = Closed(draft.application.status), (("Message to the customer", form.text),)
        return not_done(request, draft, closed, title="Your decision was not recorded", typed=typed)
    text = SharedTexts(draft, reader=request.user).inserted(form.text, request.POST.get("shared_text", ""))
    return _draw(request, draft, form=replace(form, text=text, is_filled=True), version=version)


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
