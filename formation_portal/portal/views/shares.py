"""Shares: the grid of who holds what, and the deeds whose buttons stand in it."""

from collections.abc import Callable
from functools import partial

from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.languages import chosen_in
from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.parties import PartyRow
from formation_portal.contract.language import say
from formation_portal.contract.notation import kept, shown
from formation_portal.contract.reading import as_typed, is_blank
from formation_portal.contract.schema import Section
from formation_portal.portal.posted import keeps_theirs, posted_version

from .. import roles
from ..allocation import Allocation
from ..arrivals import give_it_a_moment
from ..conflict import Clash, left_words
from ..counting import listed
from ..drawn import seen_of
from ..finding import draft_of, party_of, share_section
from ..share_lines import cell_name, is_cell
from ..share_owners import owner_section
from ..share_split import CannotSplit, equal_parts
from ..shares_view import SharesPage, shares_page
from ..steps import SHARES, url_after
from .answering import draw_conflict, following
from .restoring import restoring


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def shares(request: UserRequest, reference: str) -> HttpResponse:
    """GET draws classes, grid and picture. POST saves the numbers as typed, then splits a class if it names one."""
    draft = draft_of(request, reference)
    section = share_section(draft)
    if request.method == "POST":
        return _save(request, draft, section, deed=partial(_split, request, draft, section))
    return _draw(request, shares_page(draft, section))


@require_http_methods(["GET", "HEAD", "POST"])
@customer
@restoring
def owner(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """Make somebody a beneficial owner, once the numbers that came along are saved. A GET only leads to the shares."""
    draft = draft_of(request, reference)
    section, party = share_section(draft), party_of(draft, token)
    if request.method == "POST":
        return _save(request, draft, section, deed=partial(_give_role, request, draft, party))
    return redirect("portal:shares", reference=reference)


def _draw(request: UserRequest, page: SharesPage, *, status: int = 200) -> HttpResponse:
    return render(request, "portal/shares.html", {"page": page, "problems": page.problems}, status=status)


def _save(request: UserRequest, draft: Draft, section: Section, *, deed: Callable[[], bool]) -> HttpResponse:
    """Keep the numbers, then do the deed whose button was pressed; where there was one, the page comes back.

    A change that script posts presses no button.
    """
    before = shares_page(draft, section)
    typed = _typed(before, request.POST)
    try:
        version, seen = posted_version(request.POST), seen_of(request.POST, draft)
        left = _left(before, services.save_holdings(draft, typed, version=version, by=request.user, page_version=seen))
        is_done = not request.htmx and deed()
    except services.Stale as stale:
        page = shares_page(draft, section)
        return draw_conflict(request, page, _clashes(page, stale))
    except services.Gone as gone:
        raise Http404 from gone
    except services.Closed:
        return _draw(request, shares_page(draft, section), status=409)
    page = shares_page(draft, section)
    if request.htmx:
        return render(request, "portal/_shares_change.html", {"page": page, "left_words": left})
    for words in filter(None, (left, _unplaced(before, request.POST))):
        messages.info(request, words)
    give_it_a_moment(draft.application)
    page = shares_page(draft, section)
    if is_done:
        return redirect(page.url)
    if page.objects_more_than(before) and not chosen_in(request):
        return _draw(request, page, status=422)
    return redirect(following(request, page, onwards=url_after(draft, SHARES)))


def _split(request: UserRequest, draft: Draft, section: Section) -> bool:
    """Split the class whose button was pressed, after what was typed is saved; whether one was pressed."""
    row = draft.share_class(request.POST.get("split", ""))
    if row is None:
        return False
    try:
        parts = equal_parts(Allocation(draft), row)
    except CannotSplit as reason:
        messages.error(request, str(reason))
        return True
    services.save_holdings(draft, parts.typed, version=draft.version(section.key), by=request.user)
    messages.success(request, parts.said)
    return True


def _give_role(request: UserRequest, draft: Draft, party: PartyRow) -> bool:
    role = owner_section(draft)
    if role is None or role.role is None or not role.allows(party.kind):
        messages.error(request, say("{name} can’t have that role.", name=party.label))
        return True
    services.set_roles(draft, party, (*party.roles, role.role), by=request.user)
    messages.success(request, say("{name} is now {role}.", name=party.label, role=roles.in_role(role)))
    return True


def _typed(page: SharesPage, post: QueryDict) -> dict[tuple[str, str], str]:
    """The cells that were posted, by the tokens of party and class."""
    pairs = [(party.token, row.token) for party in page.allocation.holders for row in page.draft.share_classes]
    named = {pair: cell_name(*pair) for pair in pairs}
    return {
        pair: kept(as_typed(post[name]))
        for pair, name in named.items()
        if name in post and not keeps_theirs(post, name)
    }


def _clashes(page: SharesPage, stale: services.Stale) -> tuple[Clash, ...]:
    return tuple(
        Clash(
            cell.name,
            cell.label,
            shown(stale.posted[cell.pair]),
            shown(stale.stored.get(cell.pair, "")),
            change=stale.changes.get(cell.pair),
            is_left=cell.pair in stale.kept_theirs,
        )
        for cell in page.cells
        if cell.pair in (*stale.fields, *stale.kept_theirs)
    )


def _unplaced(page: SharesPage, post: QueryDict) -> str:
    """The numbers of holders and classes that were removed while the page was open, so that they aren't missed."""
    known = {cell.name for cell in page.cells}
    lost = [str(post[name]) for name in post if is_cell(name) and name not in known and not is_blank(post[name])]
    words = ngettext(
        "%(numbers)s was not saved because the shareholder or share class was removed.",
        "%(numbers)s were not saved because the shareholders or share classes were removed.",
        len(lost),
    )
    return words % {"numbers": listed(lost)} if lost else ""


def _left(page: SharesPage, left: services.KeptTheirs) -> str:
    return left_words(cell.label for cell in page.cells if cell.pair in left)
