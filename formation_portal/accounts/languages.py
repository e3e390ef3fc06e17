"""The language of a page: the reader's choice on the portal, else the browser's, else English. Its theme: the choice in
this browser, else the system's. The buttons that choose them submit the page's form, so that typed text is kept."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin

from .cookies import set_year_cookie
from .models import User

# Paths that are never translated: the service has its own language, agents' pages are in English, nobody reads the
# answers to webhooks, and the operator's files have no text.
_MACHINE_PATHS = ("/api/", "/webhooks/")
_ENGLISH_PATHS = (*_MACHINE_PATHS, "/desk/", "/operator/")
THEME_COOKIE = "theme"
SYSTEM = "system"
THEMES = ("light", "dark")


class Languages(MiddlewareMixin):
    """Render each page in its reader's language."""

    get_response: Any

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        has_choice = not request.path_info.startswith(_ENGLISH_PATHS)
        request.offers_languages = has_choice  # type: ignore[attr-defined]  # read by ui/display.html
        language = settings.LANGUAGE_CODE
        if has_choice:
            language = translation.get_language_from_request(request)
        with translation.override(language):
            response: HttpResponseBase = self.get_response(request)
        if account_language := getattr(request, "account_language", ""):
            set_year_cookie(response, settings.LANGUAGE_COOKIE_NAME, account_language)
        if has_choice:
            patch_vary_headers(response, ("Accept-Language", "Cookie"))
        return response


class ChosenDisplay(MiddlewareMixin):
    """Render the answer to a POST in the language or theme whose button was pressed, and remember the choice.

    In MIDDLEWARE this comes after the middleware that refuses forged posts and the middleware that finds the user.
    """

    def process_view(self, request: HttpRequest, *_: Any) -> None:
        # A view for posts of other programs reads the body itself.
        if request.path_info.startswith(_MACHINE_PATHS):
            return
        request.chosen_theme = theme_in(request.POST)  # type: ignore[attr-defined]  # read by `theme_of`
        # `Languages` puts the language back.
        if request.offers_languages and (language := language_in(request.POST)):  # type: ignore[attr-defined]  # set above
            request.chosen_language = language  # type: ignore[attr-defined]
            translation.activate(language)

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
            return response
        if language := getattr(request, "chosen_language", ""):
            set_year_cookie(response, settings.LANGUAGE_COOKIE_NAME, language)
            if request.user.is_authenticated:
                User.objects.filter(pk=request.user.pk).update(language=language)
        theme = getattr(request, "chosen_theme", "")
        if theme == SYSTEM:
            response.delete_cookie(THEME_COOKIE, samesite="Lax")
        elif theme:
            set_year_cookie(response, THEME_COOKIE, theme)
        return response


def chosen_in(request: HttpRequest) -> str:
    """Return the language or the theme whose button was pressed, or "".

    If a button was pressed, a view only keeps the typed text.
    """
    return language_in(request.POST) or theme_in(request.POST)


def language_in(post: Mapping[str, Any]) -> str:
    language = post.get("language", "")
    return language if language in dict(settings.LANGUAGES) else ""


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


@receiver(user_logged_in)
def _unite_choices(request: HttpRequest | None, user: User, **_: Any) -> None:
    """Save the browser's chosen language in the account, or else use the account's language in the browser."""
    cookie = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "") if request else ""
    if cookie in dict(settings.LANGUAGES):
        language = cookie
    elif request and user.language:
        request.account_language = user.language  # type: ignore[attr-defined]  # read by `Languages`
        return
    else:
        language = (translation.get_language() or settings.LANGUAGE_CODE).partition("-")[0]
    if user.language != language:
        user.language = language
        user.save(update_fields=["language"])
