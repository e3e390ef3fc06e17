"""Sessions of users: their end, their encryption, and the list of an account's devices. Only the browser holds a
session's key. The tables of sessions and of devices hold the key's digest, to which encrypted content is bound."""

import datetime as dt
import hashlib
import logging
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast

from allauth.account.adapter import get_adapter
from allauth.account.signals import password_changed, password_reset, password_set
from allauth.account.signals import user_logged_in as allauth_logged_in
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
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.deprecation import MiddlewareMixin

from formation_portal.core.background import hourly_task
from formation_portal.core.encryption import UnreadableError, decrypt, encrypt, has_newest_key
from formation_portal.core.key_rotation import in_batches, rotation_task

from .guesses import keep_device, remember_device
from .models import User

# The entries of a session: the time of its last use, the time of signing in, and a mark of agents' sessions.
_USED_AT = "used_at"
_SIGNED_IN_AT = "signed_in_at"
_IS_AGENTS = "is_agents"
_WRITE_EVERY_SECONDS = 60
# Both tables' columns of session keys have room for this many characters.
_DIGEST_CHARACTERS = 40

Rest = ParamSpec("Rest")

logger = logging.getLogger(__name__)


def key_digest(session_key: str) -> str:
    return hashlib.sha256(session_key.encode()).hexdigest()[:_DIGEST_CHARACTERS]


def _encryption_context(digest: str) -> str:
    return f"sessions.Session.session_data\x1f{digest}"


class SessionStore(db.SessionStore):
    """Store sessions encrypted, since they hold codes and keys, and with a latest end that no use postpones."""

    @classmethod
    def from_row(cls, digest: str) -> "SessionStore":
        """Read a row as a session without a key, empty if the row is gone, has expired or cannot be read."""
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
            signed = decrypt(row.session_data, _encryption_context(digest))
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
        row.session_data = encrypt(row.session_data.encode(), _encryption_context(row.session_key))
        return row

    @property
    def idle_seconds(self) -> int:
        """Return the seconds without use after which the session ends."""
        if self.get(_IS_AGENTS):
            return int(settings.AGENT_SESSION_AGE)
        if self._is_remembered:
            return int(settings.ACCOUNT_SESSION_COOKIE_AGE)
        return int(settings.SESSION_COOKIE_AGE)

    @property
    def ends_at(self) -> float | None:
        """Return the time when the session ends even if used, or None while nobody has signed in."""
        signed_in_at = self.get(_SIGNED_IN_AT)
        if signed_in_at is None:
            return None
        if self._is_remembered:
            return float(signed_in_at + settings.ACCOUNT_SESSION_COOKIE_AGE)
        return float(signed_in_at + settings.SESSION_LIFETIME)

    @property
    def _is_remembered(self) -> bool:
        return not self.get(_IS_AGENTS) and self.get("_session_expiry") == settings.ACCOUNT_SESSION_COOKIE_AGE

    def get_expiry_age(self, **kwargs: Any) -> int:
        """Return the seconds until the session ends, from now or from `modification`."""
        if self.ends_at is None:
            return int(super().get_expiry_age(**kwargs))
        modified = kwargs.get("modification", timezone.now())
        return max(0, min(self.idle_seconds, int(self.ends_at - modified.timestamp())))

    def get_expiry_date(self, **kwargs: Any) -> dt.datetime:
        modified: dt.datetime = kwargs.setdefault("modification", timezone.now())
        return modified + dt.timedelta(seconds=self.get_expiry_age(**kwargs))


class SessionExpiry(MiddlewareMixin):
    """Count each answered request as a use of its session, except background requests."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        # A request that did not read its session needs none, and a failed request may not have reached the database.
        if response.status_code < 500 and request.session.accessed and not is_background(request):
            used_at = request.session.get(_USED_AT)
            if used_at is not None and _now() - used_at >= _WRITE_EVERY_SECONDS:
                extend_session(request)
        keep_device(request, response)
        return response


def seconds_left(request: HttpRequest, *, is_used: bool = True) -> float | None:
    """Return the seconds until the session ends if it is not used again; None if nobody is signed in.

    With `is_used` this request already counts as a use.
    """
    # A request refused by an early middleware has no `user`.
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated or _USED_AT not in request.session:
        return None
    session = cast(SessionStore, request.session)
    used_at = session[_USED_AT]
    now = _now()
    if is_used and now - used_at >= _WRITE_EVERY_SECONDS:
        used_at = now
    ends_at = float(used_at + session.idle_seconds)
    if session.ends_at is not None:
        ends_at = min(ends_at, session.ends_at)
    return ends_at - now


def can_be_extended(request: HttpRequest) -> bool:
    session = cast(SessionStore, request.session)
    return session.ends_at is None or session.ends_at - _now() > session.idle_seconds


def extend_session(request: HttpRequest) -> None:
    request.session[_USED_AT] = _now()
    if key := request.session.session_key:
        UserSession.objects.filter(session_key=key_digest(key)).update(last_seen_at=timezone.now())


def signed_in_seconds(request: HttpRequest) -> float:
    return float(_now() - request.session.get(_SIGNED_IN_AT, 0))


def end_sessions(user: User, *, but: str | None = None) -> None:
    """End all sessions of the account for good. Keeps only the row of the session with the key `but`."""
    User.objects.filter(pk=user.pk).update(session_epoch=F("session_epoch") + 1)
    user.refresh_from_db(fields=["session_epoch"])
    end_listed(UserSession.objects.filter(user=user).exclude(session_key=key_digest(but or "")))


def end_other_sessions(request: HttpRequest, user: User) -> None:
    """End all other sessions of the account. The current session gets a new key."""
    with transaction.atomic():
        end_sessions(user, but=request.session.session_key)
        update_session_auth_hash(request, user)
        _list_session(request, user)


def listed_sessions(user: User) -> list[UserSession]:
    """Return the devices on which the account is signed in. Deletes devices whose session has ended."""
    devices = []
    for device in UserSession.objects.filter(user=user):
        if get_session_user(SessionStore.from_row(device.session_key)) is None:
            end_listed(UserSession.objects.filter(pk=device.pk))
        else:
            devices.append(device)
    return devices


def end_listed(devices: QuerySet[UserSession]) -> None:
    Session.objects.filter(pk__in=list(devices.values_list("session_key", flat=True))).delete()
    devices.delete()


def _list_session(request: HttpRequest, user: User) -> None:
    max_length = UserSession._meta.get_field("user_agent").max_length
    UserSession.objects.update_or_create(
        session_key=key_digest(str(request.session.session_key)),
        defaults={
            "user": user,
            "ip": get_adapter().get_client_ip(request),
            "user_agent": request.headers.get("User-Agent", "")[:max_length],
            "last_seen_at": timezone.now(),
        },
    )


def disable(user: User) -> None:
    with transaction.atomic():
        User.objects.filter(pk=user.pk).update(is_active=False)
        end_sessions(user)


def mark_as_background(request: HttpRequest) -> None:
    """Mark a request as sent by the page itself, which does not count as a use of the session."""
    request.is_background = True  # type: ignore[attr-defined]


def is_background(request: HttpRequest) -> bool:
    return hasattr(request, "is_background")


def background_request(
    view: Callable[Concatenate[HttpRequest, Rest], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, Rest], HttpResponseBase]:
    """Decorate a view that pages poll: its htmx requests are no uses of the session. Stands above the policy."""

    @wraps(view)
    def wrapper(request: HttpRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        if request.htmx:  # type: ignore[attr-defined]  # set by core.middleware.Htmx
            mark_as_background(request)
        return view(request, *args, **kwargs)

    return wrapper


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
def _remember_after_password_change(request: HttpRequest, user: User, signal: Signal, **_: Any) -> None:
    """Remember the browser in which a password was set, and forget all other sessions."""
    remember_device(request, user, by_reset=signal is password_reset)
    own = key_digest(request.session.session_key or "")
    end_listed(UserSession.objects.filter(user=user).exclude(session_key=own))
    if signal is not password_reset:
        _list_session(request, user)


def _now() -> float:
    return timezone.now().timestamp()


@hourly_task
def delete_expired_sessions() -> None:
    Session.objects.filter(expire_date__lt=timezone.now()).delete()
    sessions = Session.objects.filter(session_key=OuterRef("session_key"))
    UserSession.objects.exclude(Exists(sessions)).delete()


@rotation_task
def reencrypt() -> None:
    """Encrypt sessions of earlier keys with the newest key."""
    for row in in_batches(Session.objects.all()):
        digest, stored = row.session_key, row.session_data
        if has_newest_key(stored):
            continue
        with suppress(UnreadableError):
            renewed = encrypt(decrypt(stored, _encryption_context(digest)), _encryption_context(digest))
            Session.objects.filter(pk=digest, session_data=stored).update(session_data=renewed)


def account_marker(user: User | AnonymousUser) -> str:
    """Return a digest that tells accounts apart; "" if nobody is signed in."""
    if user.pk is None:
        return ""
    return salted_hmac("formation_portal.accounts.marker", str(user.pk)).hexdigest()[:16]
