"""Which theme a page has: the one that was chosen in this browser, else the system's.

A choice is kept by a cookie and not with the account: each screen stands in a light of its own. It is made by a button
of the page's own form, as a language is (`languages.py`), and the server draws it, so that no script is needed.
"""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse

THEME_COOKIE = "theme"
SYSTEM = "system"
THEMES = ("light", "dark")
# What other programs call.
_NO_PAGES = ("/api/", "/webhooks/")
_YEAR = 365 * 24 * 60 * 60


def theme_in(post: Mapping[str, Any]) -> str:
    """The theme whose button was pressed, or nothing."""
    chosen = post.get("theme", "")
    return chosen if chosen in (SYSTEM, *THEMES) else ""


def theme_of(request: HttpRequest | None) -> str:
    """The theme that a page is drawn in: light, dark, or nothing, where the system says."""
    chosen = getattr(request, "chosen_theme", "") or (request.COOKIES.get(THEME_COOKIE, "") if request else "")
    return chosen if chosen in THEMES else ""


class ChosenTheme:
    """Draws the answer to a post in the theme whose button was pressed, and keeps it. Stands below what looks for a
    forged post."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        chosen = getattr(request, "chosen_theme", "")
        if not chosen or response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
            return response
        if chosen == SYSTEM:
            response.delete_cookie(THEME_COOKIE, samesite="Lax")
        else:
            response.set_cookie(
                THEME_COOKIE,
                chosen,
                max_age=_YEAR,
                secure=settings.SESSION_COOKIE_SECURE,
                httponly=True,
                samesite="Lax",
            )
        return response

    def process_view(self, request: HttpRequest, *_: Any) -> None:
        """By now a forged post was turned away. What takes posts from other programs reads its body itself."""
        if not request.path_info.startswith(_NO_PAGES) and (chosen := theme_in(request.POST)):
            request.chosen_theme = chosen  # type: ignore[attr-defined]  # read by `theme_of`
