"""The theme of a page: the one that was chosen in this browser, else the system's.

A choice is kept by a cookie and not with the account: each screen is in a light of its own. It is made by a button of
the page's own form, as a language is (`languages.py`), and the server draws it, so that no script is needed.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin

from .cookies import set_year_cookie

THEME_COOKIE = "theme"
SYSTEM = "system"
THEMES = ("light", "dark")
# Addresses that other programs call.
_NO_PAGES = ("/api/", "/webhooks/")


def theme_in(post: Mapping[str, Any]) -> str:
    """Return the theme whose button was pressed, or ""."""
    theme = post.get("theme", "")
    return theme if theme in (SYSTEM, *THEMES) else ""


def theme_of(request: HttpRequest | None) -> str:
    """Return the theme that a page is drawn in: light, dark, or "" if the system decides."""
    # A template without a request passes "".
    if not request:
        return ""
    theme = getattr(request, "chosen_theme", "") or request.COOKIES.get(THEME_COOKIE, "")
    return theme if theme in THEMES else ""


class ChosenTheme(MiddlewareMixin):
    """Middleware: draw the answer to a post in the theme whose button was pressed, and keep it.

    Stands below the middleware that refuses forged posts.
    """

    def process_view(self, request: HttpRequest, *_: Any) -> None:
        # A view that takes posts from other programs reads the body itself.
        if not request.path_info.startswith(_NO_PAGES) and (theme := theme_in(request.POST)):
            request.chosen_theme = theme  # type: ignore[attr-defined]  # read by `theme_of`

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        theme = getattr(request, "chosen_theme", "")
        if theme and response.status_code < HTTPStatus.INTERNAL_SERVER_ERROR:
            if theme == SYSTEM:
                response.delete_cookie(THEME_COOKIE, samesite="Lax")
            else:
                set_year_cookie(response, THEME_COOKIE, theme)
        return response
