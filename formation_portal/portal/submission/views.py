"""Check and submit an application, show its status, withdraw it, and serve its record as a file."""

from collections.abc import Sequence
from http import HTTPStatus

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from formation_portal.accounts.addresses import has_confirmed
from formation_portal.accounts.languages import chosen_in
from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.accounts.sessions import background_request
from formation_portal.applications import services
from formation_portal.applications.access import Right
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import State, is_possible
from formation_portal.contract.needs import Need
from formation_portal.relay.wake import wait_for
from formation_portal.ui.downloads import record_as_json, record_as_pdf
from formation_portal.ui.forms.controls import Problem
from formation_portal.ui.forms.form_data import posted_revision

from ..feedback import delivery_summary
from ..lookups import get_draft_or_404
from ..pages import ConfirmPage
from ..refusals import refusals_as_messages
from .corrections import corrections_of
from .pages import CheckPage, declaration_of
from .status import Progress, StatusPage, current_return, status_version


@require_safe
@customer
def check(request: UserRequest, reference: str) -> HttpResponse:
    draft = get_draft_or_404(request, reference)
    row = request.GET.get("row", "")
    page = CheckPage(draft, delivery_summary(draft), row=row, number=request.GET.get("page", ""))
    return render(request, "portal/submission/check.html", {"page": page, "declaration": declaration_of(draft)})


BOX = "declaration"
# The id of the message that the reader's e-mail address is not confirmed (ui/confirm_address.html).
ADDRESS = "confirm-address"
# Posted after the customer was told that the application has no changes since its return.
AS_IT_WAS = "as_it_was"


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def submission(request: UserRequest, reference: str) -> HttpResponse:
    """Submit an application from the form on the check page. A second press shows the receipt of the first."""
    draft = get_draft_or_404(request, reference, takes=Right.OWN)
    if request.method != "POST":
        return redirect(f"{reverse('portal:check', args=[reference])}#declare")
    if chosen_in(request) and draft.application.is_open:
        return _check_again(request, draft, status=200)
    if draft.application.is_open and not has_confirmed(request.user):
        problem = Problem(ADDRESS, gettext("Confirm your e-mail address first"))
        return _check_again(request, draft, problems=[problem])
    if BOX not in request.POST and draft.application.is_open:
        problem = Problem(BOX, gettext("Tick the box to agree to the declaration"))
        return _check_again(request, draft, problems=[problem], error=problem.text)
    if AS_IT_WAS not in request.POST and _is_untouched(draft):
        return _check_again(request, draft, asks_once=True)
    revision = posted_revision(request.POST)
    try:
        services.submit(draft, by=request.user, declaration=declaration_of(draft), revision=revision)
    except services.Unread as unread:
        # The application has changed since the customer saw the declaration.
        changed = corrections_of(unread.changes)
        return _check_again(request, draft, is_unread=True, changed=changed, is_declared=False, status=409)
    except services.NotReady as refusal:
        return _check_again(request, draft, refused_for=refusal.needs, is_refused=True)
    except services.Closed:
        return redirect("portal:status", reference=reference)
    wait_for(draft.application)
    messages.success(request, _submitted_words(request, draft))
    return redirect("portal:status", reference=reference)


def _is_untouched(draft: Draft) -> bool:
    """Tell whether a returned application has no changes, or leaves a query unanswered."""
    if draft.application.status is not State.RETURNED_FOR_CHANGES or draft.needs:
        return False
    returned = current_return(delivery_summary(draft), Progress(draft.application))
    return returned is not None and returned.is_untouched


def _submitted_words(request: UserRequest, draft: Draft) -> str:
    sentence = gettext("%(name)s has been submitted. Your reference is %(reference)s.")
    if draft.application.submissions > 1:
        sentence = gettext("Your corrections for %(name)s have been sent.")
        if AS_IT_WAS in request.POST:
            sentence = gettext("%(name)s has been submitted again.")
    return sentence % {"name": draft.title, "reference": draft.application.reference}


def _check_again(
    request: UserRequest,
    draft: Draft,
    *,
    refused_for: Sequence[Need] | None = None,
    status: int = 422,
    **context: object,
) -> HttpResponse:
    """Render the check page with a reason why nothing was submitted (portal/submission/check.html)."""
    page = CheckPage(draft, delivery_summary(draft), refused_for=refused_for)
    own = {"page": page, "declaration": declaration_of(draft), "is_declared": BOX in request.POST}
    return render(request, "portal/submission/check.html", own | context, status=status)


@require_safe
@customer
def status(request: UserRequest, reference: str) -> HttpResponse:
    """Show the status of an application, or redirect to its overview if it was never submitted."""
    draft = get_draft_or_404(request, reference)
    if draft.application.submitted_at is None:
        return redirect("portal:overview", reference=reference)
    return render(request, "portal/submission/status.html", {"page": StatusPage(draft, delivery_summary(draft))})


@require_safe
@background_request
@customer
def status_news(request: UserRequest, reference: str) -> HttpResponse:
    """Tell a status page whether it is outdated; 204 if it is not. Without htmx, redirect to that page."""
    application = get_object_or_404(Application.objects.visible_to(request.user), reference=reference)
    if not request.htmx:
        return redirect("portal:status", reference=reference)
    version = request.GET.get("shown", "")
    if not version or application.submitted_at is None or status_version(application) == version:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    return render(request, "portal/submission/_status_changed.html", {"reference": reference})


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def withdrawal(request: UserRequest, reference: str) -> HttpResponse:
    """Ask for confirmation, then withdraw a submitted application. Drafts are deleted on another page."""
    draft = get_draft_or_404(request, reference, takes=Right.OWN)
    if draft.application.submitted_at is None:
        return redirect("portal:removal", reference=reference)
    if not is_possible("withdraw", draft.application.status):
        return redirect("portal:status", reference=reference)
    page = ConfirmPage(draft, reverse("portal:status", args=[reference]), gettext("Status"))
    if request.method != "POST":
        return render(request, "portal/submission/withdrawal.html", {"page": page})
    try:
        with refusals_as_messages(request):
            services.withdraw(draft, by=request.user, revision=posted_revision(request.POST))
            messages.success(request, gettext("Application withdrawn."))
    except services.Unread:
        return render(request, "portal/submission/withdrawal.html", {"page": page, "is_unread": True}, status=409)
    return redirect("portal:status", reference=reference)


@require_safe
@customer
def record(request: UserRequest, reference: str) -> HttpResponse:
    return record_as_json(request, get_draft_or_404(request, reference))


@require_safe
@customer
def record_pdf(request: UserRequest, reference: str) -> HttpResponse:
    return record_as_pdf(request, get_draft_or_404(request, reference))
