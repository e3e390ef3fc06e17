"""How a route is declared, and what every call passes before and after it (supplement, "Transport").

Before it key, rate, scope, size, media type and idempotency; afterwards request id, rate-limit headers, deprecation. A
route itself knows none of this.
"""

import logging
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
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
from formation_portal.service.problems import ApiError, error_response, problem_response
from formation_portal.service.schemas import Problem
from formation_portal.service.storage import FILE_LIMIT

logger = logging.getLogger(__name__)

JSON, MULTIPART = "application/json", "multipart/form-data"
JSON_LIMIT = 1024 * 1024
# A multipart body holds a file, a few short fields and the lines between them.
BODY_LIMITS = {JSON: JSON_LIMIT, MULTIPART: FILE_LIMIT + 64 * 1024}
REQUEST_ID = "X-Request-Id"

ServiceView = Callable[..., HttpResponseBase]


def guard(run: ServiceView, *, scopes: tuple[str, ...], takes: str | None) -> ServiceView:
    """The route behind its checks. `takes` is the media type of its body, None where it needs none."""

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
            return response
        except Exception as error:
            return error_response(request, error)

    return enter


def _check_body(request: HttpRequest, takes: str | None) -> None:
    """Refuses a body by its size and media type, before it is read. What is missing in an empty one is found later."""
    size, limit = content_length(request.META), BODY_LIMITS[takes or JSON]
    if size > limit:
        raise ApiError("too_large", f"The body may have at most {limit:,} bytes.")
    if size and takes is not None and request.content_type != takes:
        raise ApiError("unsupported_media_type", f"Send the body as {takes}.", headers={"Accept-Post": takes})


def with_envelope(view: ServiceView) -> ServiceView:
    """Any view below /api/v1, with what every answer carries. HEAD is answered as GET without its body."""

    @wraps(view)
    def around(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        sent = request.headers.get(REQUEST_ID, "")
        request_id = sent if re.fullmatch("[!-~]{1,128}", sent) else f"req_{secrets.token_hex(12)}"
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
            allowed = ", ".join(sorted(one.strip() for one in response["Allow"].split(",")))
            detail = f"{method} is not allowed here; use {allowed}."
            not_allowed = ApiError("method_not_allowed", detail, headers={"Allow": allowed})
            response = problem_response(request, not_allowed)
        response[REQUEST_ID] = request_id
        response.headers.setdefault("Cache-Control", "no-store")
        if allowance := getattr(request, "allowance", None):
            allowance.add_to(response)
        logger.info("%s %s %s %s", request_id, method, escape_uri_path(request.path), response.status_code)
        return response

    around.csrf_exempt = True  # type: ignore[attr-defined]  # keys open the routes; no cookie is looked at
    return around


Function = TypeVar("Function", bound=Callable[..., Any])

# Which scopes open which operation; the OpenAPI document shows them.
scopes_of_operations: dict[str, list[str]] = {}

# What any call may be refused for, whatever it does.
_ALWAYS = (401, 403, 429, 500, 503)


@dataclass(frozen=True, slots=True)
class Deprecation:
    """A route that will go (supplement, "Versions"): since when it is deprecated, and when it is switched off."""

    deprecated: datetime
    sunset: datetime
    link: str = ""

    def headers(self) -> dict[str, str]:
        """`Deprecation` as RFC 9745 has it, `Sunset` as RFC 8594 has it."""
        return {
            "Deprecation": f"@{int(self.deprecated.timestamp())}",
            "Sunset": format_datetime(self.sunset.astimezone(UTC), usegmt=True),
        } | ({"Link": f'<{self.link}>; rel="deprecation"'} if self.link else {})


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
    deprecation: Deprecation | None = None,
    extra: dict[str, Any] | None = None,
) -> Callable[[Function], Function]:
    """Declares a route. `takes` is the media type of its body; a body brings its own refusals with it."""
    wanted = (scopes,) if isinstance(scopes, str) else scopes
    of_body = (400, 413, 415, 422) if takes else (400, 413, 422) if method == "POST" else ()
    of_path = (404,) if "{" in path else ()
    of_repeat = (409,) if method == "POST" else ()
    problems = frozenset({*_ALWAYS, *of_body, *of_path, *of_repeat, *refuses})

    def declare(view: Function) -> Function:
        decorators: list[Callable[[ServiceView], ServiceView]] = [partial(guard, scopes=wanted, takes=takes)]
        if deprecation:
            decorators.append(partial(_with_deprecation, deprecation=deprecation))
        scopes_of_operations[view.__name__] = list(wanted)

        @wraps(view)
        def answering(*args: Any, **kwargs: Any) -> Any:
            """The view, saying with which of the declared statuses it succeeded."""
            result = view(*args, **kwargs)
            return result if isinstance(result, HttpResponseBase) else Status(status, result)

        decorate_view(*decorators)(answering)
        router.api_operation(
            [method],
            path,
            auth=BearerKey(),
            response={status: gives, problems: Problem},
            operation_id=view.__name__,
            summary=view.__name__.replace("_", " ").capitalize(),
            deprecated=True if deprecation else None,
            by_alias=True,
            openapi_extra=extra,
        )(answering)
        return view

    return declare


def _with_deprecation(run: ServiceView, *, deprecation: Deprecation) -> ServiceView:
    def answer(*args: Any, **kwargs: Any) -> HttpResponseBase:
        response = run(*args, **kwargs)
        for name, value in deprecation.headers().items():
            response[name] = value
        return response

    return answer
