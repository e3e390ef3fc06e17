"""The page of people and companies, and giving one of them a role in one press."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.parties import PartyRow
from formation_portal.contract.language import say
from formation_portal.contract.schema import Section

from .. import roles
from ..finding import draft_of, party_of
from ..people_view import people_page
from .restoring import restoring


@require_safe
@customer
def people(request: UserRequest, reference: str) -> HttpResponse:
    """Roles with what they need, and everybody once."""
    return render(request, "portal/people.html", {"page": people_page(draft_of(request, reference), request.user)})


@require_http_methods(["GET", "HEAD", "POST"])
@customer
@restoring
def party_roles(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """Give a known party one more role. A GET, as after signing in again, only leads to the list."""
    draft = draft_of(request, reference)
    party = party_of(draft, token)
    if request.method == "POST":
        _give(request, draft, party)
    return redirect("portal:people", reference=reference)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def party_restoration(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """Bring a removed party back. A GET, as after signing in again, only leads to the list."""
    draft = draft_of(request, reference)
    if request.method == "POST":
        try:
            back = services.restore_party(draft, token, by=request.user)
        except services.Gone as gone:
            raise Http404 from gone
        except services.Closed as closed:
            messages.error(request, f"{closed}.")
        else:
            messages.success(request, say("{name} was restored.", name=back.label))
    return redirect("portal:people", reference=reference)


def _give(request: UserRequest, draft: Draft, party: PartyRow) -> None:
    section = fitting(draft, party.kind, request.POST.get("role", ""))
    if section is None or section.role is None:
        messages.error(request, say("Choose a role that {name} can have.", name=party.label))
        return
    try:
        services.set_roles(draft, party, (*party.roles, section.role), by=request.user)
    except services.Closed as closed:
        messages.error(request, f"{closed}.")
        return
    said = say("{name} is now {role}.", name=party.label, role=roles.in_role(section))
    messages.success(request, f"{said}{filled(draft, section)}")


def fitting(draft: Draft, kind: str, role: str) -> Section | None:
    """The section of the role, where it is asked and takes the kind."""
    asked = roles.asked_roles(draft)
    return next((section for section in asked if section.role == role and section.allows(kind)), None)


def filled(draft: Draft, section: Section) -> str:
    """Says so where the role needs nobody more."""
    least = draft.form_state.minimum(section).count
    if draft.form_state.tally(section) < least:
        return ""
    return " " + say("You have enough people for “{role}”.", role=roles.role_title(section))
