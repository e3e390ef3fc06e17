"""Requests a minute for one key, counted in this process (supplement, "Limits").

Counting in memory costs no write; with several server processes each one counts for itself.
"""

import math
import threading
import time
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from formation_portal.service.models import ApiKey
from formation_portal.service.problems import Refusal

WINDOW = 60


@dataclass(frozen=True, slots=True)
class Allowance:
    """How many requests a minute a key has, how many are left in this minute, and for how many seconds it lasts."""

    limit: int
    remaining: int
    reset: int

    def add_to(self, response: HttpResponse) -> None:
        """The headers of the IETF draft, in its newest form and in the one that most clients read."""
        response["RateLimit-Policy"] = f'"minute";q={self.limit};w={WINDOW}'
        response["RateLimit"] = f'"minute";r={self.remaining};t={self.reset}'
        response["RateLimit-Limit"] = str(self.limit)
        response["RateLimit-Remaining"] = str(self.remaining)
        response["RateLimit-Reset"] = str(self.reset)


class Counter:
    """Counts requests by key in windows of a minute, each beginning with the key's first request."""

    def __init__(self) -> None:
        self._windows: dict[int, tuple[float, int]] = {}
        self._lock = threading.Lock()

    def count(self, key: int, *, limit: int, now: float) -> tuple[bool, Allowance]:
        """Counts one request; False where it is one too many. `now` is in seconds of a clock that never goes back."""
        with self._lock:
            began, used = self._windows.get(key, (now, 0))
            if now - began >= WINDOW:
                began, used = now, 0
            self._windows[key] = (began, used + 1)
        reset = max(1, math.ceil(began + WINDOW - now))
        return used < limit, Allowance(limit=limit, remaining=max(0, limit - used - 1), reset=reset)

    def forget(self) -> None:
        """Begins anew, for all keys."""
        with self._lock:
            self._windows.clear()


counter = Counter()


def take(request: HttpRequest, key: ApiKey) -> None:
    """Counts the request against its key; raises 429 when the minute's requests are used up."""
    if key.is_unlimited:
        return
    allowed, allowance = counter.count(key.pk, limit=settings.SERVICE_RATE_LIMIT, now=time.monotonic())
    request.allowance = allowance  # type: ignore[attr-defined]
    if not allowed:
        detail = f"This key has used up its {allowance.limit} requests of this minute."
        raise Refusal("rate_limited", detail, headers={"Retry-After": str(allowance.reset)})
