"""Requests a minute for one key, counted by all processes of a machine together (supplement, "Limits").

They count in a small file that is never synced, so that a request costs no write to a database or a disk.
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
from django.http import HttpRequest, HttpResponse

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

    def count(self, key: int, *, limit: int, now: float) -> tuple[bool, Allowance]:
        """Counts one request; False where it is one too many. `now` is in seconds since 1970."""
        place = key * self._RECORD.size
        with self._locked() as file:
            kept = os.pread(file, self._RECORD.size, place)
            began, used = self._RECORD.unpack(kept) if len(kept) == self._RECORD.size else (0.0, 0)
            # A clock that was put back begins a new window as well.
            if not 0 <= now - began < WINDOW:
                began, used = now, 0
            os.pwrite(file, self._RECORD.pack(began, used + 1), place)
        reset = max(1, math.ceil(began + WINDOW - now))
        return used < limit, Allowance(limit=limit, remaining=max(0, limit - used - 1), reset=reset)

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


def count_request(request: HttpRequest, key: ApiKey) -> None:
    """Counts the request against its key; raises 429 when the minute's requests are used up."""
    if key.is_unlimited:
        return
    allowed, allowance = counter.count(key.pk, limit=settings.SERVICE_RATE_LIMIT, now=time.time())
    request.allowance = allowance  # type: ignore[attr-defined]
    if not allowed:
        detail = f"This key has used its {allowance.limit} requests for this minute."
        raise ApiError("rate_limited", detail, headers={"Retry-After": str(allowance.reset)})
