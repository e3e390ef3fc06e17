"""Adding a party, and its own page."""

from collections.abc import Callable

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import saving
from formation_portal.applications.drafts import Draft
from formation_portal.applications.earlier_files import EarlierFiles
from formation_portal.applications.rows import PartyRow
from formation_portal.contract.language import noted, say

from ..conflict import Clash, clashes, keeps_theirs
from ..finding import draft_of, party_of, posted_version
from ..party_new import PartyNewPage, party_new_page
from ..party_page import PartyPage, party_page, sheet_with_roles
from ..posted import read_answers
from ..roles import role_words
from ..sheet import Sheet
from . import answering
from .doubles import ask_about_a_double

_ROLES = "roles"

_ADDED = {
    "person": noted("Person added. Now answer the questions."),
    "corporate": noted("Company added. Now answer the questions."),
    "foundation": noted("Foundation added. Now answer the questions."),
}


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def party_new(request: UserRequest, reference: str) -> HttpResponse:
    """First the kind, then the roles; posting makes the party, whose own page asks the rest."""
    draft = draft_of(request, reference)
    if not draft.application.can_be_changed:
        return redirect("portal:people", reference=reference)
    page = party_new_page(draft, request.POST if request.method == "POST" else request.GET, request.user)
    if request.method == "GET" or request.method == "HEAD":
        return _draw_new(request, page)
    if page.problems:
        return _draw_new(request, page, status=422)
    made = saving.add_party(draft, page.kind, page.chosen, page.raw, by=request.user, token=page.token)
    messages.success(request, say(_ADDED[page.kind]))
    onwards = redirect("portal:party", reference=reference, token=made.token)
    return ask_about_a_double(request, draft, made.token, onwards)


def _draw_new(request: UserRequest, page: PartyNewPage, *, status: int = 200) -> HttpResponse:
    # Nothing is wrong before something was posted.
    context = {"page": page, "problems": page.problems if status == 422 else ()}
    return render(request, "portal/party_new.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def party(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """GET draws the party's questions. POST saves answers and roles together."""
    draft = draft_of(request, reference)

    def page() -> PartyPage:
        earlier = EarlierFiles(draft, request.user)
        return party_page(draft, party_of(draft, token), own_email=request.user.email, earlier=earlier)

    return _save(request, page(), page) if request.method == "POST" else answering.draw(request, page())


def _save(request: UserRequest, before: PartyPage, page: Callable[[], PartyPage]) -> HttpResponse:
    found = before.party
    roles = _posted_roles(request, found)
    role_clashes = _role_clashes(request, found, roles)
    sheet = sheet_with_roles(before.draft, found, roles)

    def keep() -> None:
        try:
            with transaction.atomic():
                _keep(request, before.draft, found, sheet, roles)
                if role_clashes:
                    raise saving.Stale(stored={}, posted={}, fields=())
        except saving.Stale:
            # What was rolled back stands in the open draft still.
            before.draft.reload()
            raise

    def both(stale: saving.Stale) -> tuple[Clash, ...]:
        return (*role_clashes, *clashes(sheet, stale))

    response = answering.save(request, before, page=page, keep=keep, clashes=both, onwards=lambda: before.people_url)
    return ask_about_a_double(request, before.draft, found.token, response)


def _keep(request: UserRequest, draft: Draft, found: PartyRow, sheet: Sheet, roles: tuple[str, ...]) -> None:
    """Save answers and roles. The roles are widened first, so that answers to a new role's questions are kept too."""
    is_fresh = posted_version(request.POST) == found.version
    saving.set_roles(draft, found, (*found.roles, *roles), by=request.user)
    version = party_of(draft, found.token).version if is_fresh else posted_version(request.POST)
    saving.save_party(draft, found, read_answers(sheet, request.POST), version=version, by=request.user)
    saving.set_roles(draft, found, roles, by=request.user)


def _posted_roles(request: UserRequest, party: PartyRow) -> tuple[str, ...]:
    """The ticked roles; those that the party has, where the form did not ask."""
    if _ROLES not in request.POST or keeps_theirs(request.POST, _ROLES):
        return party.roles
    return tuple(role for role in request.POST.getlist(_ROLES) if role)


def _role_clashes(request: UserRequest, party: PartyRow, roles: tuple[str, ...]) -> tuple[Clash, ...]:
    """Other roles than those that somebody has given the party meanwhile."""
    if posted_version(request.POST) == party.version or set(roles) == set(party.roles):
        return ()
    return (Clash(_ROLES, "Roles", role_words(roles), role_words(party.roles)),)
