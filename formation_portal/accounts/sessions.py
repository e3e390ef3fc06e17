"""When a session ends that nobody uses. Pages say so, and each use moves the end ahead.

A session's row is written at most once a minute for that, so that reading pages stays cheap. Sessions that are over are
deleted each hour, with the unsent forms in them.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.models import Session
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone

from formation_portal.core.background import hourly_task

_KEY = "used_at"
_WRITE_EVERY_SECONDS = 60

Rest = ParamSpec("Rest")


class SessionExpiry:
    """Counts each answered request as a use of its session, but for those that only ask how long it lasts."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        # A request that did not look into its session needs none, and one that failed may have found it away.
        if response.status_code < 500 and request.session.accessed and not is_background(request):
            used = request.session.get(_KEY)
            if used is not None and _now() - used >= _WRITE_EVERY_SECONDS:
                extend_session(request)
        return response


def seconds_left(request: HttpRequest, *, is_used: bool = True) -> float | None:
    """Seconds until the session ends, unless it is used again; None where nobody is signed in.

    With `is_used` this request counts already.
    """
    # A request that was refused early knows no user.
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated or (used := request.session.get(_KEY)) is None:
        return None
    now = _now()
    counts = now if is_used and now - used >= _WRITE_EVERY_SECONDS else used
    return float(counts + request.session.get_expiry_age() - now)


def extend_session(request: HttpRequest) -> None:
    """Let the session last as long as if one had just signed in."""
    request.session[_KEY] = _now()


def mark_as_background(request: HttpRequest) -> None:
    """This request is no use of the session: the page makes it by itself."""
    request.only_asks_for_session = True  # type: ignore[attr-defined]  # read by the middleware


def is_background(request: HttpRequest) -> bool:
    """Whether the page makes this request by itself, and nobody waits for the answer."""
    return hasattr(request, "only_asks_for_session")


def background_request(
    view: Callable[Concatenate[HttpRequest, Rest], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, Rest], HttpResponseBase]:
    """For a view that pages ask for news: no use of the session; and where nobody is signed in any more there is none,
    so that the page stays with what is typed on it. Stands before the policy."""

    @wraps(view)
    def asked(request: HttpRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        if request.headers.get("HX-Request"):
            mark_as_background(request)
        return view(request, *args, **kwargs)

    return asked


@receiver(user_logged_in)
def _begin_session(request: HttpRequest | None, **_: Any) -> None:
    if request is not None:
        extend_session(request)


def _now() -> float:
    return timezone.now().timestamp()


@hourly_task
def delete_expired_sessions() -> None:
    """Delete what no browser can open any more."""
    Session.objects.filter(expire_date__lt=timezone.now()).delete()
