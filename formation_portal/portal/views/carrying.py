"""Carrying answers over: choose the product, see what fits, then start there with it."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.contract.catalog import CatalogItem
from formation_portal.contract.language import say
from formation_portal.gateway.catalog import Catalog

from ..carry_over_page import CarryOverPage, carry_over_page, choice_page, is_another
from ..finding import draft_of
from ..party_new import CHOOSING
from .copies import just_made
from .outage import with_catalog


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def carry_over(request: UserRequest, reference: str) -> HttpResponse:
    """`?product` compares; without it the product is chosen. A post starts there with what fits."""
    return _carry_over(request, draft_of(request, reference))


@with_catalog
def _carry_over(request: UserRequest, offered: Catalog, draft: Draft) -> HttpResponse:
    key = request.GET.get("product", "")
    if not key or CHOOSING in request.GET:
        context = {"page": choice_page(draft, offered), "chosen": key}
        return render(request, "portal/carry_over_choice.html", context)
    found = offered.find(key)
    if found is None or found.item is None or not is_another(draft, found):
        raise Http404
    page = carry_over_page(draft, found, found.item)
    if request.method == "POST":
        return _start(request, page, found.item)
    return _draw(request, page)


def _draw(request: UserRequest, page: CarryOverPage, *, status: int = 200, is_new: bool = False) -> HttpResponse:
    context = {"page": page, "is_new": is_new}
    return render(request, "portal/carry_over.html", context, status=status)


def _start(request: UserRequest, page: CarryOverPage, item: CatalogItem) -> HttpResponse:
    """Do what was seen; where that has changed since, show it anew and do nothing."""
    if request.POST.get("seen") != page.seen:
        return _draw(request, page, status=409, is_new=True)
    made = just_made(request, services.created_from_entry(page.draft), product_id=item.jurisdiction_product_id)
    if made is None:
        try:
            made = services.create_from(page.draft, product=item, content=page.carrying.content, by=request.user)
        except services.NotCopied as refused:
            messages.error(request, f"{refused}.")
            return redirect(request.get_full_path())
    messages.success(
        request, say("This is a new draft with the answers we could reuse from {name}.", name=page.draft.title)
    )
    return redirect("portal:overview", reference=made.reference)
