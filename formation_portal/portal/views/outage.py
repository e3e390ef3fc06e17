"""What a page says when the formation service gives no catalog: clear words and a way out, never a server error."""

import logging
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from formation_portal.gateway.catalog import Catalog
from formation_portal.gateway.catalog import catalog as current_catalog
from formation_portal.gateway.errors import GatewayError, NotAuthorised, NotConfigured

Rest = ParamSpec("Rest")
Request = TypeVar("Request", bound=HttpRequest)

_TRY_AGAIN_SECONDS = 60

log = logging.getLogger(__name__)


def with_catalog(
    view: Callable[Concatenate[Request, Catalog, Rest], HttpResponse],
) -> Callable[Concatenate[Request, Rest], HttpResponse]:
    """Hand the view the catalog, or answer 503 where there is none, not even an old one."""

    @wraps(view)
    def wrapped(request: Request, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponse:
        try:
            catalog = current_catalog()
        except GatewayError as error:
            # Once, at the call, the gateway has said why; here it would be said for every visitor.
            log.info("No catalog to show: %s", error)
            response = render(request, "portal/catalog_unavailable.html", {"is_ours": _is_ours(error)}, status=503)
            response.headers["Retry-After"] = str(_TRY_AGAIN_SECONDS)
            return response
        return view(request, catalog, *args, **kwargs)

    return wrapped


def _is_ours(error: BaseException | None) -> bool:
    """Whether it is for our team to mend, a wrong address or key, so that trying again soon can't help."""
    return error is not None and (isinstance(error, NotAuthorised | NotConfigured) or _is_ours(error.__cause__))
