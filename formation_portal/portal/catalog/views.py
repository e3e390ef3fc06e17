"""Show the catalog, a comparison, the guide and products to everybody. The reader's choices are in the URL."""

import logging
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar
from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render, resolve_url
from django.utils.http import urlencode
from django.views.decorators.http import require_safe
from django_htmx.http import push_url, replace_url

from formation_portal.accounts.policies import AnyRequest, public
from formation_portal.gateway.catalog import Catalog
from formation_portal.gateway.catalog import catalog as current_catalog
from formation_portal.gateway.errors import CatalogUnavailable, NotAuthorised, NotConfigured
from formation_portal.relay.service_profile import current_profile

from ..feedback import before_submission
from .filters import CatalogFilter, compared_keys, filtered_url
from .guide import GuidePage
from .pages import CatalogPage, ComparePage, alternatives
from .requirements import Requirements

Rest = ParamSpec("Rest")
Request = TypeVar("Request", bound=HttpRequest)

log = logging.getLogger(__name__)


def with_catalog(
    view: Callable[Concatenate[Request, Catalog, Rest], HttpResponse],
) -> Callable[Concatenate[Request, Rest], HttpResponse]:
    """Pass the catalog to the view, if need be an old copy; if there is none, answer 503."""

    @wraps(view)
    def wrapped(request: Request, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponse:
        try:
            offered = current_catalog()
        except CatalogUnavailable as error:
            # The gateway has logged the reason once; here, each visit would log it.
            log.info("No catalog to show: %s", error)
            # Our team has to fix a wrong URL or key: trying again does not help.
            is_ours = isinstance(error.__cause__, NotAuthorised | NotConfigured)
            response = render(request, "portal/catalog/unavailable.html", {"is_ours": is_ours}, status=503)
            response.headers["Retry-After"] = "60"
            return response
        return view(request, offered, *args, **kwargs)

    return wrapped


@require_safe
@public
@with_catalog
def catalog(request: AnyRequest, offered: Catalog) -> HttpResponse:
    """Show the catalog; for htmx, only the count and results, unless it restores a page from history."""
    chosen = CatalogFilter.from_query(request.GET)
    keys = compared_keys(request.GET)
    before = CatalogFilter.from_query(QueryDict(urlsplit(request.htmx.current_url or "").query))
    context = {"page": CatalogPage(offered, chosen, keys, before), "reads_reasons": _reads_reasons(request)}
    if not request.htmx or request.htmx.history_restore_request:
        return render(request, "portal/catalog/catalog.html", context)
    response = render(request, "portal/catalog/_catalog_update.html", context)
    # The URL has only the set filters, so that it can be shared. Typing adds no step to the browser's history.
    url = filtered_url("portal:catalog", chosen, keys)
    is_step = before.search == chosen.search and url != request.htmx.current_url_abs_path
    return push_url(response, url) if is_step else replace_url(response, url)


@require_safe
@public
@with_catalog
def compare(request: AnyRequest, offered: Catalog) -> HttpResponse:
    """Show the comparison. Empty filters of the form are removed from the URL, so that it can be shared."""
    chosen = CatalogFilter.from_query(request.GET)
    keys = compared_keys(request.GET)
    if any("" in values for _, values in request.GET.lists()):
        return redirect(filtered_url("portal:compare", chosen, keys))
    return render(request, "portal/catalog/compare.html", {"page": ComparePage(offered, chosen, keys)})


@require_safe
@public
@with_catalog
def guide(request: AnyRequest, offered: Catalog) -> HttpResponse:
    """Show the questions and the shortlist; for htmx, only the shortlist. The URL has only the chosen answers."""
    page = GuidePage(offered, request.GET)
    if not request.htmx or request.htmx.history_restore_request:
        if "" in request.GET.values():
            return redirect(page.url)
        return render(request, "portal/catalog/guide.html", {"page": page})
    # An answer adds no step to the browser's history.
    return replace_url(render(request, "portal/catalog/_guide_update.html", {"page": page}), page.url)


@require_safe
@public
@with_catalog
def product(request: AnyRequest, offered: Catalog, key: str) -> HttpResponse:
    """Show a product. `?chosen`: the reader has just signed in to start it."""
    row = offered.find(key)
    if row is None:
        raise Http404
    context = {
        "catalog": offered,
        "product": row,
        "requirements": Requirements(row.item) if row.item and row.is_available else None,
        "others": alternatives(offered, row),
        "before_submission": before_submission(current_profile()),
        "reads_reasons": _reads_reasons(request),
        "sign_in_url": f"{resolve_url(settings.LOGIN_URL)}?{urlencode({'next': f'{request.path}?chosen'})}",
        "has_come_back": "chosen" in request.GET and request.user.is_authenticated,
    }
    return render(request, "portal/catalog/product.html", context)


@require_safe
@public
@with_catalog
def checklist(request: AnyRequest, offered: Catalog, key: str) -> HttpResponse:
    """Show a checklist to print. If the product is not available, its page says why."""
    row = offered.find(key)
    if row is None:
        raise Http404
    if row.item is None or not row.is_available:
        return redirect("portal:product", key=key)
    context = {"catalog": offered, "product": row, "requirements": Requirements(row.item)}
    return render(request, "portal/catalog/checklist.html", context)


def _reads_reasons(request: HttpRequest) -> bool:
    return settings.DEMO or bool(getattr(request.user, "is_agent", False))
