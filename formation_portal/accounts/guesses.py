"""Limits of guesses of passwords and codes, counted for all processes together and before anything is hashed.

A browser that has signed in before has a count of its own; all other browsers share the account's count. An IP address
is slowed down but never blocked, since many people may sign in from it.
"""

import datetime as dt
import hashlib
import ipaddress
import math
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from babel.dates import format_timedelta
from django.conf import settings
from django.core import signing
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import get_language, gettext

from formation_portal.core.background import hourly_task

from .cookies import YEAR_SECONDS, set_year_cookie
from .models import GuessCount, User

_SALT = "formation_portal.accounts.guesses"
_MINUTES = 60
_DAY = 24 * 60 * 60
# The leading bits of an IPv6 address that all machines of a customer share.
_IPV6_NETWORK = 64


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit of `most` guesses in any `seconds`. With `spacing`, more may follow, one every so many seconds."""

    name: str
    most: int
    seconds: int
    spacing: int = 0

    def wait(self, times: list[float], now: float) -> float:
        """Return the seconds until the next guess is allowed; 0 or less means at once."""
        recent = [at for at in times if at > now - self.seconds]
        if len(recent) < self.most:
            return 0
        if self.spacing:
            return recent[-1] + self.spacing - now
        return recent[-self.most] + self.seconds - now


# Guesses of an account's password: by all unknown browsers together, and by each known browser.
ACCOUNT = Limit("account", 5, 5 * _MINUTES)
DEVICE = Limit("device", 5, 5 * _MINUTES)
# Guesses of all accounts' passwords from one IP address.
ADDRESS = Limit("address", 10, 5 * _MINUTES, spacing=10)
# Guesses of second-factor codes: in a sign-in, which lasts a quarter of an hour, and for the account.
SIGN_IN_CODES = Limit("codes of a sign-in", 5, 15 * _MINUTES)
ACCOUNT_CODES = Limit("codes of an account", 5, 5 * _MINUTES)
DAILY_CODES = Limit("codes of a day", 50, _DAY)
# Guesses of a code that was sent to an e-mail address.
SENT_CODE = Limit("sent code", 5, 15 * _MINUTES)
# E-mails that reset a password, to an e-mail address and from an IP address. Links already sent still work.
RESET_EMAILS = Limit("reset letters", 5, 60 * _MINUTES)
RESET_ADDRESS = Limit("reset letters from an address", 20, 5 * _MINUTES, spacing=5)
# E-mails to other people: from one account, and to one address.
EMAILS_OF_ACCOUNT = Limit("letters of an account", 100, _DAY)
EMAILS_TO_ADDRESS = Limit("letters to an address", 10, _DAY)

# A limit, and the account, address or device that it holds for.
Bucket = tuple[Limit, str]


class TooManyGuesses(ValidationError):
    """An error for a guess that was not checked. The next guess is allowed in `seconds`."""

    def __init__(self, seconds: float) -> None:
        self.seconds = max(1, math.ceil(seconds))
        wait = format_timedelta(dt.timedelta(seconds=self.seconds), threshold=1.5, locale=get_language() or "en")
        super().__init__(gettext("Too many attempts. Wait %(time)s, then try again.") % {"time": wait}, code="too_many")


def take(*buckets: Bucket) -> float:
    """Count a guess in every bucket and return its time. If a bucket is full, raise TooManyGuesses without counting."""
    keys = {_key(bucket): bucket[0] for bucket in buckets}
    # The first check takes no lock, so that continued guessing does not block other writers.
    _raise_if_full(keys, dict(GuessCount.objects.filter(key__in=keys).values_list("key", "times")))
    with transaction.atomic():
        GuessCount.objects.bulk_create(
            [GuessCount(key=key, until=timezone.now()) for key in sorted(keys)], ignore_conflicts=True
        )
        counts = list(GuessCount.objects.select_for_update().filter(key__in=keys).order_by("key"))
        now = _raise_if_full(keys, {count.key: count.times for count in counts})
        for count in counts:
            limit = keys[count.key]
            count.times = [*count.times, now][-limit.most :]
            count.until = timezone.now() + dt.timedelta(seconds=limit.seconds)
        GuessCount.objects.bulk_update(counts, ["times", "until"])
    return now


def give_back(taken_at: float, *buckets: Bucket) -> None:
    """Uncount the guess that `take` counted at this time, since the secret was right. Other guesses stay counted."""
    with transaction.atomic():
        counts = list(GuessCount.objects.select_for_update().filter(key__in=map(_key, buckets)))
        for count in counts:
            # Later guesses may have pushed this time out of the list.
            with suppress(ValueError):
                count.times.remove(taken_at)
        GuessCount.objects.bulk_update(counts, ["times"])


@contextmanager
def counted(*buckets: Bucket) -> Iterator[None]:
    """Count a guess while the block checks it, and uncount it unless the block raises an error."""
    taken_at = take(*buckets)
    yield
    give_back(taken_at, *buckets)


def _raise_if_full(keys: dict[str, Limit], times: dict[str, list[float]]) -> float:
    now = time.time()
    wait = max(limit.wait(times.get(key, []), now) for key, limit in keys.items())
    if wait > 0:
        raise TooManyGuesses(wait)
    return now


def _key(bucket: Bucket) -> str:
    limit, owner = bucket
    return salted_hmac(_SALT, f"{limit.name}|{owner}", algorithm="sha256").hexdigest()


@hourly_task
def delete_old_counts() -> None:
    GuessCount.objects.filter(until__lt=timezone.now()).delete()


def password_buckets(request: HttpRequest, email: str, user: User | None) -> tuple[Bucket, ...]:
    if device := _device_of(request, user):
        return ((DEVICE, device),)
    return ((ACCOUNT, email), (ADDRESS, client_address(request)))


def code_buckets(request: HttpRequest, user: User) -> tuple[Bucket, ...]:
    """Return a second-factor guess's buckets. A browser known only by a password reset shares the account's count."""
    owner = _device_of(request, user)
    if not owner or owner.startswith(f"{user.pk}|{_BY_RESET}"):
        owner = str(user.pk)
    return ((ACCOUNT_CODES, owner), (DAILY_CODES, owner))


def client_address(request: HttpRequest) -> str:
    """Return the client's IP address as trusted proxies report it; for IPv6, the customer's network."""
    address = str(request.META.get("REMOTE_ADDR", ""))
    with suppress(ValueError):
        return str(ipaddress.IPv6Network((address, _IPV6_NETWORK), strict=False))
    return address


_COOKIE = "device"
# The most accounts for which a browser is known.
_MOST_ACCOUNTS = 5
# The prefix of the identifier of a browser that is known only by a password reset.
_BY_RESET = "reset:"


def remember_device(request: HttpRequest, user: User, *, by_reset: bool = False) -> None:
    """Let the response mark the browser as known for this account, until the account's password changes."""
    request.device_of = user  # type: ignore[attr-defined]  # read by `keep_device`
    request.device_by_reset = by_reset  # type: ignore[attr-defined]


def keep_device(request: HttpRequest, response: HttpResponseBase) -> None:
    """Set the cookie that marks the browser as known, if `remember_device` was called."""
    user: User | None = getattr(request, "device_of", None)
    if user is None:
        return
    accounts = _known_accounts(request)
    device = secrets.token_urlsafe(12)
    if request.device_by_reset:  # type: ignore[attr-defined]  # set by `remember_device`
        # A browser that was known before keeps its identifier, and so its count of guesses.
        earlier = [identifier for account, identifier, _ in accounts if account == user.pk]
        device = earlier[0] if earlier else _BY_RESET + device
    accounts = [account for account in accounts if account[0] != user.pk]
    accounts.append([user.pk, device, _password_mark(user)])
    set_year_cookie(response, _cookie_name(), signing.dumps(accounts[-_MOST_ACCOUNTS:], salt=_SALT))


def _device_of(request: HttpRequest, user: User | None) -> str:
    """Return the known browser's identifier for the account, or "" if the browser is unknown."""
    if user is not None:
        for account, device, mark in _known_accounts(request):
            if account == user.pk and mark == _password_mark(user):
                return f"{account}|{device}"
    return ""


def _known_accounts(request: HttpRequest) -> list[list[Any]]:
    try:
        return list(signing.loads(request.COOKIES.get(_cookie_name(), ""), salt=_SALT, max_age=YEAR_SECONDS))
    except signing.BadSignature:
        return []


def _password_mark(user: User) -> str:
    """Return a digest that changes with the account's password."""
    return hashlib.sha256(user.password.encode()).hexdigest()[:16]


def _cookie_name() -> str:
    return f"__Host-{_COOKIE}" if settings.SESSION_COOKIE_SECURE else _COOKIE
