"""Whether somebody who was entered is there already: one entry for both, or two. Nobody has to decide."""

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.duplicates import duplicate_of
from formation_portal.applications.parties import PartyRow
from formation_portal.contract.language import following_on, say
from formation_portal.portal.posted import RESTORE

from ..double_page import DoublePage
from ..finding import draft_of, party_of
from ..roles import role_words
from ..way_back import way_back
from .restoring import restoring


@require_http_methods(["GET", "HEAD", "POST"])
@customer
@restoring
def party_double(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """The question, as long as there is one; `?next=check` leads back to where the save came from."""
    draft = draft_of(request, reference)
    party = party_of(draft, token)
    other = duplicate_of(draft, party)
    if other is None or not draft.application.can_be_changed:
        return _onwards(request, reference)
    if request.method != "POST" or request.POST.get("other") != other.token:
        return render(request, "portal/party_double.html", {"page": DoublePage(draft, party, other)})
    try:
        _decide(request, draft, party, other)
    except (services.Closed, services.Gone) as closed:
        messages.error(request, f"{closed}.")
    return _onwards(request, reference)


def _decide(request: UserRequest, draft: Draft, party: PartyRow, other: PartyRow) -> None:
    if request.POST.get("choice") != "one":
        services.keep_both(draft, party, other, by=request.user)
        messages.success(request, say("We kept both entries for {name}.", name=party.label))
        return
    services.merge_parties(draft, party, other, by=request.user)
    stays = party_of(draft, other.token)
    messages.success(
        request,
        say("{name} now has one entry: {roles}.", name=stays.label, roles=following_on(role_words(stays.roles))),
    )


def _onwards(request: UserRequest, reference: str) -> HttpResponse:
    back = way_back(request, reference)
    return redirect(back.url) if back else redirect("portal:people", reference=reference)


def ask_about_a_double(request: UserRequest, draft: Draft, token: str, response: HttpResponse) -> HttpResponse:
    """The answer to a save, or, where it leads on and the party seems to be here already, the way to the question."""
    stays = {"later", "update", "slot", "removal", "again", RESTORE}
    leads_on = isinstance(response, HttpResponseRedirect) and stays.isdisjoint(request.POST)
    party = draft.party(token)
    if not leads_on or party is None or duplicate_of(draft, party) is None:
        return response
    question = redirect("portal:party_double", reference=draft.application.reference, token=token)
    if back := way_back(request, draft.application.reference):
        question["Location"] += f"?{back.query}"
    return question
