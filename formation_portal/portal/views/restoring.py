"""What is posted to a party that somebody has removed meanwhile: nothing of it is lost.

One press restores the party and does what was meant.
"""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render

from formation_portal.accounts.policies import UserRequest
from formation_portal.applications import services
from formation_portal.contract.language import say
from formation_portal.portal.posted import RESTORE

from ..finding import Removed
from ..removed_page import removed_page

Rest = ParamSpec("Rest")
PartyView = Callable[Concatenate[UserRequest, Rest], HttpResponse]


def restoring(view: PartyView[Rest]) -> PartyView[Rest]:
    """For views that change one party. By then the view has seen to it that whoever posts may edit the application;
    everybody else has got what it answers where there is nobody."""

    @wraps(view)
    def guarded(request: UserRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except Removed as removed:
            if request.method != "POST":
                raise
            if request.POST.get(RESTORE) != removed.party.token:
                return _offer(request, removed)
            _restore(request, removed)
        return view(request, *args, **kwargs)

    return guarded


def _offer(request: UserRequest, removed: Removed) -> HttpResponse:
    """409 with everything that was typed. A change that script posts is only told of; the page with it stays."""
    if request.htmx:
        return render(request, "portal/_party_gone.html", {"party": removed.party}, status=422)
    page = removed_page(removed.draft, removed.party, request.POST, url=request.get_full_path(), reader=request.user)
    context = {"page": page, "had_files": bool(request.FILES)}
    return render(request, "portal/party_gone.html", context, status=409)


def _restore(request: UserRequest, removed: Removed) -> None:
    try:
        back = services.restore_party(removed.draft, removed.party.token, by=request.user)
    except (services.Closed, services.Gone) as refused:
        messages.error(request, f"{refused}.")
    else:
        messages.success(request, say("{name} was restored.", name=back.label))
