"""Forms that are posted after their session has ended, and the redirect to the sign-in page."""

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

from formation_portal.core.encryption import UnreadableError, decrypt, encrypt

from .sessions import is_background

_UNSENT = "unsent"
# Enough for the longest section of a form, but too little for flooding the table of sessions.
_MAX_UNSENT_CHARACTERS = 200_000
_UNSENT_KEPT_SECONDS = 60 * 60
# The workbench promises its users to keep nothing, so its forms are not kept.
_UNKEPT_PATH = "/workbench/"


@dataclass(frozen=True, slots=True)
class UnsentForm:
    """A form that was posted without a session. Files are not kept."""

    path: str
    controls: tuple[tuple[str, tuple[str, ...]], ...]
    had_files: bool


def redirect_to_sign_in(request: HttpRequest) -> HttpResponse:
    return redirect_keeping_form(request, resolve_url(settings.LOGIN_URL))


def redirect_keeping_form(request: HttpRequest, url: str, *, next_in_session: str = "") -> HttpResponse:
    """Redirect to a page that leads on to where the request was going. Keeps a posted form, to be sent again.

    The page at `url` gets the request's path as `next` in the query string, or in the session under `next_in_session`.
    An htmx post gets 401 instead, so that its page stays: more may have been typed there by now.
    """
    if is_background(request):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    is_htmx = bool(getattr(request, "htmx", False))
    following = request.get_full_path()
    if request.method == "POST":
        if not request.path.startswith(_UNKEPT_PATH):
            _keep_form(request, comes_back=is_htmx)
            following = resolve_url("portal:unsent")
        if is_htmx:
            return HttpResponse(status=HTTPStatus.UNAUTHORIZED)
    if next_in_session:
        request.session[next_in_session] = following
    else:
        url = f"{url}?{urlencode({'next': following})}"
    return HttpResponseClientRedirect(url) if is_htmx else redirect(url)


def unsent_form(request: HttpRequest) -> UnsentForm | None:
    """Return this browser's kept form, or None if there is none or it can't be decrypted."""
    form = request.session.get(_UNSENT)
    if form is None:
        return None
    try:
        controls = json.loads(decrypt(form["controls"], _unsent_context(form["path"])))
    except UnreadableError:
        # The form's encryption key was dropped meanwhile.
        return None
    return UnsentForm(form["path"], tuple((name, tuple(values)) for name, values in controls), form["had_files"])


def forget_unsent_form(request: HttpRequest) -> None:
    request.session.pop(_UNSENT, None)


def forget_if_sent(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Forget the unsent form if this request has now sent it to its URL."""
    # Status 422 counts too: answers that can't be parsed are saved as typed, and the page says so.
    is_taken = response.status_code < HTTPStatus.BAD_REQUEST or response.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    if request.method == "POST" and is_taken and not hasattr(request, "has_kept_form"):
        form = request.session.get(_UNSENT)
        if form and form["path"] == request.get_full_path():
            forget_unsent_form(request)
    return response


def _keep_form(request: HttpRequest, *, comes_back: bool) -> None:
    """Keep the posted form. With `comes_back`, sending the form again leads back to its page."""
    controls: list[Any] = [(name, values) for name, values in request.POST.lists() if name != "csrfmiddlewaretoken"]
    if comes_back and "update" not in request.POST:
        controls.append(("update", ["1"]))
    content = json.dumps(controls)
    path = request.get_full_path()
    if len(content) > _MAX_UNSENT_CHARACTERS or not ratelimit.consume(request, action="unsent"):
        return
    # When the user signs in, the session gets its usual length again.
    if not request.user.is_authenticated:
        request.session.set_expiry(_UNSENT_KEPT_SECONDS)
    request.has_kept_form = True  # type: ignore[attr-defined]  # tells `forget_if_sent` that the form is still unsent
    request.session[_UNSENT] = {
        "path": path,
        "controls": encrypt(content.encode(), _unsent_context(path)),
        "had_files": bool(request.FILES),
    }


def _unsent_context(path: str) -> str:
    return f"unsent form\x1f{path}"
