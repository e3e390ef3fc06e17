"""The theme of a page: the choice made in this browser, else the system's theme."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest

THEME_COOKIE = "theme"
SYSTEM = "system"
THEMES = ("light", "dark")


def theme_in(post: Mapping[str, Any]) -> str:
    """Return the theme whose button was pressed, or ""."""
    theme = post.get("theme", "")
    return theme if theme in (SYSTEM, *THEMES) else ""


def theme_of(request: HttpRequest | None) -> str:
    """Return light, dark, or "" if the system decides."""
    # A template without a request passes "".
    if not request:
        return ""
    theme = getattr(request, "chosen_theme", "") or request.COOKIES.get(THEME_COOKIE, "")
    return theme if theme in THEMES else ""
