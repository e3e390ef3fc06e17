"""People and companies: the list, adding one, their own page, roles in one press, and duplicates."""

from collections.abc import Callable

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from formation_portal.accounts.languages import chosen_in
from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.applications.contacts import Contact, contacts, copyable_answers, matching_party
from formation_portal.applications.documents import EarlierFiles
from formation_portal.applications.draft import Draft
from formation_portal.applications.duplicates import duplicate_of
from formation_portal.applications.fields import is_token
from formation_portal.applications.parties import PartyRow
from formation_portal.contract.localisation import after_colon, gettext, gettext_noop, ngettext
from formation_portal.contract.schema import Section
from formation_portal.ui import roles
from formation_portal.ui.forms.form_data import (
    RESTORE,
    ROLES,
    keeps_theirs,
    posted_answers,
    posted_page_version,
    posted_version,
)
from formation_portal.ui.roles import role_with_article, role_words

from ..lookups import get_draft_or_404, get_party_or_404
from ..navigation import return_url
from ..sections import question_views
from ..sections.conflicts import FieldConflict, field_conflicts
from ..sections.question_views import posted_proposal
from .duplicates import DuplicatePage
from .pages import PartyNewPage, PartyPage, form_with_roles, party_new_page, party_page
from .people import people_page
from .removed import restores_removed_party


@require_safe
@customer
def people(request: UserRequest, reference: str) -> HttpResponse:
    """Roles with what they need, and everybody once."""
    return render(
        request, "portal/parties/people.html", {"page": people_page(get_draft_or_404(request, reference), request.user)}
    )


@require_http_methods(["GET", "HEAD", "POST"])
@customer
@restores_removed_party
def party_roles(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """Give a known party one more role. A GET, as after signing in again, only leads to the list."""
    draft = get_draft_or_404(request, reference)
    party = get_party_or_404(draft, token)
    if request.method == "POST":
        _give(request, draft, party)
    return redirect("portal:people", reference=reference)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def party_restoration(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """Bring a removed party back. A GET, as after signing in again, only leads to the list."""
    draft = get_draft_or_404(request, reference)
    if request.method == "POST":
        try:
            back = services.restore_party(draft, token, by=request.user)
        except services.Gone as gone:
            raise Http404 from gone
        except services.Closed as closed:
            messages.error(request, f"{closed}.")
        else:
            messages.success(request, gettext("{name} was restored.", name=back.label))
    return redirect("portal:people", reference=reference)


def _give(request: UserRequest, draft: Draft, party: PartyRow) -> None:
    section = section_of_role(draft, party.kind, request.POST.get("role", ""))
    if section is None or section.role is None:
        messages.error(request, gettext("Choose a role that {name} can have.", name=party.label))
        return
    try:
        services.set_roles(draft, party, (*party.roles, section.role), by=request.user)
    except services.Closed as closed:
        messages.error(request, f"{closed}.")
        return
    said = gettext("{name} is now {role}.", name=party.label, role=roles.role_with_article(section))
    messages.success(request, f"{said}{role_filled_words(draft, section)}")


def section_of_role(draft: Draft, kind: str, role: str) -> Section | None:
    """The section of the role, where it is asked and takes the kind."""
    asked = roles.active_roles(draft)
    return next((section for section in asked if section.role == role and section.allows(kind)), None)


def role_filled_words(draft: Draft, section: Section) -> str:
    """Says so where the role needs nobody more."""
    least = draft.form_state.minimum_of(section).count
    if draft.form_state.count_parties(section) < least:
        return ""
    return " " + gettext("You have enough people for “{role}”.", role=roles.role_title(section))


_ADDED = {
    "person": gettext_noop("Person added. Now answer the questions."),
    "corporate": gettext_noop("Company added. Now answer the questions."),
    "foundation": gettext_noop("Foundation added. Now answer the questions."),
}


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def party_new(request: UserRequest, reference: str) -> HttpResponse:
    """First the kind, then the roles; posting makes the party, whose own page asks the rest."""
    draft = get_draft_or_404(request, reference)
    if not draft.application.can_be_changed:
        return redirect("portal:people", reference=reference)
    page = party_new_page(draft, request.POST if request.method == "POST" else request.GET, request.user)
    if request.method != "POST" or chosen_in(request):
        return _draw_new(request, page)
    if page.problems:
        return _draw_new(request, page, status=422)
    made = services.add_party(draft, page.kind, page.chosen, page.raw, by=request.user, token=page.token)
    messages.success(request, gettext(_ADDED[page.kind]))
    onwards = redirect("portal:party", reference=reference, token=made.token)
    return ask_about_duplicate(request, draft, made.token, onwards)


def _draw_new(request: UserRequest, page: PartyNewPage, *, status: int = 200) -> HttpResponse:
    # Nothing is wrong before something was posted.
    context = {"page": page, "problems": page.problems if status == 422 else ()}
    return render(request, "portal/parties/party_new.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
@restores_removed_party
def party(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """GET draws the party's questions. POST saves answers and roles together."""
    draft = get_draft_or_404(request, reference)

    def page() -> PartyPage:
        earlier = EarlierFiles(draft, request.user)
        return party_page(draft, get_party_or_404(draft, token), own_email=request.user.email, earlier=earlier)

    return _save(request, page(), page) if request.method == "POST" else question_views.render_page(request, page())


def _save(request: UserRequest, before: PartyPage, page: Callable[[], PartyPage]) -> HttpResponse:
    draft, found = before.draft, before.party
    roles = None  # where the form did not ask, or where those stay that the party has
    if ROLES in request.POST and not keeps_theirs(request.POST, ROLES):
        roles = tuple(role for role in request.POST.getlist(ROLES) if role)
    form = form_with_roles(draft, found, roles or ())

    def keep() -> services.KeptTheirs:
        version, seen = posted_version(request.POST), posted_page_version(request.POST, draft)
        raw = posted_answers(form, request.POST) | posted_proposal(request, before)
        return services.save_party(draft, found, raw, roles=roles, version=version, by=request.user, page_version=seen)

    def both(stale: services.Stale) -> tuple[FieldConflict, ...]:
        return (*_role_clashes(stale), *field_conflicts(form, stale))

    response = question_views.save_page(
        request, before, page=page, keep=keep, clashes=both, onwards=lambda: before.people_url
    )
    return ask_about_duplicate(request, draft, found.token, response)


def _role_clashes(stale: services.Stale) -> tuple[FieldConflict, ...]:
    """Other roles than those that somebody has given the party meanwhile."""
    if services.ROLES not in (*stale.fields, *stale.kept_theirs):
        return ()
    mine, theirs = role_words(stale.posted[services.ROLES]), role_words(stale.stored[services.ROLES])
    change, is_left = stale.changes.get(services.ROLES), services.ROLES in stale.kept_theirs
    return (FieldConflict(ROLES, gettext("Roles"), mine, theirs, change, is_left),)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def party_known(request: UserRequest, reference: str) -> HttpResponse:
    """Copy somebody with the role. A GET, as after signing in again, only leads to the list."""
    draft = get_draft_or_404(request, reference)
    if request.method == "POST":
        source, _, token = request.POST.get("use", "").rpartition("/")
        known = next((one for one in contacts(request.user, draft) if source in one.sources), None)
        if known is None or not is_token(token):
            raise Http404
        _copy(request, draft, known, token)
    return redirect("portal:people", reference=reference)


def _copy(request: UserRequest, draft: Draft, known: Contact, token: str) -> None:
    section = section_of_role(draft, known.kind, request.POST.get("role", ""))
    if section is None or section.role is None:
        messages.error(request, gettext("Choose a role that {name} can have.", name=known.label))
        return
    there = draft.party(token) or matching_party(draft, known)
    count = 0
    try:
        # Whoever is here already, also by an earlier press, takes the role.
        if there is not None:
            services.set_roles(draft, there, (*there.roles, section.role), by=request.user)
        else:
            answers = copyable_answers(draft, known, [section.role])
            services.add_party(draft, known.kind, [section.role], answers, by=request.user, token=token)
            count = len(answers)
    except (services.Closed, services.Gone) as refused:
        messages.error(request, f"{refused}.")
        return
    messages.success(
        request, f"{_now(known.label, role_with_article(section), count)}{role_filled_words(draft, section)}"
    )


def _now(name: str, role: str, answers: int) -> str:
    if not answers:
        return gettext("{name} is now {role}.", name=name, role=role)
    return ngettext(
        "{name} is now {role}. We filled in {count} answer.",
        "{name} is now {role}. We filled in {count} answers.",
        answers,
        name=name,
        role=role,
    )


@require_http_methods(["GET", "HEAD", "POST"])
@customer
@restores_removed_party
def party_duplicate(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """The question, as long as there is one; `?next=check` leads back to where the save came from."""
    draft = get_draft_or_404(request, reference)
    party = get_party_or_404(draft, token)
    other = duplicate_of(draft, party)
    if other is None or not draft.application.can_be_changed:
        return _onwards(request, reference)
    if request.method != "POST" or request.POST.get("other") != other.token:
        return render(request, "portal/parties/duplicate.html", {"page": DuplicatePage(draft, party, other)})
    try:
        _keep_or_merge(request, draft, party, other)
    except (services.Closed, services.Gone) as closed:
        messages.error(request, f"{closed}.")
    return _onwards(request, reference)


def _keep_or_merge(request: UserRequest, draft: Draft, party: PartyRow, other: PartyRow) -> None:
    if request.POST.get("choice") != "one":
        services.keep_both(draft, party, other, by=request.user)
        messages.success(request, gettext("We kept both entries for {name}.", name=party.label))
        return
    services.merge_parties(draft, party, other, by=request.user)
    stays = get_party_or_404(draft, other.token)
    messages.success(
        request,
        gettext("{name} now has one entry: {roles}.", name=stays.label, roles=after_colon(role_words(stays.roles))),
    )


def _onwards(request: UserRequest, reference: str) -> HttpResponse:
    back = return_url(request, reference)
    return redirect(back.url) if back else redirect("portal:people", reference=reference)


def ask_about_duplicate(request: UserRequest, draft: Draft, token: str, response: HttpResponse) -> HttpResponse:
    """The answer to a save, or, where it leads on and the party seems to be here already, the way to the question."""
    stays = {"later", "update", "slot", "removal", "again", RESTORE}
    leads_on = isinstance(response, HttpResponseRedirect) and stays.isdisjoint(request.POST)
    party = draft.party(token)
    if not leads_on or party is None or duplicate_of(draft, party) is None:
        return response
    question = redirect("portal:party_duplicate", reference=draft.application.reference, token=token)
    if back := return_url(request, draft.application.reference):
        question["Location"] += f"?{back.query}"
    return question
