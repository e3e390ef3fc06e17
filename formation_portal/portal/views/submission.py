"""Submitting: the deed at the end of the check page."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.addresses import has_confirmed
from formation_portal.accounts.languages import chosen_in
from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.applications.access import Right
from formation_portal.applications.draft import Draft
from formation_portal.contract.language import say
from formation_portal.contract.lifecycle import State
from formation_portal.portal.options import Problem

from ..arrivals import give_it_a_moment
from ..check_page import check_page
from ..declaration import declaration_of
from ..drawn import revision_of
from ..finding import draft_of
from ..returned import corrections_of

BOX = "declaration"
# Where the page says that the reader's address is not confirmed (components/confirm_address.html).
ADDRESS = "confirm-address"
# Says that its customer knows that it is sent back as it was.
AS_IT_WAS = "as_it_was"


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def submission(request: UserRequest, reference: str) -> HttpResponse:
    """Submit once. A second press, or the way back, ends at the same receipt; the form itself is on the check page."""
    draft = draft_of(request, reference, takes=Right.OWN)
    if request.method != "POST":
        return redirect(f"{reverse('portal:check', args=[reference])}#declare")
    if chosen_in(request) and draft.application.is_open:
        return _check_again(request, draft, status=200)
    if draft.application.is_open and not has_confirmed(request.user):
        return _check_again(request, draft, problem=Problem(ADDRESS, say("Confirm your e-mail address first")))
    if BOX not in request.POST and draft.application.is_open:
        return _check_again(request, draft, problem=Problem(BOX, say("Tick the box to agree to the declaration")))
    if AS_IT_WAS not in request.POST and _is_as_it_was(draft):
        return _check_again(request, draft, asks_once=True)
    declaration = declaration_of(draft, by=request.user)
    try:
        services.submit(draft, by=request.user, declaration=declaration.text, revision=revision_of(request.POST))
    except services.Unread as unread:
        return _check_again(request, draft, unread=unread, status=409)
    except services.NotReady as refusal:
        return _check_again(request, draft, refusal=refusal)
    except services.Closed:
        return redirect("portal:status", reference=reference)
    give_it_a_moment(draft.application)
    messages.success(request, _done(request, draft))
    return redirect("portal:status", reference=reference)


def _is_as_it_was(draft: Draft) -> bool:
    """Whether it came back and nobody has done anything about that, or about one of our reviewer's questions."""
    if draft.application.status is not State.RETURNED_FOR_CHANGES or draft.needs:
        return False
    found = check_page(draft).returned
    return found is not None and found.is_as_it_was


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
    page = check_page(draft, needs=refusal.needs if refusal else None)
    context = {
        "page": page,
        "declaration": declaration_of(
            draft, by=request.user, error=problem.text if problem and problem.id == BOX else ""
        ),
        # What has changed meanwhile was not declared.
        "is_declared": BOX in request.POST and unread is None,
        "is_refused": refusal is not None,
        "is_unread": unread is not None,
        "changed": corrections_of(unread.changes) if unread else (),
        "asks_once": asks_once,
        "problems": [problem] if problem else [],
    }
    return render(request, "portal/check.html", context, status=status)
