"""Pass on or dismiss a status that the formation service reported."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.models import Right
from formation_portal.accounts.policies import UserRequest, agent_with
from formation_portal.applications.draft import Draft
from formation_portal.reviews.transactions import ReviewRefused

from ..case_access import Opens, opens
from ..changes_since import ReviewErrors
from ..lookups import get_case_or_404
from .forms import DismissalForm, PassOnForm, ServiceStatusForm
from .pages import service_status_card

_METHODS = ["GET", "HEAD", "POST"]


class ServiceStatusErrors(ReviewErrors):
    def __init__(self, request: UserRequest, reference: str, form: ServiceStatusForm) -> None:
        typed = [(str(bound.label), str(bound.value() or "")) for bound in form if bound.name in ("text", "reason")]
        super().__init__(request, reference, title="Nothing was changed", typed=typed)
        self.form = form

    def answer(self, error: Exception) -> HttpResponse | None:
        if not isinstance(error, ReviewRefused):
            return super().answer(error)
        self.form.add_error(error.field if error.field in self.form.fields else None, error.message)
        return _draw(self.request, get_case_or_404(self.reference), form=self.form, status=422)


@require_http_methods(_METHODS)
@agent_with(Right.DECIDE)
@opens(Opens.CASE)
def service_status(request: UserRequest, reference: str) -> HttpResponse:
    """Show the waiting status; a POST passes it on to the customer."""
    draft = get_case_or_404(reference)
    if request.method != "POST":
        return _draw(request, draft)
    return _store(request, draft, PassOnForm(request.POST), done="The customer has been told.")


@require_http_methods(_METHODS)
@agent_with(Right.DECIDE)
@opens(Opens.CASE)
def dismissal(request: UserRequest, reference: str) -> HttpResponse:
    draft = get_case_or_404(reference)
    if request.method != "POST":
        return _draw(request, draft)
    return _store(request, draft, DismissalForm(request.POST), done="Status dismissed. The application stays as it is.")


def _store(request: UserRequest, draft: Draft, form: ServiceStatusForm, *, done: str) -> HttpResponse:
    """Carry out a form and go back to the case, or show the form again with its errors."""
    reference = draft.application.reference
    if not form.is_valid():
        return _draw(request, draft, form=form, status=422)
    with ServiceStatusErrors(request, reference, form) as errors:
        form.store(draft, by=request.user)
    if errors.response:
        return errors.response
    messages.success(request, done)
    return redirect("desk:case", reference=reference)


def _draw(
    request: UserRequest, draft: Draft, *, form: ServiceStatusForm | None = None, status: int = 200
) -> HttpResponse:
    card = service_status_card(draft, form=form)
    context = {"card": card, "draft": draft, "form": form}
    return render(request, "desk/service_status/service_status.html", context, status=status)
