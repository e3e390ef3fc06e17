"""The portal's middleware. MIDDLEWARE in the settings gives their order."""

import logging
import re
import secrets
import time
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import Any, cast

from django.conf import settings
from django.db import Error, connections
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import get_callable
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin
from django.utils.log import log_response
from django_htmx.middleware import HtmxMiddleware

from .integers import content_length
from .monitoring import tracing
from .monitoring.logs import account_id, log_context
from .monitoring.metrics import count_request
from .pages.content_policy import FILE_POLICY, PAGE_POLICY, PERMISSIONS_POLICY

REQUEST_ID = "X-Request-Id"
_REQUEST_ID_PATTERN = re.compile(r"[A-Za-z0-9_.:-]{8,128}")
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"})
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS", "TRACE")

# The service answers all its errors in JSON.
_API_PATH = "/api/"
# Paths that machines post to. Their views check the body's length and answer in JSON.
_MACHINE_PATHS = (_API_PATH, "/webhooks/")
# Paths with personal pages for people who are not signed in, such as guests.
_PERSONAL_PATHS = ("/accounts/", "/part/")
# Paths with forms that take files, and the number of largest files that a form has room for.
_UPLOAD_PATHS = ("/applications/", "/part/", "/desk/")
_FILES_PER_FORM = 6
# The embedded service has its own limits (BODY_LIMITS). The largest allows a file of 10 MiB and its multipart frame.
_SERVICE_BYTES = 10 * 1024 * 1024 + 64 * 1024

STATUSES_WITH_PAGES = (405, 410, 413, 429)
LIVE = "/livez"
READY = "/readyz"

# The headers by which a view decides whether to answer with a fragment or a page.
_HTMX_HEADERS = ("HX-Request", "HX-Target", "HX-Trigger-Name", "HX-Current-URL", "HX-History-Restore-Request")

# The logger keeps the module's former name, since operators filter by it.
logger = logging.getLogger("formation_portal.request_log")


# In slots of 8 bytes: a little more than half a chunk of 512 kB. The other half holds some 1,500 frames, more than the
# recursion limit. The slots are never written, so they use no memory.
_FRAME_SLOTS = 33_000


class FrameMemory(MiddlewareMixin):
    """Answer each request inside a large frame, which makes room for all frames above it. Stands first in MIDDLEWARE.

    CPython (3.11 and later) stores the frames of Python functions in chunks of 16 kB, and frees a chunk as soon as its
    last frame returns. A page whose templates often call across the end of a chunk allocates and frees memory thousands
    of times, and takes up to 2.4 times as long, depending on the depth of the call stack where it is rendered. A chunk
    is as large as its first frame needs, rounded up to a power of two.
    """

    get_response: Callable[[HttpRequest], HttpResponseBase]

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    __call__.__code__ = __call__.__code__.replace(co_stacksize=_FRAME_SLOTS)


class RequestLog(MiddlewareMixin):
    """Log and count each request, without anything that was typed and without names of people.

    The line has the route's name instead of the URL, which may hold keys and searches. The request's id is the proxy's
    `X-Request-Id` or a new id; every answer carries the id. This stands early, so that refusals are logged too.
    """

    get_response: Callable[[HttpRequest], HttpResponseBase]

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        began = time.perf_counter()
        own_id = request.headers.get(REQUEST_ID, "")
        if not _REQUEST_ID_PATTERN.fullmatch(own_id):
            own_id = secrets.token_hex(16)
        request.request_id = own_id  # type: ignore[attr-defined]
        account = partial(account_id, request)
        traced = tracing.span("request", kind="SERVER", parent=request.headers)
        with traced as span, log_context(request=own_id, account=account) as context:
            response = self.get_response(request)
            # The embedded service gives its answers their own ids.
            response.headers.setdefault(REQUEST_ID, own_id)
            request_id = response.headers[REQUEST_ID]
            context["request"] = request_id
            seconds = time.perf_counter() - began
            route = getattr(request.resolver_match, "view_name", "-")
            method = request.method if request.method in _METHODS else "-"
            text = "%s %s %s %s ms, request %s, account %s"
            milliseconds = round(seconds * 1000)
            logger.info(text, method, route, response.status_code, milliseconds, request_id, account() or "-")
            span.rename(f"{method} {route}")
            span.set(
                {
                    "http.request.method": method,
                    "http.route": route,
                    "http.response.status_code": response.status_code,
                    "request.id": request_id,
                },
                is_error=response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR,
            )
        count_request(route, method, response.status_code, seconds)
        return response


class SecurityHeaders(MiddlewareMixin):
    """Set the security and cache headers that the view has not set."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if request.path_info.startswith(settings.STATIC_URL):
            response.headers.setdefault("Content-Security-Policy", FILE_POLICY)
        else:
            response.headers.setdefault("Content-Security-Policy", PAGE_POLICY)
            response.headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
            response.headers.setdefault("Permissions-Policy", PERMISSIONS_POLICY)
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        # Cookie, method and path decide: request.user would query a database that may be away.
        has_session = settings.SESSION_COOKIE_NAME in {*request.COOKIES, *response.cookies}
        # The answer to a POST may show what was posted.
        answers_post = request.method not in ("GET", "HEAD")
        if has_session or answers_post or request.path_info.startswith(_PERSONAL_PATHS):
            response.headers.setdefault("Cache-Control", "no-store")
        elif response.get("Content-Type", "").startswith("text/html"):
            # The page's nonce is for a single reader.
            response.headers.setdefault("Cache-Control", "private")
        return response


class ErrorPages(MiddlewareMixin):
    """Fill an empty error response with the page for its status, except for requests by scripts.

    Answers 404 to paths with a NUL, which PostgreSQL can't compare with anything.
    """

    def process_request(self, request: HttpRequest) -> None:
        if "\x00" in request.path_info and not request.path_info.startswith(_API_PATH):
            raise Http404

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if response.status_code not in STATUSES_WITH_PAGES or not isinstance(response, HttpResponse):
            return response
        if response.content or request.path_info.startswith(_API_PATH) or request.htmx:  # type: ignore[attr-defined]
            return response
        page = render(request, f"{response.status_code}.html", status=response.status_code)
        for name, value in response.items():
            if name not in ("Content-Type", "Content-Length"):
                page[name] = value
        return page


def body_limit(path: str) -> int:
    """Return the largest allowed body of a request to the path, in bytes."""
    if path.startswith(_API_PATH):
        return _SERVICE_BYTES
    limit = int(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
    if path.startswith(_UPLOAD_PATHS):
        limit += _FILES_PER_FORM * int(settings.UPLOAD_LIMIT)
    return limit


def largest_body() -> int:
    return max(map(body_limit, (_API_PATH, *_UPLOAD_PATHS)))


class BodyLimits(MiddlewareMixin):
    """Answer 413 to a body that is too large, without reading it."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        is_too_large = content_length(request.META) > body_limit(request.path_info)
        if is_too_large and not request.path_info.startswith(_MACHINE_PATHS):
            return render(request, "413.html", status=413)
        return None


class OwnSite(MiddlewareMixin):
    """Refuse posts that the browser marks as coming from another site (`Sec-Fetch-Site`), even with a valid token.

    Posts from TRUSTED_ORIGINS are accepted. Machines and old browsers don't send the header.
    """

    def process_view(self, request: HttpRequest, *_: Any) -> HttpResponse | None:
        if request.method in _SAFE_METHODS or request.path_info.startswith(_MACHINE_PATHS):
            return None
        if request.headers.get("Sec-Fetch-Site") not in ("cross-site", "same-site"):
            return None
        if request.headers.get("Origin") in settings.CSRF_TRUSTED_ORIGINS:
            return None
        response = get_callable(settings.CSRF_FAILURE_VIEW)(request, reason="Sec-Fetch-Site")
        log_response("Forbidden (post from another site)", response=response, request=request)
        return cast(HttpResponse, response)


class Htmx(HtmxMiddleware):
    """Set `request.htmx`, and list htmx's headers in `Vary`, so that no cache returns a fragment as the page."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response: HttpResponseBase = super().__call__(request)  # type: ignore[assignment]
        patch_vary_headers(response, _HTMX_HEADERS)
        return response


class Health(MiddlewareMixin):
    """Answer health checks: `/livez` if the process runs, `/readyz` if the databases answer and it is not ending.

    This stands before RequestLog and SessionMiddleware: a check needs no host name and no session, and is not logged.
    """

    is_ending = False

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        if request.path_info == LIVE:
            return _plain_text("ok")
        if request.path_info != READY:
            return None
        if self.is_ending:
            return _plain_text("not ready: ending", 503)
        aliases_away = []
        for alias in connections:
            try:
                with connections[alias].cursor() as cursor:
                    cursor.execute("SELECT 1")
            except Error:
                connections[alias].close()
                aliases_away.append(alias)
        if aliases_away:
            return _plain_text(f"not ready: {', '.join(aliases_away)}", 503)
        return _plain_text("ok")


def _plain_text(text: str, status: int = 200) -> HttpResponse:
    headers = {"Cache-Control": "no-store"}
    return HttpResponse(f"{text}\n", content_type="text/plain; charset=utf-8", status=status, headers=headers)
