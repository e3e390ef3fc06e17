"""Cookies that last a year: the language, the theme, and the accounts that a browser has signed in to."""

from django.conf import settings
from django.http.response import HttpResponseBase

YEAR_SECONDS = 365 * 24 * 60 * 60


def set_year_cookie(response: HttpResponseBase, name: str, value: str) -> None:
    response.set_cookie(
        name,
        value,
        max_age=YEAR_SECONDS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
