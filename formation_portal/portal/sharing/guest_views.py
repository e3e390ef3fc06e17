"""What a guest does: opens a part by the link of a letter and a code, fills it in, and says that it is finished.

Until the code is right, no page names anybody, and every link, right or wrong, leads to a page of the same kind.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
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

from ..removals import ask_or_remove, document_removal_page
from ..restorations import RestorationView
from ..sections.pages import QuestionPage
from ..sections.views import QuestionPageView, render_page, same_page_url
from .guest_pages import OwnPart, PartPage, part_page

CODE = "code"
DONE = "done"
# In the address of the form after the guest has tried to finish.
_FINISHING = "finishing"

Rest = ParamSpec("Rest")
WithInvitation = Callable[Concatenate[GuestRequest, Invitation, Rest], HttpResponseBase]
WithPart = Callable[Concatenate[GuestRequest, OwnPart, Rest], HttpResponseBase]
Guarded = Callable[Concatenate[GuestRequest, str, Rest], HttpResponseBase]


def with_invitation(view: WithInvitation[Rest]) -> Guarded[Rest]:
    """For pages before the code: the invitation, while it opens to a link of its present round. Nothing of the
    application is read for them."""

    @wraps(view)
    def guarded(request: GuestRequest, reference: str, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        session = request.guest_session
        invitation = parts.find_by_reference(session.reference)
        if invitation is None:
            answer: HttpResponseBase = _unavailable_page(request, Closure.UNKNOWN)
        elif why := closure(invitation, now=timezone.now(), round_=session.round, epoch=session.epoch):
            answer = _unavailable_page(request, why)
        else:
            answer = view(request, invitation, *args, **kwargs)
        # Kept nowhere, also by browsers that have no session.
        answer.headers["Cache-Control"] = "no-store"
        return answer

    return guarded


def with_part(view: WithPart[Rest]) -> Guarded[Rest]:
    """For the pages of the part itself; whoever hasn't entered the code is asked for it."""

    def found(
        request: GuestRequest, invitation: Invitation, /, *args: Rest.args, **kwargs: Rest.kwargs
    ) -> HttpResponseBase:
        if not request.guest_session.is_known:
            return redirect("portal:part_code", reference=invitation.reference)
        draft = open_draft(invitation.application)
        party = draft.party(invitation.party.token)
        if party is None:
            return _unavailable_page(request, Closure.WITHDRAWN)
        return view(request, OwnPart(invitation, draft, party), *args, **kwargs)

    return wraps(view)(with_invitation(found))


def _unavailable_page(request: HttpRequest, why: Closure) -> HttpResponse:
    """Why it can't be opened; what was posted to it can be read there once more, and copied."""
    return render(request, "portal/sharing/part_unavailable.html", {"why": why.value}, status=404)


@require_safe
@public
def part_link(request: AnyRequest) -> HttpResponse:
    """Where the letter's link leads. Its key goes no further: not to another page, nor to another site.

    Opening it changes nothing here, since machines open links before people do.
    """
    invitation = parts.find_by_key(request.GET.get("key", ""))
    if invitation is None:
        # To a name that nothing has: what follows is the same for every key that is wrong.
        answer: HttpResponse = redirect("portal:part", reference=new_token())
    else:
        session = find_guest_session(request, invitation.reference)
        answer = redirect("portal:part", reference=invitation.reference)
        opened = GuestSession(invitation.reference, invitation.round, epoch=invitation.session_epoch)
        if session not in (opened, replace(opened, is_known=True)):
            start_guest_session(answer, opened)
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
        return _render_code(request, invitation)
    if CODE in request.POST:
        return _try_code(request, invitation)
    try:
        codes.send_code(invitation)
    except codes.TooMany:
        said = gettext("We can’t send any more codes today. Try again tomorrow.")
        return _render_code(request, invitation, error=said, status=429)
    return redirect("portal:part_code", reference=invitation.reference)


def _try_code(request: GuestRequest, invitation: Invitation) -> HttpResponse:
    if codes.try_code(invitation, request.POST.get(CODE, "")):
        session = replace(request.guest_session, is_known=True)
        return start_guest_session(redirect("portal:part", reference=invitation.reference), session)
    invitation.refresh_from_db()
    if left := codes.tries_left(invitation, now=timezone.now()):
        error = ngettext(
            "This code is wrong. Enter the code from our latest e-mail. You have {count} try left.",
            "This code is wrong. Enter the code from our latest e-mail. You have {count} tries left.",
            left,
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
    """Ask for another link once this one has expired. A GET only leads back."""
    found = parts.find_by_reference(reference)
    session = request.guest_session
    why = closure(found, now=timezone.now(), round_=session.round, epoch=session.epoch) if found else None
    if found is None or why is not Closure.EXPIRED or request.method != "POST":
        return redirect("portal:part", reference=reference)
    parts.ask_for_another_link(found)
    messages.success(request, gettext("We have told the person who invited you that you need a new link."))
    return redirect("portal:part", reference=reference)


class PartPageView(QuestionPageView):
    """Show and save the questions of a guest's part. A finished part that is changed is in progress again."""

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
    """Show a guest's part, and save what was typed and every file, also half of it."""

    def get(self, request: UserRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        page = self.get_page()
        if self.own.invitation.done_at and not page.needs and "again" not in request.GET:
            return redirect(page.done_url)
        return render_page(request, replace(page, is_finishing=_FINISHING in request.GET))

    def finish(self, page: QuestionPage) -> HttpResponse:
        if same_page_url(self.request, page):
            return super().finish(page)
        if DONE not in self.request.POST:
            messages.success(self.request, gettext("Saved. You can come back until the link expires."))
            return redirect(page.url)
        if page.needs or not parts.finish(self.draft, self.own.invitation):
            return redirect(f"{page.url}?{_FINISHING}=1")
        return redirect("portal:part_completion", reference=self.own.invitation.reference)


@method_decorator([require_http_methods(["GET", "HEAD", "POST"]), invited, with_part], name="dispatch")
class PartChoiceRestorationView(PartPageView, RestorationView):
    """Take back a choice that was made on a guest's part."""

    def dispatch(self, request: HttpRequest, own: OwnPart, **kwargs: Any) -> HttpResponseBase:
        self.change = own.change(kwargs["number"])
        return super().dispatch(request, own, **kwargs)


@require_safe
@invited
@with_part
def part_completion(request: GuestRequest, own: OwnPart) -> HttpResponse:
    """Tell the guest that they have finished, and what follows. An unfinished part leads back to the form."""
    page = part_page(own)
    if page.needs or not own.invitation.done_at:
        return redirect(page.url)
    return render(request, "portal/sharing/part_completion.html", {"page": page})


@require_http_methods(["GET", "HEAD", "POST"])
@invited
def part_leave(request: GuestRequest, reference: str) -> HttpResponse:
    """End the guest's sessions, also on the server: a copy of the cookie opens nothing. A GET only leads back.

    A session without the code ends in this browser alone: the link may have been forwarded.
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
    """A file of the part."""
    return as_download(request, own.document(number), by=Guest())


@require_http_methods(["GET", "HEAD", "POST"])
@invited
@with_part
def part_document_removal(request: GuestRequest, own: OwnPart, number: int) -> HttpResponse:
    """Ask once more, then take a file out of its slot."""
    found = own.document(number)
    home = part_page(own)
    page = document_removal_page(own.draft, found, back=(home.url, gettext("Your part")))

    def remove() -> None:
        services.remove_document(own.draft, found, by=Guest())
        parts.mark_begun(own.invitation)

    return ask_or_remove(request, page, remove)
