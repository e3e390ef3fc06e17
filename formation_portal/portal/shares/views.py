"""Show and save the grid of shareholdings, carry out its actions, and serve the pages of share classes."""

from functools import cached_property
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.decorators import method_decorator
from django.utils.translation import gettext
from django.views import View
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.languages import chosen_in
from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.services import SaveResult
from formation_portal.contract import canonical
from formation_portal.contract.fields.parsing import is_blank, localised_number, normalised_number, without_null
from formation_portal.contract.localisation import ngettext
from formation_portal.relay.wake import wait_for
from formation_portal.ui import roles
from formation_portal.ui.allocation import Allocation
from formation_portal.ui.formats import listed
from formation_portal.ui.forms.form_data import keeps_theirs, posted_page_version, posted_version

from ..lookups import (
    get_draft_or_404,
    get_party_or_404,
    get_share_class_or_404,
    get_share_section_or_404,
    posted_token,
)
from ..pages import SHARES, next_step
from ..parties.removed import restores_removed_party
from ..sections.changes import FieldConflict, conflict_words, kept_theirs_words
from ..sections.pages import QuestionPage
from ..sections.views import QuestionPageView, render_conflict, url_after_save
from .beneficial_owners import beneficial_owner_section
from .grid import CannotSplit, pair_of_cell, split_equally
from .pages import ShareClassPage, SharesPage, share_class_page, shares_page


@method_decorator([require_http_methods(["GET", "HEAD", "POST"]), customer], name="dispatch")
class SharesView(View):
    """Show classes, grid and chart. A POST saves the numbers as typed, then splits the class that it names, if any."""

    request: UserRequest

    @cached_property
    def draft(self) -> Draft:
        return get_draft_or_404(self.request, self.kwargs["reference"])

    def get_page(self) -> SharesPage:
        return shares_page(self.draft, get_share_section_or_404(self.draft), query=self.request.GET)

    def get(self, request: UserRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return self.render(self.get_page())

    def post(self, request: UserRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        before = self.get_page()
        numbers, lost = self.posted_numbers(before)
        try:
            result = services.save_holdings(
                self.draft,
                numbers,
                version=posted_version(request.POST),
                by=request.user,
                page_version=posted_page_version(request.POST, self.draft),
            )
            has_acted = not (request.htmx or result.conflicts) and self.act()
        except services.Gone as gone:
            raise Http404 from gone
        except services.Closed:
            return self.render(self.get_page(), status=409)
        page = self.get_page()
        conflicts = _cell_conflicts(page, result)
        skipped_words = kept_theirs_words(cell["label"] for cell in before.grid.cells if cell["pair"] in result.skipped)
        if request.htmx:
            unsaved_words = " ".join(filter(None, (conflict_words(conflicts), skipped_words)))
            context = {"page": page, "unsaved_words": unsaved_words, "has_conflict": bool(result.conflicts)}
            return render(request, "portal/shares/_update.html", context)
        if result.conflicts:
            return render_conflict(request, page, conflicts)
        if skipped_words:
            messages.info(request, skipped_words)
        if lost:
            sentence = ngettext(
                "{numbers} was not saved because the shareholder or share class was removed.",
                "{numbers} were not saved because the shareholders or share classes were removed.",
                len(lost),
                numbers=listed(lost),
            )
            messages.info(request, sentence)
        wait_for(self.draft.application)
        return self.go_on(before, has_acted=has_acted)

    def posted_numbers(self, page: SharesPage) -> tuple[dict[tuple[str, str], str], list[str]]:
        """Read the numbers by party and class, and separately those whose party or class has since been removed."""
        post = self.request.POST
        holders = {row.token for row in page.grid.allocation.holders}
        numbers: dict[tuple[str, str], str] = {}
        lost: list[str] = []
        for name in post:
            if pair := pair_of_cell(name):
                party, share_class = pair
                if party not in holders or self.draft.share_class(share_class) is None:
                    if not is_blank(post[name]):
                        lost.append(str(post[name]))
                elif not keeps_theirs(post, name):
                    numbers[pair] = normalised_number(without_null(post[name]))
        return numbers, lost

    def act(self) -> bool:
        """Divide the shares of the class whose button was pressed equally between its holders; call it after the save.

        Tell whether a button was pressed.
        """
        row = self.draft.share_class(self.request.POST.get("split", ""))
        if row is None:
            return False
        try:
            numbers, sentence = split_equally(Allocation(self.draft), row)
        except CannotSplit as reason:
            messages.error(self.request, str(reason))
            return True
        services.save_holdings(self.draft, numbers, by=self.request.user)
        messages.success(self.request, sentence)
        return True

    def go_on(self, before: SharesPage, *, has_acted: bool) -> HttpResponse:
        """Return the page again after an action or with new problems, else redirect to the next page."""
        request = self.request
        page = self.get_page()
        if has_acted:
            return redirect(f"{page.url}{page.query_of({})}")
        if page.grid.has_new_problems(before.grid) and not chosen_in(request):
            return self.render(page, status=422)
        if {"page", "classes"} & request.POST.keys():
            # The pressed button leads to another part of the grid.
            return redirect(f"{page.url}{page.query_of(request.POST)}#who")
        return redirect(url_after_save(request, page, onwards=next_step(self.draft, SHARES).url))

    def render(self, page: SharesPage, *, status: int = 200) -> HttpResponse:
        notes = page.feedback.at_page(page.section.key)
        context = {"page": page, "problems": page.grid.problems, "notes": notes}
        return render(self.request, "portal/shares/shares.html", context, status=status)


@method_decorator([require_http_methods(["GET", "HEAD", "POST"]), customer, restores_removed_party], name="dispatch")
class OwnerView(SharesView):
    """Save the posted numbers, then make a party a beneficial owner. A GET only redirects to the shares."""

    def get(self, request: UserRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        get_share_section_or_404(self.draft)
        get_party_or_404(self.draft, self.kwargs["token"])
        return redirect("portal:shares", reference=self.draft.application.reference)

    def post(self, request: UserRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        get_party_or_404(self.draft, self.kwargs["token"])
        return super().post(request, *args, **kwargs)

    def act(self) -> bool:
        party = get_party_or_404(self.draft, self.kwargs["token"])
        role = beneficial_owner_section(self.draft)
        if role is None or not role.allows(party.kind):
            messages.error(self.request, gettext("{name} can’t have that role.").format(name=party.label))
            return True
        services.set_roles(self.draft, party, (*party.roles, canonical.BENEFICIAL_OWNER), by=self.request.user)
        values = {"name": party.label, "role": roles.role_with_article(role)}
        messages.success(self.request, gettext("{name} is now {role}.").format(**values))
        return True


def _cell_conflicts(page: SharesPage, result: SaveResult) -> tuple[FieldConflict, ...]:
    others = {**result.conflicts, **result.skipped}
    conflicts: list[FieldConflict] = []
    for cell in page.grid.cells:
        if other := others.get(cell["pair"]):
            posted = localised_number(other.posted)
            stored = localised_number(other.stored)
            is_left = cell["pair"] in result.skipped
            conflicts.append(FieldConflict(cell["id"], cell["label"], posted, stored, other.change, is_left))
    return tuple(conflicts)


@method_decorator([require_http_methods(["GET", "HEAD", "POST"]), customer], name="dispatch")
class ShareClassView(QuestionPageView):
    @cached_property
    def token(self) -> str:
        return get_share_class_or_404(self.draft, self.kwargs["token"]).token

    def get_page(self) -> ShareClassPage:
        return share_class_page(self.draft, get_share_section_or_404(self.draft), token=self.token)

    def finish(self, page: QuestionPage) -> HttpResponse:
        messages.success(self.request, gettext("{name} was saved.").format(name=page.title))
        return super().finish(page)

    def get_success_url(self, page: QuestionPage) -> str:
        return page.shares_url


class ShareClassNewView(ShareClassView):
    """Add a share class. Its token is on the page, so that repeated posts add only one."""

    @cached_property
    def token(self) -> str:
        return posted_token(self.request.POST)

    def save(self, page: QuestionPage, answers: dict[str, Any]) -> SaveResult:
        if self.draft.share_class(self.token):
            return super().save(page, answers)
        page_version = posted_page_version(self.request.POST, self.draft)
        return services.add_share_class(
            self.draft, answers, by=self.request.user, token=self.token, page_version=page_version
        )
