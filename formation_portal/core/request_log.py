"""A line in the log for each request: who asked for what, without a word of what they typed or are called.

    GET portal:section 200 34 ms, request 1f0e…, account 12

The route's name stands for the address, which may hold keys and what was searched for. The request's id is the proxy's
`X-Request-Id`, or made here; every answer carries it.
"""

import logging
import re
import secrets
import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

REQUEST_ID = "X-Request-Id"
_IDS = re.compile(r"[A-Za-z0-9_.:-]{8,128}")

# The name that operators filter by; it is older than the module's.
logger = logging.getLogger("formation_portal.request_log")


class RequestLog:
    """Stands first, so that what is refused early has its line, too."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        response = self.get_response(request)
        # The embedded service names its requests itself.
        sent = request.headers.get(REQUEST_ID, "")
        response.headers.setdefault(REQUEST_ID, sent if _IDS.fullmatch(sent) else secrets.token_hex(16))
        spent = round((time.perf_counter() - began) * 1000)
        route = request.resolver_match.view_name if request.resolver_match else "-"
        # The number of whoever is signed in, as far as the answer needed to know it: no line costs a query.
        account_id = getattr(getattr(request, "_cached_user", None), "pk", None)
        logger.info(
            "%s %s %s %s ms, request %s, account %s",
            request.method if request.method in _METHODS else "-",
            route,
            response.status_code,
            spent,
            response.headers[REQUEST_ID],
            account_id or "-",
        )
        return response


_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"})


def without_traceback(record: logging.LogRecord) -> bool:
    """A filter for handlers: what a client did wrong is told without a traceback, which would be of no use."""
    if record.name.startswith("django.security."):
        record.exc_info = None
    return True
