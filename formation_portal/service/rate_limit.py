"""Requests a minute for one key, counted by all processes together (supplement, "Limits").

With CACHE_URL the shared cache counts. Without it, and while it is away, PostgreSQL does, by its own clock; on SQLite,
which has one machine, a small file that is never synced, so that a request costs no write to a database or a disk.
"""

import fcntl
import math
import os
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.core.cache import caches
from django.db import connections
from django.http import HttpRequest, HttpResponse

from formation_portal.core.databases import SERVICE
from formation_portal.service.models import ApiKey
from formation_portal.service.problems import ApiError

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
    """Counts requests by key in windows of a minute, each beginning with the key's first request.

    The file holds a record for each key, at the key's number: when its window began, and how many requests it has had.
    """

    _RECORD = struct.Struct("dq")

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        # The system's lock is between processes, this one between the threads of one.
        self._lock = threading.Lock()

    def count(self, key: int, *, now: float) -> tuple[int, float]:
        """Counts one request: which of its window it is, and in how many seconds that ends. `now` is since 1970."""
        place = key * self._RECORD.size
        with self._locked() as file:
            kept = os.pread(file, self._RECORD.size, place)
            began, used = self._RECORD.unpack(kept) if len(kept) == self._RECORD.size else (0.0, 0)
            # A clock that was put back begins a new window as well.
            if not 0 <= now - began < WINDOW:
                began, used = now, 0
            os.pwrite(file, self._RECORD.pack(began, used + 1), place)
        return used + 1, began + WINDOW - now

    def reset(self) -> None:
        """Begins anew, for all keys."""
        with self._locked() as file:
            os.ftruncate(file, 0)

    @contextmanager
    def _locked(self) -> Iterator[int]:
        path = self._path or Path(settings.SERVICE_RATE_FILE)
        with self._lock:
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(file, fcntl.LOCK_EX)
                yield file
            finally:
                os.close(file)


counter = Counter()

# One statement, so that two requests in one moment count as two.
_COUNT = """
INSERT INTO service_requestcount AS kept (api_key_id, began_at, used) VALUES (%(key)s, clock_timestamp(), 1)
ON CONFLICT (api_key_id) DO UPDATE SET
    began_at = CASE WHEN kept.began_at > excluded.began_at - %(window)s * interval '1 second'
               THEN kept.began_at ELSE excluded.began_at END,
    used = CASE WHEN kept.began_at > excluded.began_at - %(window)s * interval '1 second'
           THEN kept.used + 1 ELSE 1 END
RETURNING used, extract(epoch FROM began_at - clock_timestamp()) + %(window)s
"""


def count_in_postgresql(key: int) -> tuple[int, float]:
    """As `Counter.count`, for all machines; by the server's clock."""
    with connections[SERVICE].cursor() as cursor:
        cursor.execute(_COUNT, {"key": key, "window": WINDOW})
        used, seconds = cursor.fetchone()
    return used, float(seconds)


def count_in_shared_cache(key: int, *, now: float) -> tuple[int, float] | None:
    """As `Counter.count`, for all machines, in the minutes of the clock; None where there is no such cache, or it is
    away."""
    # Only the shared cache can (core/servers/shared_cache.py).
    count = getattr(caches["default"], "count", None)
    used = count and count(f"requests:{key}:{now // WINDOW:.0f}", seconds=2 * WINDOW)
    return (used, WINDOW - now % WINDOW) if used else None


def count_request(request: HttpRequest, key: ApiKey) -> None:
    """Counts the request against its key; raises 429 when the minute's requests are used up."""
    if key.is_unlimited:
        return
    now, limit = time.time(), settings.SERVICE_RATE_LIMIT
    counted = count_in_shared_cache(key.pk, now=now)
    if counted is None:
        is_shared = connections[SERVICE].vendor == "postgresql"
        counted = count_in_postgresql(key.pk) if is_shared else counter.count(key.pk, now=now)
    used, seconds = counted
    allowance = Allowance(limit=limit, remaining=max(0, limit - used), reset=max(1, math.ceil(seconds)))
    request.allowance = allowance  # type: ignore[attr-defined]
    if used > limit:
        detail = f"This key has used its {limit} requests for this minute."
        raise ApiError("rate_limited", detail, headers={"Retry-After": str(allowance.reset)})
