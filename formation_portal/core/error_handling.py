"""Show the pages of errors: 400, 403 without a CSRF token, 500, and 503 during an outage."""

import logging
import sys
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.encoding import escape_uri_path

from formation_portal.accounts.sessions import account_marker
from formation_portal.accounts.unsent_forms import UnsentForm
from formation_portal.portal.sections.changes import unsaved_replies
from formation_portal.ui.forms.form_data import recognised_answers

from .databases import Outage, outage_in

# The logger keeps the module's former name, since operators filter by it.
logger = logging.getLogger("formation_portal.faults")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 400 to a malformed request, or 413 to one that is too large."""
    if isinstance(exception, RequestDataTooBig):
        return render(request, "413.html", status=413)
    return render(request, "400.html", status=400)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 500 to an unhandled exception, or 503 with the posted form during an outage.

    The page is rendered without the request's context, since that may have failed.
    """
    error = sys.exc_info()[1]
    if outage := outage_in(error):
        response = _unavailable(request, outage)
        # Logs one line without traceback, since an outage affects every request.
        text = " ".join(str(error).split())
        logger.error("503 to %s %s: %s: %s", request.method, escape_uri_path(request.path), type(error).__name__, text)
        # Keeps Django from logging the response with its traceback.
        response._has_been_logged = True  # type: ignore[attr-defined]
        return response
    return HttpResponse(render_to_string("500.html"), status=500)


def _unavailable(request: HttpRequest, outage: Outage) -> HttpResponse:
    """Render the page of an outage without session, user and database, since these depend on what failed."""
    unsent = _unsent_form(request)
    context = {
        "outage": outage,
        "unsent": unsent,
        "typed": (*recognised_answers(unsent.controls), *unsaved_replies(request.POST)) if unsent else (),
        "path": request.get_full_path(),
        "csrf_token": get_token(request),
    }
    headers = {"Retry-After": "5", "Cache-Control": "no-store"}
    return HttpResponse(render_to_string("503.html", context), status=503, headers=headers)


def _unsent_form(request: HttpRequest) -> UnsentForm | None:
    """Return the posted form; None without one, for another site's, or for one with a password, which no page shows."""
    is_ours = getattr(request, "csrf_processing_done", False) or _is_same_origin(request)
    if request.method != "POST" or not is_ours or any("password" in name for name in request.POST):
        return None
    controls: list[tuple[str, tuple[str, ...]]] = []
    for name, values in request.POST.lists():
        if name == "slot":
            # The uploaded file is lost, so sending the form again must not upload to the slot.
            controls.append(("update", ("1",)))
        elif name != "csrfmiddlewaretoken":
            controls.append((name, tuple(map(str, values))))
    return UnsentForm(request.get_full_path(), tuple(controls), bool(request.FILES))


def csrf_failure(request: HttpRequest, reason: str = "", **_: Any) -> HttpResponse:
    """Answer 403 to a form whose token doesn't belong to the session, and offer to send it again.

    Only forms of our own pages are offered again: for another site's form, the offer would undo the token's protection.
    """
    is_ours = _is_same_origin(request)
    if is_ours and "HX-Request" in request.headers:
        # The script (saving.js) posts again with this token, if the page belongs to this account.
        content = {"token": get_token(request), "account": account_marker(request.user)}
        return JsonResponse(content, status=403)
    return render(request, "403_csrf.html", {"posted": request.POST if is_ours else None}, status=403)


def _is_same_origin(request: HttpRequest) -> bool:
    origin = f"{request.scheme}://{request.get_host()}"
    if request.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
        return False
    return request.headers.get("Origin") == origin
