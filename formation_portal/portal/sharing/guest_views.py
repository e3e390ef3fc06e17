"""What a guest does: opens a part by the link of a letter and a code, fills it in, and says that it is finished.

Until the code is right, no page names anybody, and every link, right or wrong, leads to a page of the same kind.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from formation_portal.accounts.languages import chosen_in
from formation_portal.accounts.policies import AnyRequest, GuestRequest, UserRequest, invited, public
from formation_portal.accounts.sessions import (
    GuestSession,
    end_guest_session,
    find_guest_session,
    start_guest_session,
)
from formation_portal.applications import services
from formation_portal.applications.access import Guest
from formation_portal.applications.draft import open_draft
from formation_portal.applications.fields import new_token
from formation_portal.contract.localisation import ngettext
from formation_portal.invitations import codes, parts
from formation_portal.invitations.models import Closure, Invitation, closure
from formation_portal.ui.downloads import as_download
from formation_portal.ui.forms.controls import Problem
from formation_portal.ui.forms.form_data import posted_answers, posted_page_version, posted_version

from ..removals import ask_or_remove, document_removal_page
from ..restorations import restore_choice
from ..sections.changes import field_conflicts
from ..sections.views import render_page, save_page
from .guest_pages import OwnPart, PartPage, part_page

CODE = "code"
DONE = "done"
# In the address of the form after the guest has tried to finish.
_FINISHING = "finishing"

Rest = ParamSpec("Rest")
WithInvitation = Callable[Concatenate[GuestRequest, Invitation, Rest], HttpResponse]
WithPart = Callable[Concatenate[GuestRequest, OwnPart, Rest], HttpResponse]
Guarded = Callable[Concatenate[GuestRequest, str, Rest], HttpResponse]


def with_invitation(view: WithInvitation[Rest]) -> Guarded[Rest]:
    """For pages before the code: the invitation, while it opens to a link of its present round. Nothing of the
    application is read for them."""

    @wraps(view)
    def guarded(request: GuestRequest, reference: str, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponse:
        session = request.guest_session
        invitation = parts.find_by_reference(session.reference)
        if invitation is None:
            answer = _unavailable_page(request, Closure.UNKNOWN)
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
    ) -> HttpResponse:
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


@require_http_methods(["GET", "HEAD", "POST"])
@invited
@with_part
def part(request: GuestRequest, own: OwnPart) -> HttpResponse:
    """GET draws the part. POST saves what was typed and every file, also half of it, and goes on where it says so."""
    before = part_page(own)
    if request.method != "POST":
        if own.invitation.done_at and not before.needs and "again" not in request.GET:
            return redirect(before.done_url)
        return render_page(request, replace(before, is_finishing=_FINISHING in request.GET))
    return _save(request, own, before)


def _save(request: GuestRequest, own: OwnPart, before: PartPage) -> HttpResponse:
    draft = own.draft

    def onwards() -> str:
        if DONE not in request.POST:
            messages.success(request, gettext("Saved. You can come back until the link expires."))
            return before.url
        if part_page(own).needs or not parts.finish(draft, own.invitation):
            return f"{before.url}?{_FINISHING}=1"
        return before.done_url

    response = save_page(
        cast(UserRequest, request),
        before,
        page=lambda: part_page(own),
        keep=lambda: _keep(request, own, posted_answers(before.form, request.POST)),
        clashes=partial(field_conflicts, before.form),
        onwards=onwards,
    )
    if draft.new_changes and response.headers.get("Location") != before.done_url:
        parts.mark_begun(own.invitation)
    return response


def _keep(request: GuestRequest, own: OwnPart, raw: Mapping[str, Any]) -> services.KeptTheirs:
    version, page_version = posted_version(request.POST), posted_page_version(request.POST, own.draft)
    return services.save_party(own.draft, own.party, raw, version=version, by=Guest(), page_version=page_version)


@require_http_methods(["GET", "HEAD", "POST"])
@invited
@with_part
def part_choice_restoration(request: GuestRequest, own: OwnPart, number: int) -> HttpResponse:
    """Answer the choices of one change of the part as before it. A GET only leads back."""
    change, before = own.change(number), part_page(own)
    if request.method != "POST":
        return redirect(before.url)
    response = save_page(
        cast(UserRequest, request),
        before,
        page=lambda: part_page(own),
        keep=lambda: restore_choice(request, before, change, save=partial(_keep, request, own), by=Guest()),
        clashes=partial(field_conflicts, before.form),
        onwards=lambda: before.url,
    )
    if own.draft.new_changes:
        parts.mark_begun(own.invitation)
    return response


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
