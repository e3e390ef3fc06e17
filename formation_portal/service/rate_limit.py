"""Limit the requests of each key per minute, over all processes. The count is in the shared cache, in PostgreSQL or,
with SQLite, in a small file that is never synced."""

import fcntl
import math
import os
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

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
    """A key's limit of requests per minute, the requests left in this minute and the seconds until it ends."""

    limit: int
    remaining: int
    reset: int

    def add_to(self, response: HttpResponse) -> None:
        """Set the RateLimit headers of the IETF draft, in its newest form and in the form that most clients read."""
        response["RateLimit-Policy"] = f'"minute";q={self.limit};w={WINDOW}'
        response["RateLimit"] = f'"minute";r={self.remaining};t={self.reset}'
        response["RateLimit-Limit"] = str(self.limit)
        response["RateLimit-Remaining"] = str(self.remaining)
        response["RateLimit-Reset"] = str(self.reset)


class Counter:
    """A counter in a file, which holds the start of each key's minute and the key's requests in it."""

    _RECORD = struct.Struct("dq")

    def __init__(self) -> None:
        # The file's own lock works between processes, this lock between threads.
        self._lock = threading.Lock()

    def count(self, key: int, *, now: float) -> tuple[int, float]:
        """Count a request. Return its number in the key's minute and the seconds left of it. `now` is a Unix time."""
        offset = key * self._RECORD.size
        began = 0.0
        used = 0
        with self._locked() as file:
            record = os.pread(file, self._RECORD.size, offset)
            if len(record) == self._RECORD.size:
                began, used = self._RECORD.unpack(record)
            # A new window also begins if the clock was put back.
            if not 0 <= now - began < WINDOW:
                began = now
                used = 0
            os.pwrite(file, self._RECORD.pack(began, used + 1), offset)
        return used + 1, began + WINDOW - now

    @contextmanager
    def _locked(self) -> Iterator[int]:
        with self._lock:
            file = os.open(settings.SERVICE_RATE_FILE, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(file, fcntl.LOCK_EX)
                yield file
            finally:
                os.close(file)


counter = Counter()

# A single statement, so that simultaneous requests are all counted.
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
    """Count a request for all machines, by the database server's clock."""
    with connections[SERVICE].cursor() as cursor:
        cursor.execute(_COUNT, {"key": key, "window": WINDOW})
        used, seconds = cursor.fetchone()
    return used, float(seconds)


def count_in_shared_cache(key: int, *, now: float) -> tuple[int, float] | None:
    """Count a request for all machines, in minutes of the clock. Return None if no shared cache can be reached."""
    # Only the shared cache has this method (core/servers/shared_cache.py).
    count = getattr(caches["default"], "count", None)
    used = count and count(f"requests:{key}:{now // WINDOW:.0f}", seconds=2 * WINDOW)
    if not used:
        return None
    return used, WINDOW - now % WINDOW


def count_request(request: HttpRequest, key: ApiKey) -> None:
    """Count a request. Raise 429 if the key's requests for this minute are used up."""
    if key.is_unlimited:
        return
    now = time.time()
    limit = settings.SERVICE_RATE_LIMIT
    count = count_in_shared_cache(key.pk, now=now)
    if count is None and connections[SERVICE].vendor == "postgresql":
        count = count_in_postgresql(key.pk)
    elif count is None:
        count = counter.count(key.pk, now=now)
    used, seconds = count
    allowance = Allowance(limit=limit, remaining=max(0, limit - used), reset=max(1, math.ceil(seconds)))
    request.allowance = allowance  # type: ignore[attr-defined]
    if used > limit:
        detail = f"This key has used its {limit} requests for this minute."
        raise ApiError("rate_limited", detail, headers={"Retry-After": str(allowance.reset)})
