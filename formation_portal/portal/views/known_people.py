"""Bringing somebody here whom the customer knows from another application: a copy, which nothing links to the other."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.applications.contacts import Contact, contacts, copyable_answers, matching_party
from formation_portal.applications.draft import Draft
from formation_portal.applications.fields import is_token
from formation_portal.applications.parties import PartyRow
from formation_portal.contract.language import say, say_count

from ..finding import draft_of
from ..roles import in_role
from .people import filled, fitting


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def party_known(request: UserRequest, reference: str) -> HttpResponse:
    """Copy somebody with the role. A GET, as after signing in again, only leads to the list."""
    draft = draft_of(request, reference)
    if request.method == "POST":
        source, _, token = request.POST.get("use", "").rpartition("/")
        known = next((one for one in contacts(request.user, draft) if source in one.sources), None)
        if known is None or not is_token(token):
            raise Http404
        _copy(request, draft, known, token)
    return redirect("portal:people", reference=reference)


def _copy(request: UserRequest, draft: Draft, known: Contact, token: str) -> None:
    section = fitting(draft, known.kind, request.POST.get("role", ""))
    if section is None or section.role is None:
        messages.error(request, say("Choose a role that {name} can have.", name=known.label))
        return
    there = draft.party(token) or matching_party(draft, known)
    try:
        answers = _bring(request, draft, known, token, section.role, there)
    except (services.Closed, services.Gone) as refused:
        messages.error(request, f"{refused}.")
        return
    messages.success(request, f"{_now(known.label, in_role(section), answers)}{filled(draft, section)}")


def _now(name: str, role: str, answers: int) -> str:
    if not answers:
        return say("{name} is now {role}.", name=name, role=role)
    return say_count(
        "{name} is now {role}. We filled in {count} answer.",
        "{name} is now {role}. We filled in {count} answers.",
        answers,
        name=name,
        role=role,
    )


def _bring(request: UserRequest, draft: Draft, known: Contact, token: str, role: str, there: PartyRow | None) -> int:
    """Whoever is here already, also by an earlier press, takes the role; how many answers came along."""
    if there is not None:
        services.set_roles(draft, there, (*there.roles, role), by=request.user)
        return 0
    answers = copyable_answers(draft, known, [role])
    services.add_party(draft, known.kind, [role], answers, by=request.user, token=token)
    return len(answers)
