"""Declare routes, check their calls and complete the answers (INTERFACE.md, "Transport and credentials")."""

import logging
import re
import secrets
from collections.abc import Callable
from functools import partial, wraps
from typing import Any, TypeVar

from django.http import HttpRequest
from django.http.response import HttpResponseBase, HttpResponseNotAllowed
from django.utils.encoding import escape_uri_path
from ninja import Router
from ninja.decorators import decorate_view
from ninja.responses import Status

from formation_portal.core.databases import SERVICE
from formation_portal.core.integers import content_length
from formation_portal.core.overwriting import overwrite_deleted
from formation_portal.service import auth, idempotency, rate_limit
from formation_portal.service.auth import BearerKey
from formation_portal.service.problems import ApiError, error_response
from formation_portal.service.schemas import Problem
from formation_portal.service.storage import FILE_LIMIT

logger = logging.getLogger(__name__)

JSON = "application/json"
MULTIPART = "multipart/form-data"
# A multipart body holds a file, a few short fields and the lines between them.
BODY_LIMITS = {JSON: 1024 * 1024, MULTIPART: FILE_LIMIT + 64 * 1024}
REQUEST_ID = "X-Request-Id"

ServiceView = Callable[..., HttpResponseBase]
Function = TypeVar("Function", bound=Callable[..., Any])

# The scopes of which each operation needs one, for the OpenAPI document.
scopes_of_operations: dict[str, list[str]] = {}

# The statuses with which every route may refuse a call.
_ALWAYS = (401, 403, 429, 500, 503)


def guard(run: ServiceView, *, scopes: tuple[str, ...], takes: str | None) -> ServiceView:
    """Return a view that checks a call before its route runs. `takes` is the media type of the call's body."""

    def enter(request: HttpRequest, **path: Any) -> HttpResponseBase:
        try:
            key = auth.identify(request)
            request.auth = key  # type: ignore[attr-defined]
            rate_limit.count_request(request, key)
            auth.require(key, scopes)
            _check_body(request, takes)
            work: Callable[[], Any] = partial(run, request, **path)
            if request.method == "GET":
                response: HttpResponseBase = work()
            else:
                response = idempotency.run_once(request, key, work)
            if request.method == "DELETE":
                overwrite_deleted(SERVICE)
        except Exception as error:
            return error_response(request, error)
        return response

    return enter


def _check_body(request: HttpRequest, takes: str | None) -> None:
    size = content_length(request.META)
    limit = BODY_LIMITS[takes or JSON]
    if size > limit:
        raise ApiError("too_large", f"The body must have at most {limit:,} bytes.")
    if size and takes is not None and request.content_type != takes:
        raise ApiError("unsupported_media_type", f"Send the body as {takes}.", headers={"Accept-Post": takes})


def with_envelope(view: ServiceView) -> ServiceView:
    """Add the common headers to every answer below /api/v1, and answer every error."""

    @wraps(view)
    def around(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        request_id = request.headers.get(REQUEST_ID, "")
        if not re.fullmatch("[!-~]{1,128}", request_id):
            request_id = f"req_{secrets.token_hex(12)}"
        request.request_id = request_id  # type: ignore[attr-defined]
        method = request.method
        if method == "HEAD":
            request.method = "GET"
        try:
            response = view(request, *args, **kwargs)
        except Exception as error:
            response = error_response(request, error)
        request.method = method
        if isinstance(response, HttpResponseNotAllowed):
            allowed = ", ".join(sorted(response["Allow"].split(", ")))
            detail = f"{method} is not allowed here. Use {allowed}."
            response = error_response(request, ApiError("method_not_allowed", detail, headers={"Allow": allowed}))
        response[REQUEST_ID] = request_id
        response.headers.setdefault("Cache-Control", "no-store")
        if allowance := getattr(request, "allowance", None):
            allowance.add_to(response)
        logger.info("%s %s %s %s", request_id, method, escape_uri_path(request.path), response.status_code)
        return response

    around.csrf_exempt = True  # type: ignore[attr-defined]  # keys open the routes; no cookie is read
    return around


def route(
    router: Router,
    method: str,
    path: str,
    *,
    scopes: str | tuple[str, ...],
    gives: Any,
    status: int = 200,
    takes: str | None = None,
    refuses: tuple[int, ...] = (),
    extra: dict[str, Any] | None = None,
) -> Callable[[Function], Function]:
    """Declare a route. `takes` is the media type of the call's body. The usual refusals are added to `refuses`."""
    accepted_scopes = (scopes,) if isinstance(scopes, str) else scopes
    problems = {*_ALWAYS, *refuses}
    if method == "POST":
        problems |= {400, 409, 413, 422}
    if takes:
        problems |= {400, 413, 415, 422}
    if "{" in path:
        problems.add(404)

    def declare(view: Function) -> Function:
        scopes_of_operations[view.__name__] = list(accepted_scopes)

        @wraps(view)
        def answering(*args: Any, **kwargs: Any) -> Any:
            result = view(*args, **kwargs)
            return result if isinstance(result, HttpResponseBase) else Status(status, result)

        decorate_view(partial(guard, scopes=accepted_scopes, takes=takes))(answering)
        router.api_operation(
            [method],
            path,
            auth=BearerKey(),
            response={status: gives, frozenset(problems): Problem},
            operation_id=view.__name__,
            summary=view.__name__.replace("_", " ").capitalize(),
            by_alias=True,
            openapi_extra=extra,
        )(answering)
        return view

    return declare
