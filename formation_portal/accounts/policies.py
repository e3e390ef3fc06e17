"""Policies: decorators that say who may use a view. The view itself looks up only records that the user may see."""

import json
from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from http import HTTPStatus
from typing import Concatenate, ParamSpec, cast
from urllib.parse import urlsplit, urlunsplit

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.reauthentication import (
    STATE_SESSION_KEY,
    did_recently_reauthenticate,
)
from allauth.core.internal.httpkit import serialize_request
from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.csrf import csrf_exempt
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from . import second_factor
from .guesses import EMAILS_OF_ACCOUNT, EMAILS_TO_ADDRESS, TooManyGuesses, take
from .guest_sessions import GuestSession, find_guest_session
from .models import Right, User
from .sessions import is_background, signed_in_seconds
from .unsent_forms import forget_if_sent, redirect_keeping_form, redirect_to_sign_in

Rest = ParamSpec("Rest")


class Policy(StrEnum):
    PUBLIC = "public"
    SIGNED_IN = "signed_in"
    CUSTOMER = "customer"
    INVITED = "invited"
    SIGNED = "signed"
    AGENT = "agent"


class AnyRequest(HttpRequest):
    htmx: HtmxDetails


class UserRequest(AnyRequest):
    user: User


class GuestRequest(AnyRequest):
    """A request of a guest who has opened a part's link in this browser."""

    guest_session: GuestSession


View = Callable[Concatenate[HttpRequest, Rest], HttpResponseBase]
AnyView = Callable[Concatenate[AnyRequest, Rest], HttpResponseBase]
UserView = Callable[Concatenate[UserRequest, Rest], HttpResponseBase]
GuestView = Callable[Concatenate[GuestRequest, str, Rest], HttpResponseBase]


def public(view: AnyView[Rest]) -> View[Rest]:
    view.policy = Policy.PUBLIC  # type: ignore[attr-defined]  # a mark on the function
    return cast(View[Rest], view)


def signed_in(view: UserView[Rest]) -> View[Rest]:
    """Let every user in. Visitors sign in first and come back."""
    return _require_sign_in(view, Policy.SIGNED_IN)


def customer(view: UserView[Rest]) -> View[Rest]:
    """Let every user in. By `visible_to`, the view finds only applications that the user owns or works on."""
    return _require_sign_in(view, Policy.CUSTOMER)


def invited(view: GuestView[Rest]) -> View[Concatenate[str, Rest]]:
    """Let a guest in who has opened the link of the part that the URL names.

    The view checks whether the code was entered, and whether the part is still open.
    """

    @wraps(view)
    def guarded(request: GuestRequest, /, reference: str, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        guest_session = find_guest_session(request, reference)
        if guest_session is None:
            return render(request, "portal/sharing/part_unavailable.html", {"why": "unknown"}, status=404)
        request.guest_session = guest_session
        return view(request, reference, *args, **kwargs)

    guarded.policy = Policy.INVITED  # type: ignore[attr-defined]  # a mark on the function
    return cast("View[Concatenate[str, Rest]]", guarded)


def agent_with(*rights: Right) -> Callable[[UserView[Rest]], View[Rest]]:
    """Let agents in who have these rights, once they have used their second factor.

    Other users get 403 even if the URL names no record. Agents are told which right is missing.
    """

    def decorator(view: UserView[Rest]) -> View[Rest]:
        @wraps(view)
        def guarded(request: UserRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
            if not request.user.is_agent:
                raise PermissionDenied
            if second_factor.is_required(request.user) and not second_factor.is_verified(request):
                url = second_factor.second_factor_url(request)
                next_in_session = second_factor.AFTER_SET_UP if url == reverse("mfa_index") else ""
                return redirect_keeping_form(request, url, next_in_session=next_in_session)
            for right in rights:
                if not request.user.has_perm(right.permission):
                    return right_missing_page(request, right)
            return view(request, *args, **kwargs)

        declared = _require_sign_in(guarded, Policy.AGENT)
        declared.rights = frozenset(rights)  # type: ignore[attr-defined]  # a mark on the function
        return declared

    return decorator


agent = agent_with()


def signed(view: AnyView[Rest]) -> View[Rest]:
    """Let a machine post signed content; the view verifies the signature. Cookies are not used, so no CSRF token is
    needed."""
    declared = csrf_exempt(view)
    declared.policy = Policy.SIGNED  # type: ignore[attr-defined]  # a mark on the function
    return cast(View[Rest], declared)


def _require_sign_in(view: UserView[Rest], policy: Policy) -> View[Rest]:
    @wraps(view)
    def guarded(request: HttpRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return redirect_to_sign_in(request)
        return forget_if_sent(request, view(cast(UserRequest, request), *args, **kwargs))

    guarded.policy = policy  # type: ignore[attr-defined]  # a mark on the function
    return guarded


def recently_authenticated(view: UserView[Rest]) -> UserView[Rest]:
    """Require that the user has signed in or reauthenticated within ACCOUNT_REAUTHENTICATION_TIMEOUT. Otherwise a POST
    is kept and carried out after reauthentication. Stands below the policy."""

    @wraps(view)
    def guarded(request: UserRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return redirect_to_sign_in(request)
        is_recent = signed_in_seconds(request) < settings.ACCOUNT_REAUTHENTICATION_TIMEOUT
        if is_recent or did_recently_reauthenticate(request):
            return view(request, *args, **kwargs)
        return _ask_to_reauthenticate(request)

    return guarded


def reauthenticated(view: UserView[Rest]) -> UserView[Rest]:
    """Require the password, a code or a passkey even from users who have just signed in. Stands below the policy."""

    @wraps(view)
    def guarded(request: UserRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        if not did_recently_reauthenticate(request):
            return _ask_to_reauthenticate(request)
        return view(request, *args, **kwargs)

    return recently_authenticated(guarded)


def _ask_to_reauthenticate(request: UserRequest) -> HttpResponse:
    if is_background(request):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    if request.method == "POST" and not request.htmx:
        following = request.path
        posted = json.loads(serialize_request(request))
        posted["META"].pop("HTTP_COOKIE", None)
        request.session[STATE_SESSION_KEY] = {"request": json.dumps(posted)}
    else:
        # A link to a file leads back to the page with the link: a download would leave the reader on the password page.
        page = urlsplit(request.htmx.current_url or request.headers.get("Referer", ""))
        following = urlunsplit(("", "", page.path, page.query, "")) if page.netloc == request.get_host() else ""
        # An earlier POST whose user never reauthenticated is not carried out now.
        request.session.pop(STATE_SESSION_KEY, None)
    method = get_adapter(request).get_reauthentication_methods(request.user)[0]
    url = f"{method['url']}?{urlencode({'next': following or request.get_full_path()})}"
    return HttpResponseClientRedirect(url) if request.htmx else redirect(url)


# The most names of colleagues that the page lists.
_MAX_COLLEAGUES = 5


def agents_with(right: Right) -> QuerySet[User]:
    return ModelBackend().with_perm(right.permission).filter(is_agent=True).order_by("first_name", "last_name", "email")


def right_missing_page(request: HttpRequest, right: Right) -> HttpResponse:
    """Render a 403 with the name of the right and some colleagues who have it."""
    colleagues = [colleague.called for colleague in agents_with(right)[:_MAX_COLLEAGUES]]
    return render(request, "desk/right_missing.html", {"right": right, "colleagues": colleagues}, status=403)


def may_write_to(user: User, address: str) -> bool:
    """Count an e-mail from the account to the address. Return False if a daily limit is exceeded."""
    try:
        take((EMAILS_OF_ACCOUNT, str(user.pk)), (EMAILS_TO_ADDRESS, address))
    except TooManyGuesses:
        return False
    return True
