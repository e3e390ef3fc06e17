"""The cache that machines share, Redis or Valkey (CACHE_URL). While it doesn't answer, the database's takes its place.

Nothing in it is worth keeping: it counts attempts and calls. So an outage refuses nobody, and fails no request.
"""

import json
import logging
import threading
import time
from typing import Any

from django.core.cache import caches
from django.core.cache.backends.redis import RedisCache
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

logger = logging.getLogger(__name__)

# How long a request waits for it at most.
_PATIENCE_SECONDS = 0.25
# It is left alone for so long after it did not answer. No lock of allauth's, which it may still hold, lasts longer.
_PAUSE_SECONDS = 10.0


class _Outage:
    """What all threads of a process know of an outage; its beginning and its end are a line each in the log."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_on = False
        self._until = 0.0

    def has_pause(self) -> bool:
        """Whether it is too early to ask again."""
        return self._is_on and time.monotonic() < self._until

    def begin(self, error: Exception) -> None:
        """It did not answer, or refused."""
        with self._lock:
            if not self._is_on:
                logger.warning("The cache does not answer (%s): the database counts", type(error).__name__)
            self._is_on, self._until = True, time.monotonic() + _PAUSE_SECONDS

    def end(self) -> None:
        """It has answered."""
        if not self._is_on:
            return
        with self._lock:
            if self._is_on:
                logger.warning("The cache answers again")
            self._is_on = False


_outage = _Outage()


class _PlainValues:
    """Values as JSON: whoever can write to the cache must not be able to run code here, as pickles would let them."""

    def dumps(self, value: Any) -> Any:
        return json.dumps(value)

    def loads(self, data: bytes) -> Any:
        return json.loads(data)


def _or_database(name: str) -> Any:
    """The method of Redis's cache; in an outage the one of the database's."""

    def method(self: "SharedCache", *args: Any, **kwargs: Any) -> Any:
        if not _outage.has_pause():
            try:
                answer = getattr(RedisCache, name)(self, *args, **kwargs)
            except RedisError as error:
                _outage.begin(error)
            else:
                _outage.end()
                return answer
        return getattr(caches["database"], name)(*args, **kwargs)

    return method


class SharedCache(RedisCache):
    """Django's own for Redis, with short waits."""

    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        options = {
            "serializer": _PlainValues(),
            "socket_connect_timeout": _PATIENCE_SECONDS,
            "socket_timeout": _PATIENCE_SECONDS,
            # Once more on a new connection: the old one is closed where the server was started anew.
            "retry": Retry(NoBackoff(), 1),
        }
        super().__init__(server, {**params, "OPTIONS": {**options, **params.get("OPTIONS", {})}})

    add, get, set, touch, delete = map(_or_database, ("add", "get", "set", "touch", "delete"))
    has_key, get_many, set_many, delete_many = map(_or_database, ("has_key", "get_many", "set_many", "delete_many"))

    def count(self, key: str, *, seconds: int) -> int | None:
        """How often this was called with the key within the time, at once for all machines; None in an outage.

        The database's cache has no way of counting that two processes can use at once.
        """
        if _outage.has_pause():
            return None
        try:
            RedisCache.add(self, key, 0, seconds)
            counted: int = RedisCache.incr(self, key)
        except ValueError:
            # The key was taken out between the two, as in a full cache.
            return None
        except RedisError as error:
            _outage.begin(error)
            return None
        _outage.end()
        return counted


def trouble() -> str:
    """Why it can't be written to, in a line without its address; empty where it can."""
    cache = caches["default"]
    try:
        if isinstance(cache, SharedCache):
            RedisCache.set(cache, "started", 1, 60)
    except RedisError as error:
        return next(iter(str(error).strip().splitlines()), type(error).__name__)
    return ""
