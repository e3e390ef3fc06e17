"""Checking, submitting, the status with withdrawal, and the record to keep."""

from http import HTTPStatus

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
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
from formation_portal.contract.lifecycle import State, is_possible
from formation_portal.relay.wake import wait_for
from formation_portal.ui.downloads import record_as_json, record_as_pdf
from formation_portal.ui.forms.controls import Problem
from formation_portal.ui.forms.form_data import posted_revision

from ..feedback import delivery_summary
from ..lookups import get_draft_or_404
from ..pages import ConfirmPage
from .corrections import corrections_of
from .pages import CheckPage, declaration_of
from .status import StatusPage, has_changed


@require_safe
@customer
def check(request: UserRequest, reference: str) -> HttpResponse:
    """What is still needed first, then the answers, then the declaration with the button."""
    draft = get_draft_or_404(request, reference)
    context = {
        "page": CheckPage(
            draft, delivery_summary(draft), row=request.GET.get("row", ""), number=request.GET.get("page", "")
        ),
        "declaration": declaration_of(draft),
    }
    return render(request, "portal/submission/check.html", context)


BOX = "declaration"
# Where the page says that the reader's address is not confirmed (ui/confirm_address.html).
ADDRESS = "confirm-address"
# Says that its customer knows that it is sent back as it was.
AS_IT_WAS = "as_it_was"


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def submission(request: UserRequest, reference: str) -> HttpResponse:
    """Submit once. A second press, or the way back, ends at the same receipt; the form itself is on the check page."""
    draft = get_draft_or_404(request, reference, takes=Right.OWN)
    if request.method != "POST":
        return redirect(f"{reverse('portal:check', args=[reference])}#declare")
    if chosen_in(request) and draft.application.is_open:
        return _check_again(request, draft, status=200)
    if draft.application.is_open and not has_confirmed(request.user):
        return _check_again(request, draft, problem=Problem(ADDRESS, gettext("Confirm your e-mail address first")))
    if BOX not in request.POST and draft.application.is_open:
        return _check_again(request, draft, problem=Problem(BOX, gettext("Tick the box to agree to the declaration")))
    if AS_IT_WAS not in request.POST and _is_as_it_was(draft):
        return _check_again(request, draft, asks_once=True)
    revision = posted_revision(request.POST)
    try:
        services.submit(draft, by=request.user, declaration=declaration_of(draft), revision=revision)
    except services.Unread as unread:
        return _check_again(request, draft, unread=unread, status=409)
    except services.NotReady as refusal:
        return _check_again(request, draft, refusal=refusal)
    except services.Closed:
        return redirect("portal:status", reference=reference)
    wait_for(draft.application)
    messages.success(request, _done(request, draft))
    return redirect("portal:status", reference=reference)


def _is_as_it_was(draft: Draft) -> bool:
    """Whether it came back and nobody has done anything about that, or about one of our reviewer's questions."""
    if draft.application.status is not State.RETURNED_FOR_CHANGES or draft.needs:
        return False
    returned = CheckPage(draft, delivery_summary(draft)).returned
    return returned is not None and returned.is_as_it_was


def _done(request: UserRequest, draft: Draft) -> str:
    what = {"name": draft.title, "reference": draft.application.reference}
    if draft.application.submissions > 1 and AS_IT_WAS in request.POST:
        return gettext("%(name)s has been submitted again.") % what
    if draft.application.submissions > 1:
        return gettext("Your corrections for %(name)s have been sent.") % what
    return gettext("%(name)s has been submitted. Your reference is %(reference)s.") % what


def _check_again(
    request: UserRequest,
    draft: Draft,
    *,
    problem: Problem | None = None,
    refusal: services.NotReady | None = None,
    unread: services.Unread | None = None,
    asks_once: bool = False,
    status: int = 422,
) -> HttpResponse:
    context = {
        "page": CheckPage(draft, delivery_summary(draft), refusal.needs if refusal else None),
        "declaration": declaration_of(draft),
        "error": problem.text if problem and problem.id == BOX else "",
        # What has changed meanwhile was not declared.
        "is_declared": BOX in request.POST and unread is None,
        "is_refused": refusal is not None,
        "is_unread": unread is not None,
        "changed": corrections_of(unread.changes) if unread else (),
        "asks_once": asks_once,
        "problems": [problem] if problem else [],
    }
    return render(request, "portal/submission/check.html", context, status=status)


@require_safe
@customer
def status(request: UserRequest, reference: str) -> HttpResponse:
    """Where the application stands. One that was never submitted has its overview instead."""
    draft = get_draft_or_404(request, reference)
    if draft.application.submitted_at is None:
        return redirect("portal:overview", reference=reference)
    return render(request, "portal/submission/status.html", {"page": StatusPage(draft, delivery_summary(draft))})


@require_safe
@background_request
@customer
def status_news(request: UserRequest, reference: str) -> HttpResponse:
    """Whether the status page is old: 204 while it is right. Whoever opens the address gets that page."""
    found = has_changed(reference, request.user, shown=request.GET.get("shown", ""))
    if found is None:
        raise Http404
    if not request.htmx:
        return redirect("portal:status", reference=reference)
    if not found:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    return render(request, "portal/submission/_status_changed.html", {"reference": reference})


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def withdrawal(request: UserRequest, reference: str) -> HttpResponse:
    """Ask once more, then take back what was submitted. A draft that never was is deleted, on a page of its own."""
    draft = get_draft_or_404(request, reference, takes=Right.OWN)
    if draft.application.submitted_at is None:
        return redirect("portal:removal", reference=reference)
    if not is_possible("withdraw", draft.application.status):
        return redirect("portal:status", reference=reference)
    page = ConfirmPage(draft, reverse("portal:status", args=[reference]), gettext("Status"))
    if request.method != "POST":
        return render(request, "portal/submission/withdrawal.html", {"page": page})
    try:
        services.withdraw(draft, by=request.user, revision=posted_revision(request.POST))
    except services.Unread:
        return render(request, "portal/submission/withdrawal.html", {"page": page, "is_unread": True}, status=409)
    except services.Closed as closed:
        messages.error(request, f"{closed}.")
    else:
        messages.success(request, gettext("Application withdrawn."))
    return redirect("portal:status", reference=reference)


@require_safe
@customer
def record(request: UserRequest, reference: str) -> HttpResponse:
    """Everything that was entered, as JSON."""
    return record_as_json(request, get_draft_or_404(request, reference))


@require_safe
@customer
def record_pdf(request: UserRequest, reference: str) -> HttpResponse:
    """The answers as a PDF, to read and to file."""
    return record_as_pdf(request, get_draft_or_404(request, reference))
