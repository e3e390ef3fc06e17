"""The catalog: everything that can be formed, with filters. Open to everybody."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers
from django_htmx.http import push_url

from formation_portal.accounts.policies import AnyRequest, public
from formation_portal.gateway.catalog import Catalog

from ..catalog_filter import CatalogFilter
from ..catalog_list import catalog_page
from ..readers import reads_reasons
from ..ticks import address, ticked_keys
from .outage import with_catalog


@require_safe
@public
@vary_on_headers("HX-Request")
@with_catalog
def catalog(request: AnyRequest, offered: Catalog) -> HttpResponse:
    """The whole page, or for htmx the results with the count. A page restored from history is always whole."""
    chosen, keys = CatalogFilter.read(request.GET), ticked_keys(request.GET)
    page = {"page": catalog_page(offered, chosen, keys), "reads_reasons": reads_reasons(request)}
    if not request.htmx or request.htmx.history_restore_request:
        return render(request, "portal/catalog.html", page)
    response = render(request, "portal/_catalog_answer.html", page)
    # Without the filters that aren't set, so that the address can be passed on.
    return push_url(response, address("portal:catalog", chosen, keys))
