"""The way through sign-in and back. A form that was posted after its session had ended is kept, to be sent again.

It is kept in the browser's session, and shown again only to somebody who may open the address it was posted to, which
the view that shows it checks (`unsent`).
"""

import json
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from allauth.core import ratelimit
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, resolve_url
from django.utils.http import urlencode
from django_htmx.http import HttpResponseClientRedirect

from .sessions import is_background

_KEY = "unsent"
# Enough for the longest section of a form, and too little to fill a table of sessions with.
_MAX_CHARACTERS = 200_000
_KEPT_SECONDS = 60 * 60


@dataclass(frozen=True, slots=True)
class UnsentForm:
    """A form that was posted without a session: where to, and each control with its values. Files can't be kept."""

    path: str
    controls: tuple[tuple[str, tuple[str, ...]], ...]
    had_files: bool


def redirect_to_sign_in(request: HttpRequest) -> HttpResponse:
    """To the sign-in page, and then on to where the request was going; a form's content is kept meanwhile.

    A page that posts by itself stays, since more may be typed there by now: 401, and it says that nothing is saved.
    One that only asks for news hears of none.
    """
    is_by_itself = bool(getattr(request, "htmx", False))
    if is_background(request):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    following = request.get_full_path()
    if request.method == "POST":
        _keep_form(request, comes_back=is_by_itself)
        if is_by_itself:
            return HttpResponse(status=HTTPStatus.UNAUTHORIZED)
        following = resolve_url("portal:unsent")
    url = f"{resolve_url(settings.LOGIN_URL)}?{urlencode({'next': following})}"
    return HttpResponseClientRedirect(url) if is_by_itself else redirect(url)


def unsent_form(request: HttpRequest) -> UnsentForm | None:
    """What this browser posted without a session, or None."""
    kept = request.session.get(_KEY)
    if kept is None:
        return None
    controls = tuple((name, tuple(values)) for name, values in kept["controls"])
    return UnsentForm(kept["path"], controls, kept["had_files"])


def forget_unsent_form(request: HttpRequest) -> None:
    """Drop what was kept."""
    request.session.pop(_KEY, None)


def forget_if_sent(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """The answer to a signed-in post, as it is. What was kept for its address has arrived with it, and is dropped."""
    # Also with answers that cannot be read: they are kept as typed, and the page says so.
    is_taken = response.status_code < HTTPStatus.BAD_REQUEST or response.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    if request.method == "POST" and is_taken:
        kept = request.session.get(_KEY)
        if kept and kept["path"] == request.get_full_path():
            forget_unsent_form(request)
    return response


def _keep_form(request: HttpRequest, *, comes_back: bool) -> None:
    controls: list[Any] = [(name, values) for name, values in request.POST.lists() if name != "csrfmiddlewaretoken"]
    if comes_back and "update" not in request.POST:
        # No button was pressed, so sending it again leads to the same page and not onwards.
        controls.append(("update", ["1"]))
    if len(json.dumps(controls)) <= _MAX_CHARACTERS and ratelimit.consume(request, action="unsent"):
        # For whoever signs in now; that gives the session its usual length.
        request.session.set_expiry(_KEPT_SECONDS)
        request.session[_KEY] = {
            "path": request.get_full_path(),
            "controls": controls,
            "had_files": bool(request.FILES),
        }
