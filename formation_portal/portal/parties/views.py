"""Show, add and change people and companies: the list, each party's page and roles, duplicates, companies' owners."""

from functools import cached_property
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.decorators import method_decorator
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.languages import chosen_in
from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.applications.contacts import contacts, copyable_answers, duplicate_of, matching_party
from formation_portal.applications.documents import EarlierFiles
from formation_portal.applications.draft import Draft
from formation_portal.applications.fields import is_token
from formation_portal.applications.parties import PartyRow
from formation_portal.applications.services import SaveResult
from formation_portal.contract.fields.parsing import without_null
from formation_portal.contract.localisation import after_colon, ngettext
from formation_portal.contract.schema import Section
from formation_portal.invitations import parts
from formation_portal.ui.forms.form import QuestionForm
from formation_portal.ui.forms.form_data import RESTORE, ROLES, keeps_theirs, posted_page_version, posted_version
from formation_portal.ui.ownership import unaccounted_for
from formation_portal.ui.roles import active_roles, role_title, role_with_article, role_words

from ..catalog.search import MAX_LENGTH
from ..feedback import delivery_summary
from ..lookups import get_draft_or_404, get_party_or_404
from ..pages import return_url
from ..refusals import refusals_as_messages
from ..sections.changes import FieldConflict, kept_theirs_words
from ..sections.pages import QuestionPage
from ..sections.views import QuestionPageView, render_conflict
from .owners import OwnersPage, new_owner, owners_page, stake_control
from .pages import PartyPage, duplicate_context, new_party_context, party_form, party_page
from .people import PeoplePage
from .removed import restores_removed_party


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def people(request: UserRequest, reference: str) -> HttpResponse:
    """Show the roles and all people and companies; for htmx, only those whose name matches the posted search.

    The search is posted, since no URL may contain a person's name.
    """
    draft = get_draft_or_404(request, reference)
    page = PeoplePage(
        draft=draft,
        delivery=delivery_summary(draft),
        user=request.user,
        invitations=parts.invitations_of(draft),
        search=request.POST.get("name", "").strip()[:MAX_LENGTH],
        number=request.GET.get("page", ""),
    )
    return render(request, f"portal/parties/{'_found' if request.htmx else 'people'}.html", {"page": page})


@require_http_methods(["GET", "HEAD", "POST"])
@customer
@restores_removed_party
def party_roles(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """Give a party one more role. A GET, as after signing in again, only redirects to the list."""
    draft = get_draft_or_404(request, reference)
    party = get_party_or_404(draft, token)
    if request.method == "POST":
        _give_role(request, draft, party)
    return redirect("portal:people", reference=reference)


def _give_role(request: UserRequest, draft: Draft, party: PartyRow) -> None:
    if section := _posted_role(request, draft, party.kind, party.label):
        with refusals_as_messages(request):
            services.set_roles(draft, party, (*party.roles, section.role or ""), by=request.user)
            _report_role(request, draft, section, party.label)


def _posted_role(request: UserRequest, draft: Draft, kind: str, name: str) -> Section | None:
    """Return the section of the posted role if the role accepts the kind; else None, with an error message."""
    role = request.POST.get("role", "")
    for section in active_roles(draft):
        if role and section.role == role and section.allows(kind):
            return section
    messages.error(request, gettext("Choose a role that {name} can have.").format(name=name))
    return None


def _report_role(request: UserRequest, draft: Draft, section: Section, name: str, *, answers: int = 0) -> None:
    """Add a message that the party has the role, with the number of copied answers, and whether the role is filled."""
    role = role_with_article(section)
    if answers:
        sentence = ngettext(
            "{name} is now {role}. We filled in {count} answer.",
            "{name} is now {role}. We filled in {count} answers.",
            answers,
            name=name,
            role=role,
        )
    else:
        sentence = gettext("{name} is now {role}.").format(name=name, role=role)
    if len(draft.form_state.parties_in(section)) >= draft.form_state.minimum_of(section).count:
        sentence += " " + gettext("You have enough people for “{role}”.").format(role=role_title(section))
    messages.success(request, sentence)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def party_restoration(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """Restore a removed party. A GET, as after signing in again, only redirects to the list."""
    draft = get_draft_or_404(request, reference)
    if request.method == "POST":
        if draft.party(token) is None and draft.removed_party(token) is None:
            raise Http404
        with refusals_as_messages(request):
            party = services.restore_party(draft, token, by=request.user)
            messages.success(request, gettext("{name} was restored.").format(name=party.label))
    return redirect("portal:people", reference=reference)


_ADDED = {
    "person": gettext_noop("Person added. Now answer the questions."),
    "corporate": gettext_noop("Company added. Now answer the questions."),
    "foundation": gettext_noop("Foundation added. Now answer the questions."),
}


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def party_new(request: UserRequest, reference: str) -> HttpResponseBase:
    """Ask for the kind, then for the roles. A post adds the party, whose own page asks the other questions."""
    draft = get_draft_or_404(request, reference)
    if not draft.application.can_be_changed:
        return redirect("portal:people", reference=reference)
    query = request.POST if request.method == "POST" else request.GET
    context = new_party_context(draft, query, request.user)
    status = 422
    if request.method != "POST" or chosen_in(request):
        # Problems show only after a post.
        context["problems"] = []
        status = 200
    elif not context["problems"]:
        new = (context["kind"], context["chosen"], context["raw"])
        try:
            party = services.add_party(draft, *new, by=request.user, token=context["token"])
        except services.TooManyParties:
            # The page names the limit.
            pass
        except services.Closed as closed:
            messages.error(request, f"{closed}.")
            status = 409
        else:
            messages.success(request, gettext(_ADDED[party.kind]))
            response = redirect("portal:party", reference=reference, token=party.token)
            return ask_about_duplicate(request, draft, party.token, response)
    return render(request, "portal/parties/party_new.html", context, status=status)


@method_decorator([require_http_methods(["GET", "HEAD", "POST"]), customer, restores_removed_party], name="dispatch")
class PartyView(QuestionPageView):
    @cached_property
    def posted_roles(self) -> tuple[str, ...] | None:
        """Return the chosen roles; None if the page did not ask, or if the reader chose to keep the stored roles."""
        post = self.request.POST
        if ROLES not in post or keeps_theirs(post, ROLES):
            return None
        return tuple(filter(None, post.getlist(ROLES)))

    @property
    def party(self) -> PartyRow:
        return get_party_or_404(self.draft, self.kwargs["token"])

    def get_page(self) -> PartyPage:
        earlier = EarlierFiles(self.draft, self.request.user)
        return party_page(self.draft, self.party, own_email=self.request.user.email, earlier=earlier)

    def get_posted_form(self, page: QuestionPage) -> QuestionForm:
        return party_form(self.draft, self.party, more_roles=self.posted_roles or ())

    def save(self, page: QuestionPage, answers: dict[str, Any]) -> SaveResult:
        post = self.request.POST
        return services.save_party(
            self.draft,
            self.party,
            answers,
            roles=self.posted_roles,
            version=posted_version(post),
            by=self.author,
            page_version=posted_page_version(post, self.draft),
        )

    def get_conflicts(self, form: QuestionForm, result: SaveResult) -> tuple[FieldConflict, ...]:
        conflicts = super().get_conflicts(form, result)
        roles = result.conflicts.get(services.ROLES) or result.skipped.get(services.ROLES)
        if result.conflicts and roles:
            is_left = services.ROLES in result.skipped
            versions = (role_words(roles.posted), role_words(roles.stored))
            conflicts = (FieldConflict(ROLES, gettext("Roles"), *versions, roles.change, is_left), *conflicts)
        return conflicts

    def get_success_url(self, page: QuestionPage) -> str:
        return page.people_url

    def post(self, request: UserRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = super().post(request, *args, **kwargs)
        return ask_about_duplicate(request, self.draft, self.kwargs["token"], response)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
@restores_removed_party
def party_known(request: UserRequest, reference: str) -> HttpResponse:
    """Give the chosen party a role, or add the chosen contact as a party. A GET only redirects."""
    draft = get_draft_or_404(request, reference)
    if request.method == "POST":
        source, _, token = request.POST.get("use", "").rpartition("/")
        if source:
            _add_contact(request, draft, source, token)
        else:
            _give_role(request, draft, get_party_or_404(draft, token))
    return redirect("portal:people", reference=reference)


def _add_contact(request: UserRequest, draft: Draft, source: str, token: str) -> None:
    """Add a contact as a party with the posted role. A contact that is a party already only gets the role."""
    contact = next((contact for contact in contacts(request.user, draft) if source in contact.sources), None)
    if contact is None or not is_token(token):
        raise Http404
    if party := draft.party(token) or matching_party(draft, contact):
        _give_role(request, draft, party)
    elif section := _posted_role(request, draft, contact.kind, contact.label):
        role = section.role or ""
        answers = copyable_answers(draft, contact, [role])
        with refusals_as_messages(request):
            services.add_party(draft, contact.kind, [role], answers, by=request.user, token=token)
            _report_role(request, draft, section, contact.label, answers=len(answers))


@require_http_methods(["GET", "HEAD", "POST"])
@customer
@restores_removed_party
def party_duplicate(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """Ask whether the party is a duplicate. `?next` names the page to return to."""
    draft = get_draft_or_404(request, reference)
    party = get_party_or_404(draft, token)
    other = duplicate_of(draft, party)
    back = return_url(request, reference)
    response = redirect(back.url) if back else redirect("portal:people", reference=reference)
    if other is None or not draft.application.can_be_changed:
        return response
    if request.method != "POST" or request.POST.get("other") != other.token:
        return render(request, "portal/parties/duplicate.html", duplicate_context(draft, party, other))
    with refusals_as_messages(request):
        if request.POST.get("choice") == "one":
            services.merge_parties(draft, party, other, by=request.user)
            merged = get_party_or_404(draft, other.token)
            values = {"name": merged.label, "roles": after_colon(role_words(merged.roles))}
            messages.success(request, gettext("{name} now has one entry: {roles}.").format(**values))
        else:
            services.keep_both(draft, party, other, by=request.user)
            messages.success(request, gettext("We kept both entries for {name}.").format(name=party.label))
    return response


def ask_about_duplicate(request: UserRequest, draft: Draft, token: str, response: HttpResponseBase) -> HttpResponseBase:
    """Return the response to a save; if it redirects and the party may be a duplicate, a redirect to ask about that."""
    stays = {"later", "update", "slot", "removal", "again", RESTORE}
    leads_on = isinstance(response, HttpResponseRedirect) and stays.isdisjoint(request.POST)
    party = draft.party(token)
    if not leads_on or party is None or duplicate_of(draft, party) is None:
        return response
    question = redirect("portal:party_duplicate", reference=draft.application.reference, token=token)
    if back := return_url(request, draft.application.reference):
        question["Location"] += f"?{back.query}"
    return question


@require_http_methods(["GET", "HEAD", "POST"])
@customer
@restores_removed_party
def owners(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """Show a company's owners. A post saves the share of each, which the service never gets, and adds an owner."""
    draft = get_draft_or_404(request, reference)
    company = get_party_or_404(draft, token)
    if not draft.holds_shares or not company.is_owned:
        raise Http404
    if request.method == "POST":
        return _save_owners(request, owners_page(draft, company, new_owner(request.POST)))
    return _render_owners(request, owners_page(draft, company))


def _render_owners(
    request: UserRequest, page: OwnersPage, *, status: int = 200, is_refused: bool = False
) -> HttpResponse:
    remainder = unaccounted_for(page.company_row, page.owners)
    context = {"page": page, "problems": page.problems, "is_refused": is_refused, "remainder": remainder}
    return render(request, "portal/parties/owners.html", context, status=status)


def _save_owners(request: UserRequest, page: OwnersPage) -> HttpResponse:
    draft = page.draft
    company = page.company_row
    new = page.new
    is_added = not new.is_empty and not page.new_errors
    stakes = _posted_stakes(request, page)
    if is_added and new.party_token:
        stakes[new.party_token] = new.part
    page_version = posted_page_version(request.POST, draft)
    result = SaveResult()
    try:
        with transaction.atomic():
            result = services.save_owners(
                draft, company, stakes, by=request.user, version=page.version, page_version=page_version
            )
            if is_added and new.kind:
                services.add_owner(draft, company, new.kind, new.names, new.part, by=request.user, token=new.token)
    except services.Gone as gone:
        raise Http404 from gone
    except services.SharesExceedWhole:
        draft.reload()
        # A conflict is shown first; its form sends all of this again.
        if not result.conflicts:
            stakes.pop(new.party_token, None)
            refused = owners_page(draft, company, new, posted=stakes)
            return _render_owners(request, refused, status=422, is_refused=True)
    except services.Closed:
        return _render_owners(request, page, status=409)
    if result.conflicts:
        return render_conflict(request, owners_page(draft, company), _owner_conflicts(draft, result))
    skipped = [owner.party.label for owner in page.owners if owner.party.token in result.skipped]
    if sentence := kept_theirs_words(skipped):
        messages.info(request, sentence)
    saved = owners_page(draft, company, None if is_added else new)
    if saved.problems:
        return _render_owners(request, saved, status=422)
    stays = "update" in request.POST or chosen_in(request)
    return redirect(page.url if stays else page.shares_url)


def _posted_stakes(request: UserRequest, page: OwnersPage) -> dict[str, str]:
    """Read the posted stakes by owner's token; leave out those whose stored version the reader chose in a conflict."""
    stakes: dict[str, str] = {}
    for party in page.draft.parties:
        control = stake_control(party.token)
        is_posted = control in request.POST and not keeps_theirs(request.POST, control)
        if is_posted and party.token != page.company_row.token:
            stakes[party.token] = without_null(request.POST[control])
    return stakes


def _owner_conflicts(draft: Draft, result: SaveResult) -> list[FieldConflict]:
    others = {**result.conflicts, **result.skipped}
    conflicts: list[FieldConflict] = []
    for party in draft.parties:
        if other := others.get(party.token):
            is_left = party.token in result.skipped
            control = stake_control(party.token)
            conflicts.append(FieldConflict(control, party.label, other.posted, other.stored, other.change, is_left))
    return conflicts
