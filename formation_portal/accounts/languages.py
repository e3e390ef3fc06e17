"""Which language a page is in: the one that was chosen here, else the browser's, else English.

A choice is kept by a cookie and with the account, so that letters are written in it and another device knows it. It is
made by a button of the page's own form, so that what was typed comes along: the view saves it, or draws it once more.
"""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers

from .models import User
from .themes import theme_in

# The service speaks its own language, the agents' pages are in English, what posts events is no reader, and in the
# operator's files there is nothing to read.
_ENGLISH_PATHS = ("/api/", "/desk/", "/webhooks/", "/operator/")
_YEAR = 365 * 24 * 60 * 60


class Languages:
    """Draws each page in its reader's language; what it calls in the same thread leaves that as it is."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        has_choice = not request.path_info.startswith(_ENGLISH_PATHS)
        request.offers_languages = has_choice  # type: ignore[attr-defined]  # read by ui/display.html
        found = translation.get_language_from_request(request) if has_choice else settings.LANGUAGE_CODE
        with translation.override(found):
            response = self.get_response(request)
        if taken := getattr(request, "account_language", ""):
            _set_cookie(response, taken)
        if has_choice:
            patch_vary_headers(response, ("Accept-Language", "Cookie"))
        return response


class ChosenLanguage:
    """Draws the answer to a post in the language whose button was pressed, and keeps it: here, and with the account.

    Stands below what looks for a forged post, and below what knows who is there.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        chosen = getattr(request, "chosen_language", "")
        if chosen and response.status_code < HTTPStatus.INTERNAL_SERVER_ERROR:
            _set_cookie(response, chosen)
            if request.user.is_authenticated:
                User.objects.filter(pk=request.user.pk).update(language=chosen)
        return response

    def process_view(self, request: HttpRequest, *_: Any) -> None:
        """By now a forged post was turned away. `Languages` puts the language back."""
        if request.offers_languages and (chosen := language_in(request.POST)):  # type: ignore[attr-defined]  # set above
            request.chosen_language = chosen  # type: ignore[attr-defined]
            translation.activate(chosen)


def chosen_in(request: HttpRequest) -> str:
    """The language or the theme whose button was pressed, or nothing. A view that would do something else then does
    nothing more than to keep what was typed."""
    return display_in(request.POST)


def display_in(post: Mapping[str, Any]) -> str:
    """The same for what was posted by itself."""
    return language_in(post) or theme_in(post)


def language_in(post: Mapping[str, Any]) -> str:
    """The language alone."""
    chosen = post.get("language", "")
    return chosen if chosen in dict(settings.LANGUAGES) else ""


def _set_cookie(response: HttpResponse, chosen: str) -> None:
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        chosen,
        max_age=_YEAR,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


@receiver(user_logged_in)
def _unite_choices(request: HttpRequest | None, user: User, **_: Any) -> None:
    """What was chosen in this browser goes into the account; where nothing was, the account's own goes for it."""
    chosen = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "") if request else ""
    if request and user.language and chosen not in dict(settings.LANGUAGES):
        request.account_language = user.language  # type: ignore[attr-defined]  # read once the answer is there
        return
    active = (translation.get_language() or settings.LANGUAGE_CODE).partition("-")[0]
    read = chosen if chosen in dict(settings.LANGUAGES) else active
    if user.language != read:
        user.language = read
        user.save(update_fields=["language"])
