"""The sessions of guests, who answer a part of an application without an account: a signed cookie for each part."""

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

_GUEST_COOKIE = settings.GUEST_COOKIE_NAME
_GUEST_SALT = "formation_portal.accounts.pass"
_GUEST_SECONDS = 12 * 60 * 60
_KNOWN, _OPENED = "known", "opened"


@dataclass(frozen=True, slots=True)
class GuestSession:
    """A guest's session, with the invitation's round and epoch. A session `is_known` once the code was entered."""

    reference: str
    round: int
    is_known: bool = False
    epoch: int = 0


def find_guest_session(request: HttpRequest, reference: str) -> GuestSession | None:
    cookie = request.get_signed_cookie(_GUEST_COOKIE, default=None, salt=_GUEST_SALT, max_age=_GUEST_SECONDS)
    part, _, content = (cookie or "").partition(":")
    if not content or part != reference:
        return None
    round_, state, epoch = content.split(":")
    return GuestSession(reference, int(round_), state == _KNOWN, int(epoch))


def start_guest_session(response: HttpResponse, session: GuestSession) -> HttpResponse:
    response.set_signed_cookie(
        _GUEST_COOKIE,
        f"{session.reference}:{session.round}:{_KNOWN if session.is_known else _OPENED}:{session.epoch}",
        salt=_GUEST_SALT,
        max_age=_GUEST_SECONDS,
        path=reverse("portal:part", args=[session.reference]),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return response


def end_guest_session(response: HttpResponse, reference: str) -> HttpResponse:
    response.delete_cookie(_GUEST_COOKIE, path=reverse("portal:part", args=[reference]), samesite="Lax")
    return response
