"""Shares: the grid with the actions in it, and the pages of share classes."""

from collections.abc import Callable
from functools import partial

from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.languages import chosen_in
from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.fields import is_token, new_token
from formation_portal.applications.parties import PartyRow
from formation_portal.contract.fields.parsing import is_blank, localised_number, normalised_number, without_null
from formation_portal.contract.localisation import ngettext
from formation_portal.contract.schema import Section
from formation_portal.relay.wake import wait_for
from formation_portal.ui import roles
from formation_portal.ui.allocation import Allocation
from formation_portal.ui.formats import listed
from formation_portal.ui.forms.form_data import keeps_theirs, posted_answers, posted_page_version, posted_version

from ..lookups import get_draft_or_404, get_party_or_404, get_share_class_or_404, get_share_section_or_404
from ..pages import SHARES, next_step
from ..parties.removed import restores_removed_party
from ..sections.changes import FieldConflict, conflict_words, field_conflicts, kept_theirs_words
from ..sections.views import posted_proposal, render_conflict, render_page, save_page, url_after_save
from .beneficial_owners import beneficial_owner_section
from .grid import CannotSplit, cell_name, pair_of_cell, split_equally
from .pages import ShareClassPage, SharesPage, share_class_page, shares_page


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def shares(request: UserRequest, reference: str) -> HttpResponse:
    """GET draws classes, grid and picture. POST saves the numbers as typed, then splits a class if it names one."""
    draft = get_draft_or_404(request, reference)
    section = get_share_section_or_404(draft)
    if request.method == "POST":
        return _save(request, draft, section, action=partial(_split, request, draft, section))
    return _draw(request, shares_page(draft, section, asked=request.GET))


@require_http_methods(["GET", "HEAD", "POST"])
@customer
@restores_removed_party
def owner(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """Make somebody a beneficial owner, once the numbers that came along are saved. A GET only leads to the shares."""
    draft = get_draft_or_404(request, reference)
    section, party = get_share_section_or_404(draft), get_party_or_404(draft, token)
    if request.method == "POST":
        return _save(request, draft, section, action=partial(_add_beneficial_owner, request, draft, party))
    return redirect("portal:shares", reference=reference)


def _draw(request: UserRequest, page: SharesPage, *, status: int = 200) -> HttpResponse:
    return render(request, "portal/shares/shares.html", {"page": page, "problems": page.grid.problems}, status=status)


def _save(request: UserRequest, draft: Draft, section: Section, *, action: Callable[[], bool]) -> HttpResponse:
    """Keep the numbers, then do what the pressed button asks for; where there was one, the page comes back.

    A change that script posts presses no button.
    """
    before, post = shares_page(draft, section, asked=request.GET), request.POST
    holders = {party.token for party in before.grid.allocation.holders}
    pairs = [
        pair for name in post if (pair := pair_of_cell(name)) and pair[0] in holders and draft.share_class(pair[1])
    ]
    posted = [pair for pair in pairs if not keeps_theirs(post, cell_name(*pair))]
    typed = {pair: normalised_number(without_null(post[cell_name(*pair)])) for pair in posted}
    conflicts: tuple[FieldConflict, ...] = ()
    try:
        version, page_version = posted_version(post), posted_page_version(post, draft)
        kept = services.save_holdings(draft, typed, version=version, by=request.user, page_version=page_version)
        is_done = not request.htmx and action()
    except services.Stale as stale:
        page = shares_page(draft, section, asked=request.GET)
        conflicts, kept = _cell_conflicts(page, stale), stale.kept_theirs
        if not request.htmx:
            return render_conflict(request, page, conflicts)
    except services.Gone as gone:
        raise Http404 from gone
    except services.Closed:
        return _draw(request, shares_page(draft, section, asked=request.GET), status=409)
    page = shares_page(draft, section, asked=request.GET)
    left = kept_theirs_words(cell.label for cell in before.grid.cells if cell.pair in kept)
    if request.htmx:
        left = " ".join(filter(None, (conflict_words(conflicts), left)))
        context = {"page": page, "left_words": left, "has_conflict": bool(conflicts)}
        return render(request, "portal/shares/_update.html", context)
    for words in filter(None, (left, _unplaced(before, post))):
        messages.info(request, words)
    wait_for(draft.application)
    page = shares_page(draft, section, asked=request.GET)
    if is_done:
        return redirect(page.shown_url)
    if page.grid.has_new_problems(before.grid) and not chosen_in(request):
        return _draw(request, page, status=422)
    if {"page", "classes"} & post.keys():
        # The button of another part of the grid.
        return redirect(f"{page.url}{page.query_of(post)}#who")
    return redirect(url_after_save(request, page, onwards=next_step(draft, SHARES).url))


def _split(request: UserRequest, draft: Draft, section: Section) -> bool:
    """Split the class whose button was pressed, after what was typed is saved; whether one was pressed."""
    row = draft.share_class(request.POST.get("split", ""))
    if row is None:
        return False
    try:
        typed, words = split_equally(Allocation(draft), row)
    except CannotSplit as reason:
        messages.error(request, str(reason))
        return True
    services.save_holdings(draft, typed, version=draft.version(section.key), by=request.user)
    messages.success(request, words)
    return True


def _add_beneficial_owner(request: UserRequest, draft: Draft, party: PartyRow) -> bool:
    role = beneficial_owner_section(draft)
    if role is None or role.role is None or not role.allows(party.kind):
        messages.error(request, gettext("{name} can’t have that role.").format(name=party.label))
        return True
    services.set_roles(draft, party, (*party.roles, role.role), by=request.user)
    messages.success(
        request, gettext("{name} is now {role}.").format(name=party.label, role=roles.role_with_article(role))
    )
    return True


def _cell_conflicts(page: SharesPage, stale: services.Stale) -> tuple[FieldConflict, ...]:
    return tuple(
        FieldConflict(
            cell.id,
            cell.label,
            localised_number(stale.posted[cell.pair]),
            localised_number(stale.stored.get(cell.pair, "")),
            change=stale.changes.get(cell.pair),
            is_left=cell.pair in stale.kept_theirs,
        )
        for cell in page.grid.cells
        if cell.pair in (*stale.fields, *stale.kept_theirs)
    )


def _unplaced(page: SharesPage, post: QueryDict) -> str:
    """The numbers of holders and classes that were removed while the page was open, so that they aren't missed."""
    holders = {party.token for party in page.grid.allocation.holders}
    lost = [
        str(post[name])
        for name in post
        if (pair := pair_of_cell(name))
        and not (pair[0] in holders and page.draft.share_class(pair[1]))
        and not is_blank(post[name])
    ]
    if not lost:
        return ""
    return ngettext(
        "{numbers} was not saved because the shareholder or share class was removed.",
        "{numbers} were not saved because the shareholders or share classes were removed.",
        len(lost),
        numbers=listed(lost),
    )


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def share_class_new(request: UserRequest, reference: str) -> HttpResponse:
    """A new class; its token travels with the page, so that every post of it is about the same class."""
    draft = get_draft_or_404(request, reference)
    section = get_share_section_or_404(draft)
    posted = request.POST.get("token", "")
    token = posted if is_token(posted) else new_token()
    return _answer(request, partial(share_class_page, draft, section, token=token))


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def share_class(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """The page of one class."""
    draft = get_draft_or_404(request, reference)
    section, found = get_share_section_or_404(draft), get_share_class_or_404(draft, token)
    return _answer(request, partial(share_class_page, draft, section, token=found.token))


def _answer(request: UserRequest, page: Callable[[], ShareClassPage]) -> HttpResponse:
    before = page()
    if request.method != "POST":
        return render_page(request, before)
    return save_page(
        request,
        before,
        page=page,
        keep=lambda: _keep(request, before),
        clashes=partial(field_conflicts, before.form),
        onwards=lambda: before.shares_url,
        said=lambda: messages.success(request, gettext("{name} was saved.").format(name=page().title)),
    )


def _keep(request: UserRequest, page: ShareClassPage) -> services.KeptTheirs:
    raw = posted_answers(page.form, request.POST) | posted_proposal(request, page)
    page_version = posted_page_version(request.POST, page.draft)
    if page.share_class is None:
        services.add_share_class(page.draft, raw, by=request.user, token=page.token, page_version=page_version)
        return ()
    version = posted_version(request.POST)
    return services.save_share_class(
        page.draft, page.share_class, raw, version=version, by=request.user, page_version=page_version
    )
