"""Who owns a company that holds shares: kept here, and never sent."""

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.languages import chosen_in
from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.contract.fields.parsing import without_null
from formation_portal.ui.forms.form_data import keeps_theirs, posted_page_version

from ..lookups import get_draft_or_404, get_party_or_404
from ..sections.conflicts import FieldConflict, kept_theirs_words
from ..sections.question_views import render_conflict
from .owners import OwnersPage, asks_for_owners, new_owner, owners_page, stake_control
from .removed import restores_removed_party


@require_http_methods(["GET", "HEAD", "POST"])
@customer
@restores_removed_party
def owners(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """GET draws the owners of a company. POST keeps each part as typed, and adds one more owner if there is one."""
    draft = get_draft_or_404(request, reference)
    company = get_party_or_404(draft, token)
    if not asks_for_owners(draft, company):
        raise Http404
    if request.method == "POST":
        return _save(request, owners_page(draft, company, new_owner(request.POST)))
    return _draw(request, owners_page(draft, company))


def _draw(request: UserRequest, page: OwnersPage, *, status: int = 200) -> HttpResponse:
    return render(request, "portal/parties/owners.html", {"page": page, "problems": page.problems}, status=status)


def _save(request: UserRequest, page: OwnersPage) -> HttpResponse:
    is_added = not page.new.is_empty and not page.new_problems
    try:
        with transaction.atomic():
            left = _keep(request, page, is_added=is_added)
    except services.Stale as stale:
        page.draft.reload()
        return render_conflict(request, owners_page(page.draft, page.company_row), _owner_conflicts(page, stale))
    except services.Gone as gone:
        raise Http404 from gone
    except services.Closed:
        return _draw(request, page, status=409)
    if words := kept_theirs_words(row.label for row in page.rows if row.token in left):
        messages.info(request, words)
    now = owners_page(page.draft, page.company_row, None if is_added else page.new)
    if now.problems:
        return _draw(request, now, status=422)
    stays = "update" in request.POST or chosen_in(request)
    return redirect(page.url if stays else page.shares_url)


def _keep(request: UserRequest, page: OwnersPage, *, is_added: bool) -> services.KeptTheirs:
    new, post = page.new, request.POST
    # The parts that were posted, by the owner's token.
    named = {row.token: stake_control(row.token) for row in page.draft.parties if row.token != page.company_row.token}
    typed = {
        token: without_null(post[name])
        for token, name in named.items()
        if name in post and not keeps_theirs(post, name)
    }
    seen = posted_page_version(post, page.draft)
    if is_added and new.there:
        typed[new.there] = new.part
    company, by = page.company_row, request.user
    left = services.save_owners(page.draft, company, typed, by=by, version=page.version, page_version=seen)
    if is_added and new.kind:
        services.add_owner(
            page.draft, page.company_row, new.kind, new.names, new.part, by=request.user, token=new.token
        )
    return left


def _owner_conflicts(page: OwnersPage, stale: services.Stale) -> tuple[FieldConflict, ...]:
    return tuple(
        FieldConflict(
            stake_control(row.token),
            row.label,
            stale.posted[row.token],
            stale.stored.get(row.token, ""),
            change=stale.changes.get(row.token),
            is_left=row.token in stale.kept_theirs,
        )
        for row in page.draft.parties
        if row.token in (*stale.fields, *stale.kept_theirs)
    )
