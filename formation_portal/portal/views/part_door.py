"""What stands before every page of a part: whether it is open, and whether the code was entered."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from formation_portal.accounts.policies import GuestRequest
from formation_portal.invitations.models import Invitation

from ..own_part import OwnPart, Shut, invitation_of, part_of

Rest = ParamSpec("Rest")
WithInvitation = Callable[Concatenate[GuestRequest, Invitation, Rest], HttpResponse]
WithPart = Callable[Concatenate[GuestRequest, OwnPart, Rest], HttpResponse]
Guarded = Callable[Concatenate[GuestRequest, str, Rest], HttpResponse]


def with_invitation(view: WithInvitation[Rest]) -> Guarded[Rest]:
    """For pages before the code: nothing of the application is read for them."""

    @wraps(view)
    def guarded(request: GuestRequest, reference: str, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponse:
        try:
            answer = view(request, invitation_of(request.pass_), *args, **kwargs)
        except Shut as shut:
            answer = shut_page(request, shut)
        # Kept nowhere, also by browsers that have no session.
        answer.headers["Cache-Control"] = "no-store"
        return answer

    return guarded


def with_part(view: WithPart[Rest]) -> Guarded[Rest]:
    """For the pages of the part itself; whoever hasn't entered the code is asked for it."""

    def found(
        request: GuestRequest, invitation: Invitation, /, *args: Rest.args, **kwargs: Rest.kwargs
    ) -> HttpResponse:
        if not request.pass_.is_known:
            return redirect("portal:part_code", reference=invitation.reference)
        return view(request, part_of(invitation), *args, **kwargs)

    return wraps(view)(with_invitation(found))


def shut_page(request: HttpRequest, shut: Shut) -> HttpResponse:
    """Why it can't be opened; what was posted to it can be read there once more, and copied."""
    return render(request, "portal/part_shut.html", {"why": shut.why.value}, status=404)
