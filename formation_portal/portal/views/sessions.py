"""How long one stays signed in, and staying for longer by one press."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.views.decorators.http import require_POST, require_safe

from formation_portal.accounts.policies import AnyRequest, public
from formation_portal.accounts.session_ends import extend, only_ask

from ..session_page import session_end, told_end


@require_safe
@public
def session(request: AnyRequest) -> HttpResponse:
    """When the session ends. The page that asks by itself doesn't keep the session alive by it."""
    if request.htmx:
        only_ask(request)
        return _told(request, was_extended=False)
    if not request.user.is_authenticated:
        return redirect("account_login")
    return render(request, "portal/session.html", {"session": session_end(request)})


@require_POST
@public
def session_extension(request: AnyRequest) -> HttpResponse:
    """Stay signed in. Where the session has ended meanwhile, that is said."""
    if request.user.is_authenticated:
        extend(request)
    if request.htmx:
        return _told(request, was_extended=True)
    return redirect("portal:session" if request.user.is_authenticated else resolve_url("account_login"))


def _told(request: HttpRequest, *, was_extended: bool) -> HttpResponse:
    is_in = request.user.is_authenticated
    found = told_end(request, was_extended=was_extended) if is_in else None
    return render(request, "portal/_session_told.html", {"session": found, "is_in": is_in})
