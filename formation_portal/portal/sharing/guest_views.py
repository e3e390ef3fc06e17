"""Let a guest open their part of an application with an e-mailed link and a code, fill it in, and finish it.

Before the right code is entered, no page names anybody, and right and wrong links are answered alike.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from formation_portal.accounts.guest_sessions import (
    GuestSession,
    end_guest_session,
    find_guest_session,
    start_guest_session,
)
from formation_portal.accounts.languages import chosen_in
from formation_portal.accounts.policies import AnyRequest, GuestRequest, UserRequest, invited, public
from formation_portal.applications import services
from formation_portal.applications.access import Author, Guest
from formation_portal.applications.draft import open_draft
from formation_portal.applications.fields import new_token
from formation_portal.applications.services import SaveResult
from formation_portal.contract.localisation import ngettext
from formation_portal.invitations import codes, parts
from formation_portal.invitations.models import Closure, Invitation, closure
from formation_portal.ui.downloads import as_download
from formation_portal.ui.forms.controls import Problem

from ..lookups import get_party_or_404
from ..removals import ask_about_document, removal_as_message
from ..restorations import RestorationView
from ..sections.pages import QuestionPage
from ..sections.views import QuestionPageView, render_page, same_page_url
from .guest_pages import OwnPart, PartPage, part_page

CODE = "code"
# The parameter in the form's URL after the guest has tried to finish.
_FINISHING = "finishing"


def with_invitation(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Pass the invitation to a view that needs no code, if the link is valid. Does not read the application."""

    @wraps(view)
    def guarded(request: GuestRequest, reference: str, /, **kwargs: Any) -> HttpResponseBase:
        session = request.guest_session
        invitation = parts.find_by_reference(session.reference)
        if invitation is None:
            response: HttpResponseBase = _unavailable_page(request, Closure.UNKNOWN)
        elif reason := closure(invitation, now=timezone.now(), round_=session.round, epoch=session.epoch):
            response = _unavailable_page(request, reason)
        else:
            response = view(request, invitation, **kwargs)
        # Forbid any storage, even for browsers without a session.
        response.headers["Cache-Control"] = "no-store"
        return response

    return guarded


def with_part(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Pass the guest's part to a view, or ask for the code if the guest has not entered it."""

    @wraps(view)
    def guarded(request: GuestRequest, invitation: Invitation, /, **kwargs: Any) -> HttpResponseBase:
        if not request.guest_session.is_known:
            return redirect("portal:part_code", reference=invitation.reference)
        draft = open_draft(invitation.application)
        party = get_party_or_404(draft, invitation.party.token)
        return view(request, OwnPart(invitation, draft, party), **kwargs)

    return with_invitation(guarded)


def _unavailable_page(request: HttpRequest, reason: Closure) -> HttpResponse:
    """Say why a part can't be opened. The page also shows the posted answers, to be copied."""
    return render(request, "portal/sharing/part_unavailable.html", {"why": reason.value}, status=404)


@require_safe
@public
def part_link(request: AnyRequest) -> HttpResponse:
    """Open a session for the e-mailed link, and redirect to a URL without its key.

    The invitation stays as it is, since programs that scan e-mails open links before people do.
    """
    invitation = parts.find_by_key(request.GET.get("key", ""))
    # A wrong key gets a reference that does not exist, so that its answer looks like that for a right key.
    response = redirect("portal:part", reference=invitation.reference if invitation else new_token())
    if invitation:
        session = find_guest_session(request, invitation.reference)
        opened = GuestSession(invitation.reference, invitation.round, epoch=invitation.session_epoch)
        if session not in (opened, replace(opened, is_known=True)):
            start_guest_session(response, opened)
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cache-Control"] = "no-store"
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@invited
@with_invitation
def part_code(request: GuestRequest, invitation: Invitation) -> HttpResponse:
    """Offer to send a code, or ask for the code that was sent. A post sends a code, or checks the typed code."""
    if request.guest_session.is_known:
        return redirect("portal:part", reference=invitation.reference)
    if request.method != "POST" or chosen_in(request):
        return _render_code(request, invitation)
    if CODE in request.POST:
        return _try_code(request, invitation)
    try:
        codes.send_code(invitation)
    except codes.TooMany:
        error = gettext("We can’t send any more codes today. Try again tomorrow.")
        return _render_code(request, invitation, error=error, status=429)
    return redirect("portal:part_code", reference=invitation.reference)


def _try_code(request: GuestRequest, invitation: Invitation) -> HttpResponse:
    if codes.try_code(invitation, request.POST.get(CODE, "")):
        session = replace(request.guest_session, is_known=True)
        return start_guest_session(redirect("portal:part", reference=invitation.reference), session)
    invitation.refresh_from_db()
    if tries := codes.tries_left(invitation, now=timezone.now()):
        error = ngettext(
            "This code is wrong. Enter the code from our latest e-mail. You have {count} try left.",
            "This code is wrong. Enter the code from our latest e-mail. You have {count} tries left.",
            tries,
        )
    else:
        error = gettext("This code has expired. Ask for a new one.")
    return _render_code(request, invitation, error=error, status=422)


def _render_code(request: GuestRequest, invitation: Invitation, *, error: str = "", status: int = 200) -> HttpResponse:
    is_waiting = codes.tries_left(invitation, now=timezone.now()) > 0
    context = {
        "reference": invitation.reference,
        "is_waiting": is_waiting,
        "typed": request.POST.get(CODE, "") if chosen_in(request) else "",
        "minutes": codes.VALID_FOR.seconds // 60,
        "error": error,
        "problems": [Problem(CODE if is_waiting else "send", error)] if error else [],
    }
    return render(request, "portal/sharing/part_code.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@invited
def part_renewal(request: GuestRequest, reference: str) -> HttpResponse:
    """Ask the inviter for a new link after the guest's has expired. A GET only redirects to the part."""
    invitation = parts.find_by_reference(reference)
    session = request.guest_session
    if invitation is not None and request.method == "POST":
        reason = closure(invitation, now=timezone.now(), round_=session.round, epoch=session.epoch)
        if reason is Closure.EXPIRED:
            parts.ask_for_another_link(invitation)
            messages.success(request, gettext("We have told the person who invited you that you need a new link."))
    return redirect("portal:part", reference=reference)


class PartPageView(QuestionPageView):
    """Show and save the questions of a guest's part. Changing a finished part reopens it."""

    own: OwnPart

    def dispatch(self, request: HttpRequest, own: OwnPart, **kwargs: Any) -> HttpResponseBase:
        self.own = own
        self.draft = own.draft
        return super().dispatch(request, **kwargs)

    @property
    def author(self) -> Author:
        return Guest()

    def get_page(self) -> PartPage:
        return part_page(self.own)

    def save(self, page: QuestionPage, answers: dict[str, Any]) -> SaveResult:
        result = super().save(page, answers)
        if result.changes:
            parts.mark_begun(self.own.invitation)
        return result

    def save_files(self, result: SaveResult) -> SaveResult:
        result = super().save_files(result)
        if result.documents:
            parts.mark_begun(self.own.invitation)
        return result

    def finish(self, page: QuestionPage) -> HttpResponse:
        return redirect(same_page_url(self.request, page) or page.url)


@method_decorator([require_http_methods(["GET", "HEAD", "POST"]), invited, with_part], name="dispatch")
class PartView(PartPageView):
    def get(self, request: UserRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        page = self.get_page()
        if self.own.invitation.done_at and not page.needs and "again" not in request.GET:
            return redirect("portal:part_completion", reference=self.own.invitation.reference)
        return render_page(request, replace(page, is_finishing=_FINISHING in request.GET))

    def finish(self, page: QuestionPage) -> HttpResponse:
        if same_page_url(self.request, page):
            return super().finish(page)
        if "done" not in self.request.POST:
            messages.success(self.request, gettext("Saved. You can come back until the link expires."))
            return redirect(page.url)
        if page.needs or not parts.finish(self.draft, self.own.invitation):
            return redirect(f"{page.url}?{_FINISHING}=1")
        return redirect("portal:part_completion", reference=self.own.invitation.reference)


@method_decorator([require_http_methods(["GET", "HEAD", "POST"]), invited, with_part], name="dispatch")
class PartChoiceRestorationView(PartPageView, RestorationView):
    def dispatch(self, request: HttpRequest, own: OwnPart, **kwargs: Any) -> HttpResponseBase:
        self.change = own.change(kwargs["number"])
        return super().dispatch(request, own, **kwargs)


@require_safe
@invited
@with_part
def part_completion(request: GuestRequest, own: OwnPart) -> HttpResponse:
    """Tell the guest that they have finished, and what follows. If they have not, redirect to the form."""
    page = part_page(own)
    if page.needs or not own.invitation.done_at:
        return redirect(page.url)
    return render(request, "portal/sharing/part_completion.html", {"page": page})


@require_http_methods(["GET", "HEAD", "POST"])
@invited
def part_leave(request: GuestRequest, reference: str) -> HttpResponse:
    """End the guest's sessions, also on the server, so that copied cookies are useless. A GET only redirects.

    If the code was not entered, only this browser's session ends: the link may have been forwarded.
    """
    if request.method != "POST":
        return redirect("portal:part", reference=reference)
    session = request.guest_session
    if session.is_known:
        parts.end_sessions(reference, round_=session.round, epoch=session.epoch)
    return end_guest_session(render(request, "portal/sharing/part_unavailable.html", {"why": "left"}), reference)


@require_safe
@invited
@with_part
def part_document(request: GuestRequest, own: OwnPart, number: int) -> HttpResponse:
    return as_download(request, own.document(number), by=Guest())


@require_http_methods(["GET", "HEAD", "POST"])
@invited
@with_part
def part_document_removal(request: GuestRequest, own: OwnPart, number: int) -> HttpResponse:
    document = own.document(number)
    back_url = reverse("portal:part", args=[own.invitation.reference])
    if request.method != "POST":
        return ask_about_document(request, own.draft, document, back_url, gettext("Your part"))
    with removal_as_message(request, document.name):
        services.remove_document(own.draft, document, by=Guest())
        parts.mark_begun(own.invitation)
    return redirect(back_url)
