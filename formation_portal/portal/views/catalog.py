"""The catalog: everything that can be formed, with filters. Open to everybody."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from formation_portal.accounts.policies import AnyRequest, public
from formation_portal.gateway.catalog import Catalog

from ..catalog_filter import CatalogFilter
from ..catalog_list import catalog_page
from .outage import with_catalog


@require_safe
@public
@vary_on_headers("HX-Request")
@with_catalog
def catalog(request: AnyRequest, offered: Catalog) -> HttpResponse:
    """The whole page, or for htmx the results with the count. A page restored from history is always whole."""
    page = catalog_page(offered, CatalogFilter.read(request.GET))
    is_part = bool(request.htmx) and not request.htmx.history_restore_request
    return render(request, "portal/_catalog_answer.html" if is_part else "portal/catalog.html", {"page": page})
