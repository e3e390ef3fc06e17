"""The way to one's own part: the link of a letter, then a code that goes to the same address.

Until the code is right, no page names anybody, and every link, right or wrong, leads to a page of the same kind.
"""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods, require_safe

from formation_portal.accounts import guest_sessions
from formation_portal.accounts.languages import chosen_in
from formation_portal.accounts.policies import AnyRequest, GuestRequest, invited, public
from formation_portal.applications.fields import new_token
from formation_portal.invitations import codes, parts
from formation_portal.invitations.models import Closure, Invitation, closure
from formation_portal.ui.forms.controls import Problem

from .guest_session import with_invitation

CODE = "code"


@require_safe
@public
def part_link(request: AnyRequest) -> HttpResponse:
    """Where the letter's link leads. Its key goes no further: not to another page, nor to another site.

    Opening it changes nothing here, since machines open links before people do.
    """
    invitation = parts.find_by_key(request.GET.get("key", ""))
    if invitation is None:
        # To a name that nothing has: what follows is the same for every key that is wrong.
        answer = _on("portal:part", new_token())
    else:
        given = guest_sessions.find(request, invitation.reference)
        answer = _on("portal:part", invitation.reference)
        if given is None or given.round != invitation.round:
            guest_sessions.start(answer, guest_sessions.GuestSession(invitation.reference, invitation.round))
    answer.headers["Referrer-Policy"] = "no-referrer"
    answer.headers["Cache-Control"] = "no-store"
    return answer


@require_http_methods(["GET", "HEAD", "POST"])
@invited
@with_invitation
def part_code(request: GuestRequest, invitation: Invitation) -> HttpResponse:
    """GET offers to send a code, or asks for the one that was sent. POST sends one, or tries what was typed."""
    if request.guest_session.is_known:
        return redirect("portal:part", reference=invitation.reference)
    if request.method != "POST" or chosen_in(request):
        return _draw(request, invitation)
    if CODE in request.POST:
        return _try(request, invitation)
    try:
        codes.send_code(invitation)
    except codes.TooMany:
        said = gettext("We can’t send any more codes today. Try again tomorrow.")
        return _draw(request, invitation, error=said, status=429)
    return redirect("portal:part_code", reference=invitation.reference)


@require_http_methods(["GET", "HEAD", "POST"])
@invited
def part_renewal(request: GuestRequest, reference: str) -> HttpResponse:
    """Ask for another link once this one has expired. A GET only leads back."""
    found = parts.find_by_reference(reference)
    why = closure(found, now=timezone.now(), round_=request.guest_session.round) if found else None
    if found is None or why is not Closure.EXPIRED or request.method != "POST":
        return redirect("portal:part", reference=reference)
    parts.ask_for_another_link(found)
    messages.success(request, gettext("We have told the person who invited you that you need a new link."))
    return redirect("portal:part", reference=reference)


def _try(request: GuestRequest, invitation: Invitation) -> HttpResponse:
    came = codes.try_code(invitation, request.POST.get(CODE, ""))
    if not came.is_right:
        invitation.refresh_from_db()
        return _draw(request, invitation, error=_wrong(came), status=422)
    answer = _on("portal:part", invitation.reference)
    return guest_sessions.start(
        answer, guest_sessions.GuestSession(invitation.reference, invitation.round, is_known=True)
    )


def _wrong(came: codes.CodeAttempt) -> str:
    if not came.left:
        return gettext("This code has expired. Ask for a new one.")
    return ngettext(
        "This code is wrong. Enter the code from our latest e-mail. You have %(left)d try left.",
        "This code is wrong. Enter the code from our latest e-mail. You have %(left)d tries left.",
        came.left,
    ) % {"left": came.left}


def _draw(request: GuestRequest, invitation: Invitation, *, error: str = "", status: int = 200) -> HttpResponse:
    is_waiting = codes.is_waiting(invitation, now=timezone.now())
    context = {
        "reference": invitation.reference,
        "is_waiting": is_waiting,
        "typed": request.POST.get(CODE, "") if chosen_in(request) else "",
        "minutes": codes.VALID_FOR.seconds // 60,
        "error": error,
        "problems": [Problem(CODE if is_waiting else "send", error)] if error else [],
    }
    return render(request, "portal/sharing/part_code.html", context, status=status)


def _on(view: str, reference: str) -> HttpResponse:
    return redirect(reverse(view, args=[reference]))
