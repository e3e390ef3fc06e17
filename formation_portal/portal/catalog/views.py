"""The catalog, products side by side, the guide, and one product. Open to everybody; the address holds the choices."""

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
from formation_portal.gateway.errors import GatewayError, NotAuthorised, NotConfigured
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
    """Hand the view the catalog, or answer 503 where there is none, not even an old one."""

    @wraps(view)
    def wrapped(request: Request, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponse:
        try:
            offered = current_catalog()
        except GatewayError as error:
            # Once, at the call, the gateway has said why; here it would be said for every visitor.
            log.info("No catalog to show: %s", error)
            response = render(request, "portal/catalog/unavailable.html", {"is_ours": _is_ours(error)}, status=503)
            response.headers["Retry-After"] = "60"
            return response
        return view(request, offered, *args, **kwargs)

    return wrapped


def _is_ours(error: BaseException | None) -> bool:
    """Whether it is for our team to mend, a wrong address or key, so that trying again soon can't help."""
    return error is not None and (isinstance(error, NotAuthorised | NotConfigured) or _is_ours(error.__cause__))


@require_safe
@public
@with_catalog
def catalog(request: AnyRequest, offered: Catalog) -> HttpResponse:
    """The whole page, or for htmx the results with the count. A page restored from history is always whole."""
    chosen, keys = CatalogFilter.from_query(request.GET), compared_keys(request.GET)
    before = CatalogFilter.from_query(QueryDict(urlsplit(request.htmx.current_url or "").query))
    page = {"page": CatalogPage(offered, chosen, keys, before), "reads_reasons": _reads_reasons(request)}
    if not request.htmx or request.htmx.history_restore_request:
        return render(request, "portal/catalog/catalog.html", page)
    response = render(request, "portal/catalog/_catalog_update.html", page)
    # Without the filters that aren't set, so that the address can be passed on. Typing makes no steps to go back.
    url = filtered_url("portal:catalog", chosen, keys)
    is_step = before.search == chosen.search and url != request.htmx.current_url_abs_path
    return push_url(response, url) if is_step else replace_url(response, url)


@require_safe
@public
@with_catalog
def compare(request: AnyRequest, offered: Catalog) -> HttpResponse:
    """The table. The list's form also sends the filters that aren't set: without them the address can be passed on."""
    chosen, keys = CatalogFilter.from_query(request.GET), compared_keys(request.GET)
    if any(not value for values in request.GET.lists() for value in values[1]):
        return redirect(filtered_url("portal:compare", chosen, keys))
    return render(request, "portal/catalog/compare.html", {"page": ComparePage(offered, chosen, keys)})


@require_safe
@public
@with_catalog
def guide(request: AnyRequest, offered: Catalog) -> HttpResponse:
    """The questions with the shortlist, or for htmx the shortlist alone. The address holds only what was chosen."""
    page = GuidePage(offered, request.GET)
    if not request.htmx or request.htmx.history_restore_request:
        if any(not value for value in request.GET.values()):
            return redirect(page.url)
        return render(request, "portal/catalog/guide.html", {"page": page})
    # An answer is no step to go back.
    return replace_url(render(request, "portal/catalog/_guide_update.html", {"page": page}), page.url)


@require_safe
@public
@with_catalog
def product(request: AnyRequest, offered: Catalog, key: str) -> HttpResponse:
    """The product's page. `?chosen` says that its reader has come back from signing in to start."""
    found = offered.find(key)
    if found is None:
        raise Http404
    context = {
        "catalog": offered,
        "product": found,
        "requirements": Requirements(found.item) if found.item and found.is_available else None,
        "others": alternatives(offered, found),
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
    """What to have ready, to print. Where the product isn't available its page says why."""
    found = offered.find(key)
    if found is None:
        raise Http404
    if found.item is None or not found.is_available:
        return redirect("portal:product", key=key)
    context = {"catalog": offered, "product": found, "requirements": Requirements(found.item)}
    return render(request, "portal/catalog/checklist.html", context)


def _reads_reasons(request: HttpRequest) -> bool:
    """Whether technical reasons are for this reader: an agent, or whoever tries the demo. A customer can't use them."""
    return settings.DEMO or bool(getattr(request.user, "is_agent", False))
