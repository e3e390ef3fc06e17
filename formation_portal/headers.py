"""The headers that every answer carries: a content policy without inline script, and no shared caching."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

CONTENT_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)


# Addresses whose pages are somebody's who has no session: accounts before one signs in, and parts for guests.
_PERSONAL = ("/accounts/", "/part/")


class SecurityHeaders:
    """Adds what a view did not set itself."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", CONTENT_POLICY)
        response.headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        if _is_personal(request, response):
            response.headers.setdefault("Cache-Control", "no-store")
        return response


def _is_personal(request: HttpRequest, response: HttpResponse) -> bool:
    """Told by cookie, method and address, not by who is signed in: that would ask a database that may be away.

    What answers a post may show what was posted.
    """
    has_session = settings.SESSION_COOKIE_NAME in {*request.COOKIES, *response.cookies}
    return has_session or request.method not in ("GET", "HEAD") or request.path_info.startswith(_PERSONAL)
