"""Who may open a view. Every view declares one policy, and a test walks all addresses to see that it does.

A policy asks only who is there. Whose record it is, is asked where the record is looked up
(`Application.objects.visible_to(request.user)`), so that another's is as absent as one that never was.
"""

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
from django.utils.http import urlencode
from django.views.decorators.csrf import csrf_exempt
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from . import second_factor
from .guesses import LETTERS_OF_ACCOUNT, LETTERS_TO_ADDRESS, TooManyGuesses, take
from .models import Right, User
from .sessions import (
    GuestSession,
    find_guest_session,
    forget_if_sent,
    is_background,
    redirect_keeping_form,
    redirect_to_sign_in,
    signed_in_seconds,
)

Rest = ParamSpec("Rest")


class Policy(StrEnum):
    """The kinds of people that pages are for, and the one machine that posts here."""

    PUBLIC = "public"
    SIGNED_IN = "signed_in"
    CUSTOMER = "customer"
    INVITED = "invited"
    SIGNED = "signed"
    AGENT = "agent"


class AnyRequest(HttpRequest):
    """A request as the middleware leaves it."""

    htmx: HtmxDetails


class UserRequest(AnyRequest):
    """A request of somebody who is signed in; what the policies hand to a view."""

    user: User


class GuestRequest(AnyRequest):
    """A request of somebody who has opened a part's link in this browser; what `invited` hands to a view."""

    guest_session: GuestSession


View = Callable[Concatenate[HttpRequest, Rest], HttpResponseBase]
AnyView = Callable[Concatenate[AnyRequest, Rest], HttpResponseBase]
UserView = Callable[Concatenate[UserRequest, Rest], HttpResponseBase]
GuestView = Callable[Concatenate[GuestRequest, str, Rest], HttpResponseBase]


def public(view: AnyView[Rest]) -> View[Rest]:
    """For everybody."""
    return _declare(Policy.PUBLIC, cast(View[Rest], view))


def signed_in(view: UserView[Rest]) -> View[Rest]:
    """For everybody who is signed in, whoever it is; others sign in first and come back."""
    return _declare(Policy.SIGNED_IN, _require_sign_in(view))


def customer(view: UserView[Rest]) -> View[Rest]:
    """For people and the applications that they own or work on: the view finds records only through `visible_to`."""
    return _declare(Policy.CUSTOMER, _require_sign_in(view))


def invited(view: GuestView[Rest]) -> View[Concatenate[str, Rest]]:
    """For whoever has opened the link of a part, which the address names. Whether the code was entered, and whether the
    part is still open, the view asks where it finds it. Everybody else gets one and the same page."""

    @wraps(view)
    def guarded(request: GuestRequest, /, reference: str, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        found = find_guest_session(request, reference)
        if found is None:
            return render(request, "portal/sharing/part_unavailable.html", {"why": "unknown"}, status=404)
        request.guest_session = found
        return view(request, reference, *args, **kwargs)

    return _declare(Policy.INVITED, cast("View[Concatenate[str, Rest]]", guarded))


def agent(view: UserView[Rest]) -> View[Rest]:
    """For agents. Who needs a second factor and has not used it does so first, and comes back. Others who are signed in
    get 403, whether or not the address names a record."""

    @wraps(view)
    def guarded(request: UserRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        if not request.user.is_agent:
            raise PermissionDenied
        if second_factor.is_required(request.user) and not second_factor.has_passed(request):
            return _ask_for_second_factor(request)
        return view(request, *args, **kwargs)

    return _declare(Policy.AGENT, _require_sign_in(guarded))


def agent_with(*rights: Right) -> Callable[[UserView[Rest]], View[Rest]]:
    """For agents who have these rights. Others get 403 and read which one is missing, whatever the address names."""

    def guard(view: UserView[Rest]) -> View[Rest]:
        @wraps(view)
        def guarded(request: UserRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
            missing = [right for right in rights if not request.user.has_perm(right.permission)]
            return right_missing_page(request, missing[0]) if missing else view(request, *args, **kwargs)

        declared = agent(guarded)
        declared.rights = frozenset(rights)  # type: ignore[attr-defined]  # a mark on the function; read by `rights_of`
        return declared

    return guard


def _ask_for_second_factor(request: UserRequest) -> HttpResponse:
    def way_in(following: str) -> str:
        if second_factor.has_one(request.user):
            return f"{second_factor.way_in(request)}?{urlencode({'next': following})}"
        request.session[second_factor.AFTER_SET_UP] = following
        return second_factor.way_in(request)

    return redirect_keeping_form(request, way_in)


def recently_authenticated(view: UserView[Rest]) -> UserView[Rest]:
    """For what takes more than a session: whoever has signed in, or shown that it is them, within the last minutes
    (ACCOUNT_REAUTHENTICATION_TIMEOUT). Others do so first, by password, code or passkey. What they posted is kept, and
    done then; a page that posts by itself, or a link to a file, is opened again instead. Stands below the policy.
    """

    @wraps(view)
    def guarded(request: UserRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return redirect_to_sign_in(request)
        is_recent = signed_in_seconds(request) < settings.ACCOUNT_REAUTHENTICATION_TIMEOUT
        if is_recent or did_recently_reauthenticate(request):
            return view(request, *args, **kwargs)
        return _ask_who_it_is(request)

    return guarded


def reauthenticated(view: UserView[Rest]) -> UserView[Rest]:
    """Require the password, a code or a passkey also of those who have just signed in. Stands below the policy."""

    @wraps(view)
    def guarded(request: UserRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        return view(request, *args, **kwargs) if did_recently_reauthenticate(request) else _ask_who_it_is(request)

    return recently_authenticated(guarded)


def _ask_who_it_is(request: UserRequest) -> HttpResponse:
    if is_background(request):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    # Of a link to a file, the page that it stands on: the file itself would leave the reader where they are.
    page = urlsplit(request.htmx.current_url or request.headers.get("Referer", ""))
    following = urlunsplit(("", "", page.path, page.query, "")) if page.netloc == request.get_host() else ""
    if request.method == "POST" and not request.htmx:
        following = request.path
        kept = json.loads(serialize_request(request))
        kept["META"].pop("HTTP_COOKIE", None)
        request.session[STATE_SESSION_KEY] = {"request": json.dumps(kept)}
    else:
        # What was posted before and given up is not done now.
        request.session.pop(STATE_SESSION_KEY, None)
    way = get_adapter(request).get_reauthentication_methods(request.user)[0]["url"]
    url = f"{way}?{urlencode({'next': following or request.get_full_path()})}"
    return HttpResponseClientRedirect(url) if request.htmx else redirect(url)


def signed(view: AnyView[Rest]) -> View[Rest]:
    """For a machine that signs what it posts, which the view verifies. No cookie opens it, so that a forged page has
    nothing to use, and no token against one is asked for."""
    return _declare(Policy.SIGNED, cast(View[Rest], csrf_exempt(view)))


def policy_of(view: Callable[..., object]) -> Policy | None:
    """What a view declares, or None."""
    return getattr(view, "policy", None)


def rights_of(view: Callable[..., object]) -> frozenset[Right]:
    """The rights that a view asks of agents."""
    return getattr(view, "rights", frozenset())


def _require_sign_in(view: UserView[Rest]) -> View[Rest]:
    @wraps(view)
    def guarded(request: HttpRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return redirect_to_sign_in(request)
        return forget_if_sent(request, view(cast(UserRequest, request), *args, **kwargs))

    return guarded


def _declare(policy: Policy, view: View[Rest]) -> View[Rest]:
    view.policy = policy  # type: ignore[attr-defined]  # a mark on the function; read by `policy_of`
    return view


# More names than this are no help.
_MAX_COLLEAGUES = 5


def agents_with(right: Right) -> QuerySet[User]:
    """The active agents who have a right, by name."""
    return ModelBackend().with_perm(right.permission).filter(is_agent=True).order_by("first_name", "last_name", "email")


def right_missing_page(request: HttpRequest, right: Right) -> HttpResponse:
    """403 with the name of the right and some colleagues who have it. One query."""
    context = {"right": right, "colleagues": [one.called for one in agents_with(right)[:_MAX_COLLEAGUES]]}
    return render(request, "desk/right_missing.html", context, status=403)


def may_write_to(user: User, address: str) -> bool:
    """Count one more letter from the account to the address. Return False, and count nothing, over a limit of a day."""
    try:
        take((LETTERS_OF_ACCOUNT, str(user.pk)), (LETTERS_TO_ADDRESS, address))
    except TooManyGuesses:
        return False
    return True
