"""Sessions: when one ends, what was posted after its end, and the sessions of guests.

A session ends when nobody uses it, an agent's sooner; and some hours after signing in, however much it is used. Pages
say when, and each use moves the first of both ahead. A session's row is written at most once a minute for that, so that
reading pages stays cheap. Sessions that are over are deleted each hour, with the unsent forms in them.

The browser alone has a session's key. Both tables of sessions have a digest of it (`key_digest`), and what a session
holds is encrypted bound to that digest: put into another row it opens nothing.

A form that was posted after its session had ended is kept in the browser's next one, to be sent again. It is shown only
to somebody who may open the address it was posted to, which the view that shows it checks (`unsent`).
"""

import datetime as dt
import hashlib
import json
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from http import HTTPStatus
from typing import Any, Concatenate, ParamSpec

from allauth.account.adapter import get_adapter
from allauth.account.signals import password_changed, password_reset, password_set
from allauth.account.signals import user_logged_in as allauth_logged_in
from allauth.core import ratelimit
from allauth.core.internal.sessionkit import get_session_user
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.backends import db
from django.contrib.sessions.base_session import AbstractBaseSession
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.dispatch import Signal, receiver
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, resolve_url
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.http import urlencode
from django_htmx.http import HttpResponseClientRedirect

from formation_portal.core.background import hourly_task
from formation_portal.core.encryption import UnreadableError, decrypt, encrypt, is_newest
from formation_portal.core.key_rotation import rotation_task

from .guesses import keep_device, remember_device
from .models import User

# Kept in a session: when it was used at last and when it began, and whether an agent's.
_USED_AT = "used_at"
_SIGNED_IN_AT = "signed_in_at"
_IS_AGENTS = "is_agents"
_WRITE_EVERY_SECONDS = 60
# Both tables' columns of session keys have room for this many characters.
_DIGEST_CHARACTERS = 40

Rest = ParamSpec("Rest")

logger = logging.getLogger(__name__)


def key_digest(session_key: str) -> str:
    """Return the digest that stands for a session's key in the database."""
    return hashlib.sha256(session_key.encode()).hexdigest()[:_DIGEST_CHARACTERS]


def _context(digest: str) -> str:
    return f"sessions.Session.session_data\x1f{digest}"


class SessionStore(db.SessionStore):
    """Django's, encrypted, since codes and the key of an app that is being set up stand in it; and it knows its end.
    The database finds it no longer then, whatever the browser sends."""

    @classmethod
    def from_row(cls, digest: str) -> "SessionStore":
        """Return what a row holds, as a session without a key: it is empty where the row is gone or cannot be read."""
        store = cls()
        store.update(store._read(digest) or {})
        return store

    def load(self) -> dict[str, Any]:
        content = self._read(key_digest(self.session_key)) if self.session_key else None
        if content is None:
            self._session_key = None
        return content or {}

    def _read(self, digest: str) -> dict[str, Any] | None:
        row = self.model.objects.filter(session_key=digest, expire_date__gt=timezone.now()).first()
        if row is None:
            return None
        try:
            signed = decrypt(row.session_data, _context(digest))
        except UnreadableError:
            logger.warning("A session cannot be read: its key is gone, it was altered, or it is another row's")
            return None
        return dict(self.decode(signed.decode()))

    def exists(self, session_key: str) -> bool:
        return bool(super().exists(key_digest(session_key)))

    def delete(self, session_key: str | None = None) -> None:
        if key := session_key or self.session_key:
            super().delete(key_digest(key))

    def create_model_instance(self, data: dict[str, Any]) -> AbstractBaseSession:
        row = super().create_model_instance(data)
        row.session_key = key_digest(row.session_key)
        row.session_data = encrypt(row.session_data.encode(), _context(row.session_key))
        return row

    @property
    def idle_seconds(self) -> int:
        """After so long without a use it ends."""
        if self.get(_IS_AGENTS):
            return int(settings.AGENT_SESSION_AGE)
        return int(settings.ACCOUNT_SESSION_COOKIE_AGE if self._is_kept else settings.SESSION_COOKIE_AGE)

    @property
    def ends_at(self) -> float | None:
        """Then it ends in any case; None where nobody has signed in."""
        began = self.get(_SIGNED_IN_AT)
        lifetime = settings.ACCOUNT_SESSION_COOKIE_AGE if self._is_kept else settings.SESSION_LIFETIME
        return None if began is None else float(began + lifetime)

    @property
    def _is_kept(self) -> bool:
        """A customer's who has asked to stay signed in."""
        return not self.get(_IS_AGENTS) and self.get("_session_expiry") == settings.ACCOUNT_SESSION_COOKIE_AGE

    def get_expiry_age(self, **kwargs: Any) -> int:
        """Seconds from now, or from `modification`."""
        if self.ends_at is None:
            return int(super().get_expiry_age(**kwargs))
        modified = kwargs.get("modification", timezone.now())
        return max(0, min(self.idle_seconds, int(self.ends_at - modified.timestamp())))

    def get_expiry_date(self, **kwargs: Any) -> dt.datetime:
        """The same as a moment, which is what the database keeps."""
        if self.ends_at is None:
            return super().get_expiry_date(**kwargs)
        modified: dt.datetime = kwargs.get("modification", timezone.now())
        return modified + dt.timedelta(seconds=self.get_expiry_age(modification=modified))


class SessionExpiry:
    """Counts each answered request as a use of its session, but for those that only ask how long it lasts."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        # A request that did not look into its session needs none, and one that failed may have found it away.
        if response.status_code < 500 and request.session.accessed and not is_background(request):
            used = request.session.get(_USED_AT)
            if used is not None and _now() - used >= _WRITE_EVERY_SECONDS:
                extend_session(request)
        keep_device(request, response)
        return response


def seconds_left(request: HttpRequest, *, is_used: bool = True) -> float | None:
    """Seconds until the session ends, unless it is used again; None where nobody is signed in.

    With `is_used` this request counts already.
    """
    # A request that was refused early knows no user.
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated or (used := request.session.get(_USED_AT)) is None:
        return None
    now = _now()
    counts = now if is_used and now - used >= _WRITE_EVERY_SECONDS else used
    ends = request.session.ends_at  # type: ignore[attr-defined]  # of our own store
    idle_end = float(counts + request.session.idle_seconds)  # type: ignore[attr-defined]
    return (idle_end if ends is None else min(idle_end, ends)) - now


def can_be_extended(request: HttpRequest) -> bool:
    """Whether a use moves the session's end ahead: not where it is about to end in any case."""
    ends = request.session.ends_at  # type: ignore[attr-defined]  # of our own store
    return ends is None or ends - _now() > request.session.idle_seconds  # type: ignore[attr-defined]


def extend_session(request: HttpRequest) -> None:
    """Let the session last as long as if one had just signed in, but for its end in any case."""
    now = _now()
    request.session[_USED_AT] = now
    # Of a session that a version without them has begun; nobody has just signed in.
    request.session.setdefault(_SIGNED_IN_AT, now - settings.ACCOUNT_REAUTHENTICATION_TIMEOUT)
    user = getattr(request, "user", None)
    request.session.setdefault(_IS_AGENTS, bool(getattr(user, "is_agent", False)))
    if key := request.session.session_key:
        UserSession.objects.filter(session_key=key_digest(key)).update(last_seen_at=timezone.now())


def signed_in_seconds(request: HttpRequest) -> float:
    """How long ago one has signed in to this session."""
    return float(_now() - request.session.get(_SIGNED_IN_AT, 0))


def end_sessions(user: User, *, but: str | None = None) -> None:
    """End all sessions of the account for good, also if it is opened again. The row of one may stay."""
    User.objects.filter(pk=user.pk).update(session_epoch=F("session_epoch") + 1)
    user.refresh_from_db(fields=["session_epoch"])
    end_listed(UserSession.objects.filter(user=user).exclude(session_key=key_digest(but or "")))


def end_other_sessions(request: HttpRequest, user: User) -> None:
    """The same for all but the one of this request, also those that no list has."""
    with transaction.atomic():
        end_sessions(user, but=request.session.session_key)
        # Known to the account as it is now, under another number.
        update_session_auth_hash(request, user)
        _list_session(request, user)


def listed_sessions(user: User) -> list[UserSession]:
    """Return where the account is signed in. Sessions that have ended are deleted."""
    devices = []
    for device in UserSession.objects.filter(user=user):
        if get_session_user(SessionStore.from_row(device.session_key)) is None:
            end_listed(UserSession.objects.filter(pk=device.pk))
        else:
            devices.append(device)
    return devices


def end_listed(devices: QuerySet[UserSession]) -> None:
    """End the sessions that these rows list."""
    Session.objects.filter(pk__in=list(devices.values_list("session_key", flat=True))).delete()
    devices.delete()


def _list_session(request: HttpRequest, user: User) -> None:
    """Add the session of this request to the list of the account's devices."""
    browser = request.headers.get("User-Agent", "")[: UserSession._meta.get_field("user_agent").max_length]
    UserSession.objects.update_or_create(
        session_key=key_digest(str(request.session.session_key)),
        defaults={
            "user": user,
            "ip": get_adapter().get_client_ip(request),
            "user_agent": browser,
            "last_seen_at": timezone.now(),
        },
    )


def disable(user: User) -> None:
    """Let nobody in by the account, and end its sessions for good."""
    with transaction.atomic():
        User.objects.filter(pk=user.pk).update(is_active=False)
        end_sessions(user)


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
        if request.htmx:  # type: ignore[attr-defined]  # of core.middleware.Htmx
            mark_as_background(request)
        return view(request, *args, **kwargs)

    return asked


@receiver(user_logged_in)
def _begin_session(request: HttpRequest | None, user: User, **_: Any) -> None:
    if request is not None:
        request.session[_SIGNED_IN_AT] = _now()
        request.session[_IS_AGENTS] = user.is_agent
        extend_session(request)


@receiver(allauth_logged_in)
def _list_new_session(request: HttpRequest, user: User, **_: Any) -> None:
    _list_session(request, user)


@receiver((password_changed, password_set, password_reset))
def _know_the_device(request: HttpRequest, user: User, signal: Signal, **_: Any) -> None:
    """Whoever sets a password here knows the old one, or reads the account's mail. All others are signed out: their
    sessions have died with the old password."""
    remember_device(request, user, by_reset=signal is password_reset)
    own = key_digest(request.session.session_key or "")
    end_listed(UserSession.objects.filter(user=user).exclude(session_key=own))
    if signal is not password_reset:
        _list_session(request, user)


def _now() -> float:
    return timezone.now().timestamp()


@hourly_task
def delete_expired_sessions() -> None:
    """Delete what no browser can open any more."""
    Session.objects.filter(expire_date__lt=timezone.now()).delete()
    kept = Session.objects.filter(session_key=OuterRef("session_key"))
    UserSession.objects.exclude(Exists(kept)).delete()


@rotation_task
def encrypt_anew() -> None:
    """Encrypt with the newest key what an earlier one has encrypted. What is written meanwhile stays."""
    for digest, stored in Session.objects.values_list("session_key", "session_data").iterator():
        if is_newest(stored):
            continue
        with suppress(UnreadableError):
            renewed = encrypt(decrypt(stored, _context(digest)), _context(digest))
            Session.objects.filter(pk=digest, session_data=stored).update(session_data=renewed)


_UNSENT = "unsent"
# Enough for the longest section of a form, and too little to fill a table of sessions with.
_MAX_UNSENT_CHARACTERS = 200_000
_UNSENT_KEPT_SECONDS = 60 * 60
# What is posted there is never kept, as its pages say.
_UNKEPT_PATHS = ("/workbench/",)


@dataclass(frozen=True, slots=True)
class UnsentForm:
    """A form that was posted without a session: where to, and each control with its values. Files can't be kept."""

    path: str
    controls: tuple[tuple[str, tuple[str, ...]], ...]
    had_files: bool


def redirect_to_sign_in(request: HttpRequest) -> HttpResponse:
    """To the sign-in page, and then on to where the request was going; a form's content is kept meanwhile."""
    return redirect_keeping_form(
        request, lambda following: f"{resolve_url(settings.LOGIN_URL)}?{urlencode({'next': following})}"
    )


def redirect_keeping_form(request: HttpRequest, way: Callable[[str], str]) -> HttpResponse:
    """To the address that `way` gives for what follows it: where the request was going, or what it posted.

    A page that posts by itself stays, since more may be typed there by now: 401, and it says that nothing is saved.
    One that only asks for news hears of none.
    """
    is_by_itself = bool(getattr(request, "htmx", False))
    if is_background(request):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    following = request.get_full_path()
    if request.method == "POST":
        is_kept = not request.path.startswith(_UNKEPT_PATHS)
        if is_kept:
            _keep_form(request, comes_back=is_by_itself)
        if is_by_itself:
            return HttpResponse(status=HTTPStatus.UNAUTHORIZED)
        following = resolve_url("portal:unsent") if is_kept else following
    url = way(following)
    return HttpResponseClientRedirect(url) if is_by_itself else redirect(url)


def unsent_form(request: HttpRequest) -> UnsentForm | None:
    """What this browser posted without a session, or None."""
    kept = request.session.get(_UNSENT)
    if kept is None:
        return None
    try:
        controls = json.loads(decrypt(kept["controls"], _unsent_context(kept["path"])))
    except UnreadableError:
        # Its key was dropped meanwhile.
        return None
    return UnsentForm(kept["path"], tuple((name, tuple(values)) for name, values in controls), kept["had_files"])


def forget_unsent_form(request: HttpRequest) -> None:
    """Drop what was kept."""
    request.session.pop(_UNSENT, None)


def forget_if_sent(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """The answer to a signed-in post, as it is. What was kept for its address has arrived with it, and is dropped."""
    # Also with answers that cannot be read: they are kept as typed, and the page says so.
    is_taken = response.status_code < HTTPStatus.BAD_REQUEST or response.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    if request.method == "POST" and is_taken and not hasattr(request, "has_kept_form"):
        kept = request.session.get(_UNSENT)
        if kept and kept["path"] == request.get_full_path():
            forget_unsent_form(request)
    return response


def _keep_form(request: HttpRequest, *, comes_back: bool) -> None:
    controls: list[Any] = [(name, values) for name, values in request.POST.lists() if name != "csrfmiddlewaretoken"]
    if comes_back and "update" not in request.POST:
        # No button was pressed, so sending it again leads to the same page and not onwards.
        controls.append(("update", ["1"]))
    content, path = json.dumps(controls), request.get_full_path()
    if len(content) <= _MAX_UNSENT_CHARACTERS and ratelimit.consume(request, action="unsent"):
        # For whoever signs in now; that gives the session its usual length.
        if not request.user.is_authenticated:
            request.session.set_expiry(_UNSENT_KEPT_SECONDS)
        request.has_kept_form = True  # type: ignore[attr-defined]  # it has not arrived with this request
        request.session[_UNSENT] = {
            "path": path,
            "controls": encrypt(content.encode(), _unsent_context(path)),
            "had_files": bool(request.FILES),
        }


def _unsent_context(path: str) -> str:
    return f"unsent form\x1f{path}"


def account_marker(user: User | AnonymousUser) -> str:
    """Return a digest that tells one account from another and names nobody; empty for who is not signed in."""
    return salted_hmac("formation_portal.accounts.marker", str(user.pk)).hexdigest()[:16] if user.pk else ""


_GUEST_COOKIE = settings.GUEST_COOKIE_NAME
_GUEST_SALT = "formation_portal.accounts.pass"
_GUEST_SECONDS = 12 * 60 * 60
_KNOWN, _OPENED = "known", "opened"


@dataclass(frozen=True, slots=True)
class GuestSession:
    """The session of a guest, who has no account: a signed cookie for one part's addresses alone.

    It says which round's link this browser has opened, in which epoch of the guest's sessions, and whether the code was
    entered. Whether that still counts is checked where the part is looked up.
    """

    reference: str
    round: int
    is_known: bool = False
    epoch: int = 0


def find_guest_session(request: HttpRequest, reference: str) -> GuestSession | None:
    """The browser's session for that part; None without one that we have signed, and not too long ago."""
    said = request.get_signed_cookie(_GUEST_COOKIE, default=None, salt=_GUEST_SALT, max_age=_GUEST_SECONDS)
    named, _, rest = (said or "").partition(":")
    if not said or named != reference:
        return None
    # A cookie from before there were epochs has none, which is the first.
    round_, state, epoch, *_ = [*rest.split(":"), "0"]
    return GuestSession(reference, int(round_), state == _KNOWN, int(epoch))


def start_guest_session(response: HttpResponse, session: GuestSession) -> HttpResponse:
    """Let the browser keep the session, for the part's own addresses."""
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
    """Let the browser forget its session."""
    response.delete_cookie(_GUEST_COOKIE, path=reverse("portal:part", args=[reference]), samesite="Lax")
    return response
