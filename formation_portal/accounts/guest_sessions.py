"""Sessions of guests, who have no account: a signed cookie for one part's addresses alone.

It says which round's link this browser has opened, and whether the code was entered. Whether that still counts is
checked where the part is looked up.
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
class GuestSession:
    """To which part, given in which round, and whether the code was entered."""

    reference: str
    round: int
    is_known: bool = False


def find(request: HttpRequest, reference: str) -> GuestSession | None:
    """The browser's pass for that part; None without one that we have signed, and not too long ago."""
    said = request.get_signed_cookie(_COOKIE, default=None, salt=_SALT, max_age=_SECONDS)
    named, _, rest = (said or "").partition(":")
    round_, _, state = rest.partition(":")
    return GuestSession(reference, int(round_), state == _KNOWN) if said and named == reference else None


def start(response: HttpResponse, given: GuestSession) -> HttpResponse:
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


def end(response: HttpResponse, reference: str) -> HttpResponse:
    """Let the browser forget its pass."""
    response.delete_cookie(_COOKIE, path=_path(reference), samesite="Lax")
    return response


def not_found_page(request: HttpRequest) -> HttpResponse:
    """What everybody without a pass gets, whatever part the address names or doesn't."""
    return render(request, "portal/sharing/part_unavailable.html", {"why": "unknown"}, status=404)


def _path(reference: str) -> str:
    return reverse("portal:part", args=[reference])
