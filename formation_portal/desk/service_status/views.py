"""Passing on or dismissing a status that the formation service reported."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.models import Right
from formation_portal.accounts.policies import UserRequest, agent_with
from formation_portal.applications.draft import Draft
from formation_portal.applications.services import Closed
from formation_portal.reviews.transactions import ClaimedByColleague, ReviewChanged, ReviewRefused

from ..case_access import opens_case
from ..changes_since import not_done
from ..lookups import get_case_or_404
from .forms import DismissalForm, PassOnForm, ServiceStatusForm
from .pages import service_status_card

_METHODS = ["GET", "HEAD", "POST"]


@require_http_methods(_METHODS)
@agent_with(Right.DECIDE)
@opens_case
def service_status(request: UserRequest, reference: str) -> HttpResponse:
    """Show the status that waits; a POST passes it on to the customer."""
    draft = get_case_or_404(reference)
    if request.method != "POST":
        return _draw(request, draft)
    return _store(request, draft, PassOnForm(request.POST), done="The customer has been told.")


@require_http_methods(_METHODS)
@agent_with(Right.DECIDE)
@opens_case
def dismissal(request: UserRequest, reference: str) -> HttpResponse:
    """Dismiss the status that waits; a GET shows it."""
    draft = get_case_or_404(reference)
    if request.method != "POST":
        return _draw(request, draft)
    return _store(request, draft, DismissalForm(request.POST), done="Status dismissed. The application stays as it is.")


def _store(request: UserRequest, draft: Draft, form: ServiceStatusForm, *, done: str) -> HttpResponse:
    """Carry out a form and go back to the case; else show what is in its way, with what was typed."""
    reference = draft.application.reference
    if not form.is_valid():
        return _draw(request, draft, form=form, status=422)
    try:
        form.store(draft, by=request.user)
    except ReviewChanged as late:
        return not_done(request, get_case_or_404(reference), late, title="Nothing was changed")
    except ReviewRefused as refused:
        form.add_error(refused.field if refused.field in form.fields else None, refused.message)
        return _draw(request, get_case_or_404(reference), form=form, status=422)
    except (Closed, ClaimedByColleague) as stopped:
        typed = [(str(bound.label), str(bound.value() or "")) for bound in form if bound.name in ("text", "reason")]
        return not_done(request, get_case_or_404(reference), stopped, title="Nothing was changed", typed=typed)
    messages.success(request, done)
    return redirect("desk:case", reference=reference)


def _draw(
    request: UserRequest, draft: Draft, *, form: ServiceStatusForm | None = None, status: int = 200
) -> HttpResponse:
    card = service_status_card(
        draft,
        pass_on_form=form if isinstance(form, PassOnForm) else None,
        dismissal_form=form if isinstance(form, DismissalForm) else None,
    )
    context = {"card": card, "draft": draft, "form": form}
    return render(request, "desk/service_status/service_status.html", context, status=status)
