"""Taking a choice back that has set much aside. What else was typed on the page goes along and is kept."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.history import Author
from formation_portal.applications.models import Change
from formation_portal.portal.posted import posted_version

from .. import consequences
from ..answers_page import AnswersPage
from ..conflict import clashes
from ..drawn import seen_of
from ..finding import change_of, draft_of, party_of, share_class_of, share_section
from ..party_page import party_page
from ..posted import read_answers
from ..section_page import section_page
from ..share_class_page import share_class_page
from . import answering
from .restoring import restoring


@require_http_methods(["GET", "HEAD", "POST"])
@customer
@restoring
def choice_restoration(request: UserRequest, reference: str, number: int) -> HttpResponse:
    """Answer the choices of one change as before it. A GET, as after signing in again, only leads to their page."""
    draft = draft_of(request, reference)
    change = change_of(draft, number)
    page = partial(_page, request, draft, change.holder)
    before = page()
    if request.method != "POST":
        return redirect(before.url)
    return answering.save(
        request,
        before,
        page=page,
        keep=lambda: take_back(request, before, change, save=_saver(request, draft, change.holder), by=request.user),
        clashes=partial(clashes, before.sheet),
        onwards=lambda: page().url,
    )


def _page(request: UserRequest, draft: Draft, holder: str) -> AnswersPage:
    """The page on which the choice was made."""
    if section := draft.schema.section(holder):
        return section_page(draft, section)
    if draft.party(holder):
        return party_page(draft, party_of(draft, holder), own_email=request.user.email)
    return share_class_page(draft, share_section(draft), token=share_class_of(draft, holder).token)


def take_back(
    request: HttpRequest,
    page: AnswersPage,
    change: Change,
    *,
    save: Callable[[Mapping[str, Any]], services.KeptTheirs],
    by: Author,
) -> services.KeptTheirs:
    """Keep what was typed beside the choices by `save`, then answer them as before the change, and say so."""
    left: services.KeptTheirs = ()
    labels = services.restorable_choices(page.draft, change)
    if "version" in request.POST:
        posted = read_answers(page.sheet, request.POST)
        rest = {name: answer for name, answer in posted.items() if name not in labels}
        left = save(rest)
    try:
        services.restore_choices(page.draft, change, by=by)
    except services.Overtaken as refusal:
        messages.error(request, consequences.overtaken(refusal.labels))
    else:
        messages.success(request, consequences.restored(labels.values()))
    return left


def _saver(request: UserRequest, draft: Draft, holder: str) -> Callable[[Mapping[str, Any]], services.KeptTheirs]:
    """What keeps the other answers of the page, as its own address would."""
    more: dict[str, Any] = {"version": posted_version(request.POST), "by": request.user}
    more["page_version"] = seen_of(request.POST, draft)
    if section := draft.schema.section(holder):
        return lambda raw: services.save_section(draft, section, raw, **more)
    if party := draft.party(holder):
        return lambda raw: services.save_party(draft, party, raw, **more)
    if share_class := draft.share_class(holder):
        return lambda raw: services.save_share_class(draft, share_class, raw, **more)
    raise Http404
