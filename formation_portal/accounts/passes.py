"""A pass for one thing, for people without an account: a signed cookie that goes to that thing's addresses alone.

It says that this browser has opened the link that was sent in some round, and whether it has entered the code too.
Whether that still counts is asked where the thing is looked up.
"""

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

_COOKIE = "part"
_SALT = "formation_portal.accounts.pass"
_SECONDS = 12 * 60 * 60
_KNOWN, _OPENED = "known", "opened"


@dataclass(frozen=True, slots=True)
class Pass:
    """To which part, given in which round, and whether the code was entered."""

    reference: str
    round: int
    is_known: bool = False


def of(request: HttpRequest, reference: str) -> Pass | None:
    """The browser's pass for that part; None without one that we have signed, and not too long ago."""
    said = request.get_signed_cookie(_COOKIE, default=None, salt=_SALT, max_age=_SECONDS)
    named, _, rest = (said or "").partition(":")
    round_, _, state = rest.partition(":")
    return Pass(reference, int(round_), state == _KNOWN) if said and named == reference else None


def give(response: HttpResponse, given: Pass) -> HttpResponse:
    """Let the browser keep the pass, for the part's own addresses."""
    response.set_signed_cookie(
        _COOKIE,
        f"{given.reference}:{given.round}:{_KNOWN if given.is_known else _OPENED}",
        salt=_SALT,
        max_age=_SECONDS,
        path=_path(given.reference),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return response


def take(response: HttpResponse, reference: str) -> HttpResponse:
    """Let the browser forget its pass."""
    response.delete_cookie(_COOKIE, path=_path(reference), samesite="Lax")
    return response


def refusal(request: HttpRequest) -> HttpResponse:
    """What everybody without a pass gets, whatever part the address names or doesn't."""
    return render(request, "portal/sharing/part_unavailable.html", {"why": "unknown"}, status=404)


def _path(reference: str) -> str:
    return reverse("portal:part", args=[reference])
