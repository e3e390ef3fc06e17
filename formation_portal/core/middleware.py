"""The portal's own middleware: the log of requests, headers, health checks, limits of bodies, posts from other sites,
what differs for htmx, pages for bare statuses.

Which stands where is in the settings (MIDDLEWARE). `networks` has one, too.
"""

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
from django.shortcuts import render
from django.urls import get_callable
from django.utils.cache import patch_vary_headers
from django.utils.log import log_response
from django_htmx.middleware import HtmxDetails

from .integers import content_length
from .monitoring import tracing
from .monitoring.logs import account_id, log_context
from .monitoring.metrics import count_request
from .pages.content_policy import FILE_POLICY, PAGE_POLICY, PERMISSIONS_POLICY

REQUEST_ID = "X-Request-Id"
_IDS = re.compile(r"[A-Za-z0-9_.:-]{8,128}")
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"})

# The name that operators filter by; it is older than the module's.
logger = logging.getLogger("formation_portal.request_log")


class RequestLog:
    """A line in the log for each request, and a count: who asked for what, without a word of what they typed or are
    called.

        GET portal:section 200 34 ms, request 1f0e…, account 12

    The route's name stands for the address, which may hold keys and what was searched for. The request's id is the
    proxy's `X-Request-Id`, or made here; every answer carries it. It stands first, so that what is refused early has
    its line, too.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        sent = request.headers.get(REQUEST_ID, "")
        own_id = sent if _IDS.fullmatch(sent) else secrets.token_hex(16)
        request.request_id = own_id  # type: ignore[attr-defined]
        account = partial(account_id, request)
        traced = tracing.span("request", kind="SERVER", parent=request.headers)
        with traced as span, log_context(request=own_id, account=account) as known:
            response = self.get_response(request)
            # The embedded service names its requests itself.
            response.headers.setdefault(REQUEST_ID, own_id)
            known["request"] = request_id = response.headers[REQUEST_ID]
            spent = time.perf_counter() - began
            route = request.resolver_match.view_name if request.resolver_match else "-"
            method = request.method if request.method in _METHODS else "-"
            text, milliseconds = "%s %s %s %s ms, request %s, account %s", round(spent * 1000)
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
        count_request(route, method, response.status_code, spent)
        return response


# Addresses whose pages are somebody's who has no session: accounts before one signs in, and parts for guests.
_PERSONAL_PATHS = ("/accounts/", "/part/")


class SecurityHeaders:
    """Adds what a view did not set itself."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        is_file = request.path_info.startswith(settings.STATIC_URL)
        response.headers.setdefault("Content-Security-Policy", FILE_POLICY if is_file else PAGE_POLICY)
        if not is_file:
            response.headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
            response.headers.setdefault("Permissions-Policy", PERMISSIONS_POLICY)
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        # Told by cookie, method and address, not by who is signed in: that would ask a database that may be away.
        has_session = settings.SESSION_COOKIE_NAME in {*request.COOKIES, *response.cookies}
        # What answers a post may show what was posted.
        answers_post = request.method not in ("GET", "HEAD")
        if has_session or answers_post or request.path_info.startswith(_PERSONAL_PATHS):
            response.headers.setdefault("Cache-Control", "no-store")
        elif response.get("Content-Type", "").startswith("text/html"):
            # Its nonce is for one reader.
            response.headers.setdefault("Cache-Control", "private")
        return response


STATUSES_WITH_PAGES = (405, 410, 413, 429)
# The service answers in JSON, and in its own words.
_API_PATH = "/api/"


class ErrorPages:
    """Fills an empty answer with the page of its status, and keeps its headers; but not for requests of scripts.

    And answers 404 to addresses with a NUL, which PostgreSQL can't compare with anything.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "\x00" in request.path_info and not request.path_info.startswith(_API_PATH):
            raise Http404
        response = self.get_response(request)
        is_bare = response.status_code in STATUSES_WITH_PAGES and not response.streaming and not response.content
        if not is_bare or request.path_info.startswith(_API_PATH) or request.htmx:  # type: ignore[attr-defined]
            return response
        page = render(request, f"{response.status_code}.html", status=response.status_code)
        for name, value in response.items():
            if name not in ("Content-Type", "Content-Length"):
                page[name] = value
        return page


# The embedded service looks more closely, and answers in JSON (BODY_LIMITS there): a file of 10 MiB and its frame.
_SERVICE_BYTES = 10 * 1024 * 1024 + 64 * 1024
# Addresses that machines post to: they look at the length themselves, and answer in JSON.
_MACHINE_PATHS = (_API_PATH, "/webhooks/")
# Addresses below which forms take files, and how many of the largest go into one.
_UPLOAD_PATHS = ("/applications/", "/part/", "/desk/")
_FILES_PER_FORM = 6


def body_limit(path: str) -> int:
    """Return the most bytes that a request to the path may bring."""
    if path.startswith(_API_PATH):
        return _SERVICE_BYTES
    fields = int(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
    return fields + _FILES_PER_FORM * int(settings.UPLOAD_LIMIT) if path.startswith(_UPLOAD_PATHS) else fields


def largest_body() -> int:
    """Return the most bytes that a request to any path may bring."""
    return max(map(body_limit, (_API_PATH, *_UPLOAD_PATHS)))


class BodyLimits:
    """Answers 413 to what is too large, without reading it. The addresses of machines look at the length themselves."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        is_too_large = content_length(request.META) > body_limit(request.path_info)
        if is_too_large and not request.path_info.startswith(_MACHINE_PATHS):
            return render(request, "413.html", status=413)
        return self.get_response(request)


_SAFE_METHODS = ("GET", "HEAD", "OPTIONS", "TRACE")
_OTHER_SITES = ("cross-site", "same-site")


class OwnSite:
    """Refuses posts that a browser says come from another site (`Sec-Fetch-Site`), also where their token is right.

    Those of TRUSTED_ORIGINS count as ours, and machines say no such thing. A browser that says nothing is asked for the
    token alone.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_: Any) -> HttpResponse | None:
        """Here and not earlier, so that its page knows its reader."""
        if request.method in _SAFE_METHODS or request.path_info.startswith(_MACHINE_PATHS):
            return None
        if request.headers.get("Sec-Fetch-Site") not in _OTHER_SITES:
            return None
        if request.headers.get("Origin") in settings.CSRF_TRUSTED_ORIGINS:
            return None
        refused = get_callable(settings.CSRF_FAILURE_VIEW)(request, reason="Sec-Fetch-Site")
        log_response("Forbidden (post from another site)", response=refused, request=request)
        return cast(HttpResponse, refused)


class _HtmxDetails(HtmxDetails):
    """django-htmx's, which remembers the headers that the answer was made from."""

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request)
        self.read: list[str] = []

    def _get_header_value(self, name: str) -> str | None:
        if name not in self.read:
            self.read.append(name)
        return super()._get_header_value(name)


class Htmx:
    """Gives `request.htmx` to views. An answer that was made with a look at it says so (`Vary`), so that no cache takes
    a part of a page for the page."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.htmx = details = _HtmxDetails(request)  # type: ignore[attr-defined]
        response = self.get_response(request)
        if details.read:
            patch_vary_headers(response, details.read)
        return response


LIVE, READY = "/livez", "/readyz"


class Health:
    """`/livez`: this process lives. `/readyz`: the databases answer too, or else 503 with their names; 503
    also while the process is ending, so that a balancer asks others.

    It stands before everything else, so that a probe needs no known host name, costs no session, and is not logged.
    """

    is_ending = False

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info == LIVE:
            return _plain_text("ok")
        if request.path_info == READY and self.is_ending:
            return _plain_text("not ready: ending", 503)
        if request.path_info == READY:
            away = []
            for alias in connections:
                try:
                    with connections[alias].cursor() as cursor:
                        cursor.execute("SELECT 1")
                except Error:
                    connections[alias].close()
                    away.append(alias)
            return _plain_text(f"not ready: {', '.join(away)}", 503) if away else _plain_text("ok")
        return self.get_response(request)


def _plain_text(text: str, status: int = 200) -> HttpResponse:
    headers = {"Cache-Control": "no-store"}
    return HttpResponse(f"{text}\n", content_type="text/plain; charset=utf-8", status=status, headers=headers)
