"""Removing a party, a class of shares, a holding or a document: each asks once more, and says what hangs on it."""

from collections.abc import Callable

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Document
from formation_portal.contract.language import say

from ..finding import document_of, draft_of, party_of, share_class_of
from ..removals import (
    RemovalPage,
    document_removal_page,
    holding_removal_page,
    party_removal_page,
    share_class_removal_page,
)
from .uploading import CAME_FROM_PAGE


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def party_removal(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """A party, with its holdings and documents."""
    draft = draft_of(request, reference)
    found = party_of(draft, token)
    page = party_removal_page(draft, found)
    return _ask_or_remove(request, page, lambda: services.remove_party(draft, found, by=request.user))


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def share_class_removal(request: UserRequest, reference: str, token: str) -> HttpResponse:
    """A class of shares, with its holdings."""
    draft = draft_of(request, reference)
    found = share_class_of(draft, token)
    page = share_class_removal_page(draft, found)
    return _ask_or_remove(request, page, lambda: services.remove_share_class(draft, found, by=request.user))


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def holding_removal(request: UserRequest, reference: str, party: str, share_class: str) -> HttpResponse:
    """The shares of one class that a party holds."""
    draft = draft_of(request, reference)
    holder, held = party_of(draft, party), share_class_of(draft, share_class)
    pair = (holder.token, held.token)
    if pair not in draft.holdings:
        raise Http404
    page = holding_removal_page(draft, holder, held, draft.holdings[pair])
    return _ask_or_remove(request, page, lambda: services.save_holdings(draft, {pair: ""}, by=request.user))


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def document_removal(request: UserRequest, reference: str, number: int) -> HttpResponse:
    """A file in its slot; `?next=page` leads back to the page that asks for it, else to the list of documents."""
    draft = draft_of(request, reference)
    found = document_of(draft, number)
    page = document_removal_page(draft, found, back=_back(request, draft, found))
    return _ask_or_remove(request, page, lambda: services.remove_document(draft, found, by=request.user))


def _ask_or_remove(request: UserRequest, page: RemovalPage, remove: Callable[[], object]) -> HttpResponse:
    if request.method != "POST":
        return render(request, "portal/thing_removal.html", {"page": page})
    try:
        remove()
    except (services.Closed, services.Gone) as closed:
        messages.error(request, f"{closed}.")
    else:
        messages.success(request, page.done)
    return redirect(page.back_url)


def _back(request: UserRequest, draft: Draft, document: Document) -> tuple[str, str]:
    """Where the question came from: address and name."""
    reference = draft.application.reference
    party = draft.party(document.party.token) if document.party else None
    if request.GET.get("next") != CAME_FROM_PAGE:
        return reverse("portal:documents", args=[reference]), say("Documents")
    if party is not None:
        return reverse("portal:party", args=[reference, party.token]), party.label
    asking = (slot.section for slot in draft.form_state.slots() if slot.name == document.slot)
    section = next(asking, None)
    if section is None:
        return reverse("portal:documents", args=[reference]), say("Documents")
    return reverse("portal:section", args=[reference, section.key]), section.title
