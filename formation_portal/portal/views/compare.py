"""Products side by side. Open to everybody; the address holds the choice."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from formation_portal.accounts.policies import AnyRequest, public
from formation_portal.gateway.catalog import Catalog

from ..catalog_filter import CatalogFilter
from ..compare_page import compare_page
from ..ticks import address, ticked_keys
from .outage import with_catalog


@require_safe
@public
@with_catalog
def compare(request: AnyRequest, offered: Catalog) -> HttpResponse:
    """The table. The list's form also sends the filters that aren't set: without them the address can be passed on."""
    chosen, keys = CatalogFilter.read(request.GET), ticked_keys(request.GET)
    if any(not value for values in request.GET.lists() for value in values[1]):
        return redirect(address("portal:compare", chosen, keys))
    return render(request, "portal/compare.html", {"page": compare_page(offered, keys, chosen)})
