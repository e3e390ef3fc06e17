"""Adding a party, and its own page."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.languages import chosen_in
from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.applications.documents import EarlierFiles
from formation_portal.applications.parties import PartyRow
from formation_portal.contract.language import noted, say
from formation_portal.portal.posted import keeps_theirs, posted_version

from ..conflict import Clash, clashes
from ..drawn import seen_of
from ..finding import draft_of, party_of
from ..party_new import PartyNewPage, party_new_page
from ..party_page import PartyPage, party_page, sheet_with_roles
from ..posted import ROLES, read_answers
from ..roles import role_words
from . import answering
from .answering import proposed
from .doubles import ask_about_a_double
from .restoring import restoring

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
    if request.method != "POST" or chosen_in(request):
        return _draw_new(request, page)
    if page.problems:
        return _draw_new(request, page, status=422)
    made = services.add_party(draft, page.kind, page.chosen, page.raw, by=request.user, token=page.token)
    messages.success(request, say(_ADDED[page.kind]))
    onwards = redirect("portal:party", reference=reference, token=made.token)
    return ask_about_a_double(request, draft, made.token, onwards)


def _draw_new(request: UserRequest, page: PartyNewPage, *, status: int = 200) -> HttpResponse:
    # Nothing is wrong before something was posted.
    context = {"page": page, "problems": page.problems if status == 422 else ()}
    return render(request, "portal/party_new.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
@restoring
def party(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """GET draws the party's questions. POST saves answers and roles together."""
    draft = draft_of(request, reference)

    def page() -> PartyPage:
        earlier = EarlierFiles(draft, request.user)
        return party_page(draft, party_of(draft, token), own_email=request.user.email, earlier=earlier)

    return _save(request, page(), page) if request.method == "POST" else answering.draw(request, page())


def _save(request: UserRequest, before: PartyPage, page: Callable[[], PartyPage]) -> HttpResponse:
    draft, found = before.draft, before.party
    roles = _posted_roles(request, found)
    sheet = sheet_with_roles(draft, found, roles or ())

    def keep() -> services.KeptTheirs:
        version, seen = posted_version(request.POST), seen_of(request.POST, draft)
        raw = read_answers(sheet, request.POST) | proposed(request, before)
        return services.save_party(draft, found, raw, roles=roles, version=version, by=request.user, page_version=seen)

    def both(stale: services.Stale) -> tuple[Clash, ...]:
        return (*_role_clashes(stale), *clashes(sheet, stale))

    response = answering.save(request, before, page=page, keep=keep, clashes=both, onwards=lambda: before.people_url)
    return ask_about_a_double(request, draft, found.token, response)


def _posted_roles(request: UserRequest, party: PartyRow) -> tuple[str, ...] | None:
    """The ticked roles; None where the form did not ask, or where those stay that the party has."""
    if ROLES not in request.POST or keeps_theirs(request.POST, ROLES):
        return None
    return tuple(role for role in request.POST.getlist(ROLES) if role)


def _role_clashes(stale: services.Stale) -> tuple[Clash, ...]:
    """Other roles than those that somebody has given the party meanwhile."""
    if services.ROLES not in (*stale.fields, *stale.kept_theirs):
        return ()
    mine, theirs = role_words(stale.posted[services.ROLES]), role_words(stale.stored[services.ROLES])
    change, is_left = stale.changes.get(services.ROLES), services.ROLES in stale.kept_theirs
    return (Clash(ROLES, gettext("Roles"), mine, theirs, change, is_left),)
