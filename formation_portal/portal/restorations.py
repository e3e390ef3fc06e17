"""Taking back a choice that has made much inactive. What else was typed on the page goes along and is kept."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.applications.access import Author
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Change
from formation_portal.ui.forms.form_data import posted_answers, posted_page_version, posted_version

from .lookups import (
    get_change_or_404,
    get_draft_or_404,
    get_share_class_or_404,
    get_share_section_or_404,
)
from .parties.pages import party_page
from .parties.removed import restores_removed_party
from .sections.changes import field_conflicts, sentence_about
from .sections.pages import QuestionPage, section_page
from .sections.views import save_page
from .shares.pages import share_class_page


@require_http_methods(["GET", "HEAD", "POST"])
@customer
@restores_removed_party
def choice_restoration(request: UserRequest, reference: str, number: int) -> HttpResponse:
    """Answer the choices of one change as before it. A GET, as after signing in again, only leads to their page."""
    draft = get_draft_or_404(request, reference)
    change = get_change_or_404(draft, number)
    page = partial(_page, request, draft, change.holder)
    before = page()
    if request.method != "POST":
        return redirect(before.url)
    return save_page(
        request,
        before,
        page=page,
        keep=lambda: restore_choice(
            request, before, change, save=partial(_save, request, draft, change.holder), by=request.user
        ),
        clashes=partial(field_conflicts, before.form),
        onwards=lambda: page().url,
    )


def _page(request: UserRequest, draft: Draft, holder: str) -> QuestionPage:
    """The page on which the choice was made."""
    if section := draft.schema.section(holder):
        return section_page(draft, section)
    if party := draft.party(holder):
        return party_page(draft, party, own_email=request.user.email)
    return share_class_page(draft, get_share_section_or_404(draft), token=get_share_class_or_404(draft, holder).token)


def restore_choice(
    request: HttpRequest,
    page: QuestionPage,
    change: Change,
    *,
    save: Callable[[Mapping[str, Any]], services.KeptTheirs],
    by: Author,
) -> services.KeptTheirs:
    """Keep what was typed beside the choices by `save`, then answer them as before the change, and say so."""
    kept_theirs: services.KeptTheirs = ()
    labels = services.restorable_choices(page.draft, change)
    if "version" in request.POST:
        posted = posted_answers(page.form, request.POST)
        rest = {name: answer for name, answer in posted.items() if name not in labels}
        kept_theirs = save(rest)
    try:
        services.restore_choices(page.draft, change, by=by)
    except services.Overtaken as refusal:
        one = gettext("{names} has been answered again since, so it was not changed back.")
        many = gettext("{names} have been answered again since, so they were not changed back.")
        messages.error(request, sentence_about(refusal.labels, one, many))
    else:
        one, many = gettext("{names} has been changed back."), gettext("{names} have been changed back.")
        messages.success(request, sentence_about(labels.values(), one, many))
    return kept_theirs


def _save(request: UserRequest, draft: Draft, holder: str, raw: Mapping[str, Any]) -> services.KeptTheirs:
    """Keep the other answers of the page, as its own address would."""
    more: dict[str, Any] = {"version": posted_version(request.POST), "by": request.user}
    more["page_version"] = posted_page_version(request.POST, draft)
    if section := draft.schema.section(holder):
        return services.save_section(draft, section, raw, **more)
    if party := draft.party(holder):
        return services.save_party(draft, party, raw, **more)
    return services.save_share_class(draft, get_share_class_or_404(draft, holder), raw, **more)
