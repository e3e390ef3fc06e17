"""Deciding about a case, and being the second agent who confirms or refuses what another has decided."""

from collections.abc import Callable
from functools import partial

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.html import format_html
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.models import Right
from formation_portal.accounts.policies import UserRequest, agent_with
from formation_portal.applications.draft import Draft
from formation_portal.applications.services import Closed
from formation_portal.reviews.changes_since import ReviewVersion
from formation_portal.reviews.decisions import confirm_proposal, refuse_proposal, withdraw
from formation_portal.reviews.exceptions import DocumentsNotOpened, NotApprovable, ReviewChanged, ReviewRefused
from formation_portal.reviews.models import ReviewDecision

from ..arrivals import arrivals
from ..coming_from import came_from, case_url, queue_url
from ..finding import case_of
from ..meanwhile import meanwhile
from ..next_case import next_case_for
from ..ruling_form import RulingForm, decide
from ..ruling_panel import ruling_panel
from ..ruling_words import words_after
from ..unseen_documents import unseen_documents
from .undone import carried, undone

_METHODS = ["GET", "HEAD", "POST"]


@require_http_methods(_METHODS)
@agent_with(Right.DECIDE)
def ruling(request: UserRequest, reference: str) -> HttpResponse:
    """The form alone; a POST decides, or proposes it where a second agent has to confirm."""
    draft = case_of(reference)
    if request.method != "POST":
        return _draw(request, draft)
    form = RulingForm.read(request.POST)
    return _do(request, draft, form, lambda sight: decide(draft, form, by=request.user, sight=sight))


@require_http_methods(_METHODS)
@agent_with(Right.CONFIRM)
def confirmation(request: UserRequest, reference: str) -> HttpResponse:
    """Carry out what another agent has proposed."""
    draft, form = case_of(reference), RulingForm.read(request.POST)
    if request.method != "POST":
        return redirect("desk:ruling", reference=reference)
    confirmed = partial(confirm_proposal, draft, acknowledged=form.unseen, by=request.user)
    return _do(request, draft, form, lambda sight: confirmed(version=sight))


@require_http_methods(_METHODS)
@agent_with(Right.CONFIRM)
def refusal(request: UserRequest, reference: str) -> HttpResponse:
    """Say no to what another agent has proposed, with a word to colleagues."""
    draft, form = case_of(reference), RulingForm.read(request.POST)
    if request.method != "POST":
        return redirect("desk:ruling", reference=reference)
    refused = partial(refuse_proposal, draft, why=form.why, by=request.user)
    return _do(request, draft, form, lambda sight: refused(version=sight), then="Decision not confirmed.")


@require_http_methods(_METHODS)
@agent_with(Right.DECIDE)
def retraction(request: UserRequest, reference: str) -> HttpResponse:
    """Take back what one has proposed oneself."""
    draft, form = case_of(reference), RulingForm.read(request.POST)
    if request.method != "POST":
        return redirect("desk:ruling", reference=reference)
    taken = partial(withdraw, draft, by=request.user)
    return _do(request, draft, form, lambda sight: taken(version=sight), then="Your decision has been withdrawn.")


def _do(
    request: UserRequest,
    draft: Draft,
    form: RulingForm,
    deed: Callable[[ReviewVersion], ReviewDecision],
    *,
    then: str = "",
) -> HttpResponse:
    """Do the deed. What is in its way is shown above the form as it was typed; of what ended meanwhile the words are
    kept to be copied. `then` stays at the case and says so; else one goes on."""
    reference = draft.application.reference
    try:
        made = deed(ReviewVersion.parse(request.POST.get("sight", "")))
    except ReviewChanged as late:
        return _draw(request, case_of(reference), form=form, late=late, status=409)
    except NotApprovable:
        return _draw(request, case_of(reference), form=form, is_stopped=True, status=422)
    except DocumentsNotOpened as unseen:
        return _draw(request, draft, form=form, unseen=unseen, status=422)
    except ReviewRefused as refused:
        return _draw(request, case_of(reference), form=form.with_error(refused), status=422)
    except Closed as closed:
        typed = (("Message to the customer", form.text), ("Reason for not confirming", form.why))
        return undone(request, case_of(reference), closed, title="Your decision was not recorded", typed=typed)
    if then:
        messages.info(request, then)
        return redirect(case_url(reference, came_from(request.POST)))
    return _go_on(request, draft, words_after(made), opens_next=form.opens_next)


def _go_on(request: UserRequest, draft: Draft, words: str, *, opens_next: bool) -> HttpResponse:
    """To the next case where it is asked for and there is one, else to the queue; with what was decided just now."""
    shown, reference = came_from(request.POST), draft.application.reference
    link = '<a class="name" href="{}">{}</a> {}'
    messages.success(request, format_html(link, case_url(reference, shown), draft.title, words))
    if opens_next and request.user.may[Right.REVIEW]:
        following = next_case_for(request.user, shown)
        if following.case:
            return redirect(case_url(following.case.application.reference, shown))
        messages.info(request, following.words)
    return redirect(queue_url(shown))


def _draw(
    request: UserRequest,
    draft: Draft,
    *,
    form: RulingForm | None = None,
    late: ReviewChanged | None = None,
    is_stopped: bool = False,
    unseen: DocumentsNotOpened | None = None,
    status: int = 200,
) -> HttpResponse:
    shown = came_from(request.POST or request.GET)
    panel = ruling_panel(draft, request.user, arrivals=arrivals(draft), shown=shown, form=form)
    context = {
        "ruling": panel,
        "draft": draft,
        "back": case_url(draft.application.reference, shown),
        "moves": meanwhile(late.changes) if late else (),
        "is_late": late is not None,
        "is_stopped": is_stopped,
        "documents": unseen_documents(draft, unseen.documents, shown) if unseen else (),
        "again": carried(request) if unseen else (),
        "problems": panel.form.problems,
    }
    return render(request, "desk/ruling.html", context, status=status)
