"""Error views: 400, 403, 404, 500, and 503 during an outage. Each page says what became of the answers."""

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

_TRY_AGAIN_SECONDS = 5

# The name that operators filter by; it is older than the module's.
logger = logging.getLogger("formation_portal.faults")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400: the request itself makes no sense; 413 where it is more than we read."""
    if isinstance(exception, RequestDataTooBig):
        return render(request, "413.html", status=413)
    return render(request, "400.html", status=400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """403: signed in, but not for this."""
    return render(request, "403.html", status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404: nothing here, or nothing that is yours."""
    return render(request, "404.html", status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """500: our fault. Drawn without the request's context, which may be what failed.

    Every exception ends here, whichever view or middleware raised it. Where it tells that our records are away or
    full, that passes: 503, and what was posted is on the page.
    """
    error = sys.exc_info()[1]
    if outage := outage_in(error):
        response = _unavailable(request, outage)
        # Everybody meets an outage: a traceback for each of them would bury what else is in the log.
        said = " ".join(str(error).split())
        logger.error("503 to %s %s: %s: %s", request.method, escape_uri_path(request.path), type(error).__name__, said)
        # Django looks for this before it logs an answer with its traceback.
        response._has_been_logged = True  # type: ignore[attr-defined]
        return response
    return HttpResponse(render_to_string("500.html"), status=500)


def _unavailable(request: HttpRequest, outage: Outage) -> HttpResponse:
    """503. Drawn without session, user and database, which are what failed."""
    kept = _unsent_form(request)
    context = {
        "outage": outage,
        "unsent": kept,
        "typed": (*recognised_answers(kept.controls), *unsaved_replies(request.POST)) if kept else (),
        "path": request.get_full_path(),
        "csrf_token": get_token(request),
    }
    headers = {"Retry-After": str(_TRY_AGAIN_SECONDS), "Cache-Control": "no-store"}
    return HttpResponse(render_to_string("503.html", context), status=503, headers=headers)


def _unsent_form(request: HttpRequest) -> UnsentForm | None:
    """What was posted, if it came from a page of ours and holds no password, which must not stand in a page."""
    is_ours = getattr(request, "csrf_processing_done", False) or _is_same_origin(request)
    if request.method != "POST" or not is_ours or any("password" in name for name in request.POST):
        return None
    controls = tuple(
        # The file that was chosen at a slot is gone, so its button is not pressed again.
        ("update", ("1",)) if name == "slot" else (name, tuple(map(str, values)))
        for name, values in request.POST.lists()
        if name != "csrfmiddlewaretoken"
    )
    return UnsentForm(request.get_full_path(), controls, bool(request.FILES))


def csrf_failure(request: HttpRequest, reason: str = "", **_: Any) -> HttpResponse:
    """403: the form's token doesn't fit the session; what was typed is shown again, to be sent once more.

    Only what came from a page of ours: to offer a stranger's form again would do what the token prevents.
    """
    is_ours = _is_same_origin(request)
    if is_ours and "HX-Request" in request.headers:
        # A script posts once more with this token, if the page is the account's (saving.js).
        content = {"token": get_token(request), "account": account_marker(request.user)}
        return JsonResponse(content, status=403)
    posted = request.POST if is_ours else None
    return render(request, "403_csrf.html", {"posted": posted}, status=403)


def _is_same_origin(request: HttpRequest) -> bool:
    own = f"{request.scheme}://{request.get_host()}"
    return (
        request.headers.get("Origin") == own and request.headers.get("Sec-Fetch-Site", "same-origin") == "same-origin"
    )
