"""One's own part: its questions and documents, and saying that one is done."""

from collections.abc import Mapping
from functools import partial
from typing import Any, cast

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from formation_portal.accounts import guest_sessions
from formation_portal.accounts.policies import GuestRequest, UserRequest, invited
from formation_portal.applications import services
from formation_portal.applications.access import Guest
from formation_portal.invitations import parts
from formation_portal.ui.downloads import as_download
from formation_portal.ui.forms.form_data import posted_answers, posted_page_version, posted_version

from ..removals import ask_or_remove, document_removal_page
from ..restorations import restore_choice
from ..sections.changes import field_conflicts
from ..sections.views import render_page, save_page
from .guest_pages import PartPage, part_page
from .guest_session import OwnPart, with_part

DONE = "done"


@require_http_methods(["GET", "HEAD", "POST"])
@invited
@with_part
def part(request: GuestRequest, own: OwnPart) -> HttpResponse:
    """GET draws the part. POST saves what was typed and every file, also half of it, and goes on where it says so."""
    before = part_page(own)
    if request.method != "POST":
        if own.invitation.done_at and "again" not in request.GET:
            return redirect("portal:part_completion", reference=own.invitation.reference)
        return render_page(request, before)
    return _save(request, own, before)


def _save(request: GuestRequest, own: OwnPart, before: PartPage) -> HttpResponse:
    draft = own.draft

    def onwards() -> str:
        if DONE not in request.POST:
            messages.success(request, gettext("Saved. You can come back until the link expires."))
            return before.url
        parts.finish(draft, own.invitation)
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
    version, seen = posted_version(request.POST), posted_page_version(request.POST, own.draft)
    return services.save_party(own.draft, own.party, raw, version=version, by=Guest(), page_version=seen)


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
    """What follows: that it is done, what is missing all the same, and the way back to it."""
    return render(
        request, "portal/sharing/part_completion.html", {"page": part_page(own), "is_done": own.invitation.done_at}
    )


@require_http_methods(["GET", "HEAD", "POST"])
@invited
def part_leave(request: GuestRequest, reference: str) -> HttpResponse:
    """Shut the part in this browser. A GET only leads back to it."""
    if request.method != "POST":
        return redirect("portal:part", reference=reference)
    return guest_sessions.end(render(request, "portal/sharing/part_unavailable.html", {"why": "left"}), reference)


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
