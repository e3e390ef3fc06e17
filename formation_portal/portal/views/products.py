"""One product: what it costs and takes, the way to start, and its checklist to print. Open to everybody."""

from django.conf import settings
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from formation_portal.accounts.policies import AnyRequest, public
from formation_portal.gateway.catalog import Catalog

from ..checklist_page import checklist_page
from ..delivery import before_submission
from ..product_view import product_page
from ..readers import reads_reasons
from .outage import with_catalog


@require_safe
@public
@with_catalog
def product(request: AnyRequest, offered: Catalog, key: str) -> HttpResponse:
    """The product's page. `?chosen` says that its reader has come back from signing in to start."""
    found = offered.find(key)
    if found is None:
        raise Http404
    context = {
        "page": product_page(found, offered=offered.items),
        "before_submission": before_submission(),
        "reads_reasons": reads_reasons(request),
        "note": offered.note if offered.is_stale else "",
        "sign_in_url": f"{resolve_url(settings.LOGIN_URL)}?{urlencode({'next': f'{request.path}?chosen'})}",
        "has_come_back": "chosen" in request.GET and request.user.is_authenticated,
    }
    return render(request, "portal/product.html", context)


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
    context = {"page": checklist_page(found, found.item), "note": offered.note if offered.is_stale else ""}
    return render(request, "portal/checklist.html", context)
