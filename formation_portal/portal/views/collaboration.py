"""Saying yes to working on somebody's application: by link, with an account that has the address it was sent to.

So a link that was forwarded opens nothing, and tells nothing. The key leaves the address at once; the session keeps its
digest through signing in or up.
"""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from formation_portal.accounts import addresses
from formation_portal.accounts.policies import AnyRequest, UserRequest, public, signed_in
from formation_portal.applications import services
from formation_portal.applications.access import Collaborator, Right
from formation_portal.applications.draft import open_draft
from formation_portal.invitations import collaborators
from formation_portal.invitations.codes import digest_of_key

_KEPT = "collaboration"


@require_safe
@public
def collaboration_link(request: AnyRequest) -> HttpResponse:
    """Where the letter's link leads; the answer is the same for a right key and a wrong one."""
    request.session[_KEPT] = digest_of_key(request.GET.get("key", ""))
    answer = redirect("portal:collaboration")
    answer.headers["Referrer-Policy"] = "no-referrer"
    answer.headers["Cache-Control"] = "no-store"
    return answer


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def collaboration(request: UserRequest) -> HttpResponse:
    """GET says what it is about, to whom it was sent. POST says yes."""
    asked = collaborators.find_by_key_digest(request.session.get(_KEPT, ""))
    if asked is None and request.method == "POST":
        return _again(request)
    if asked is None or not addresses.is_confirmed(request.user, asked.email):
        return _shut(request, asked)
    if request.method == "POST":
        return _accept(request, asked)
    page = {"draft": open_draft(asked.application), "right": Right(asked.right)}
    return render(request, "portal/collaboration.html", page)


def _accept(request: UserRequest, asked: Collaborator) -> HttpResponse:
    try:
        collaborators.accept(asked, by=request.user)
    except services.Gone:
        return _again(request)
    request.session.pop(_KEPT, None)
    messages.success(request, gettext("You now have access. You can find this application in your list."))
    return redirect("portal:overview", reference=asked.application.reference)


def _again(request: UserRequest) -> HttpResponse:
    """A second press ends where the first one did; anybody else is told that nothing is open."""
    there = collaborators.just_accepted(request.user)
    return redirect("portal:overview", reference=there.application.reference) if there else _shut(request, None)


def _shut(request: UserRequest, asked: Collaborator | None) -> HttpResponse:
    """Why it can't be opened. Whoever holds a link that was sent to somebody else learns nothing but that."""
    is_theirs = asked is not None and addresses.has(request.user, asked.email)
    if is_theirs:
        addresses.after_confirming(request, request.path)
    why = "unconfirmed" if is_theirs else "other" if asked else "unknown"
    return render(request, "portal/collaboration_shut.html", {"why": why}, status=404)
