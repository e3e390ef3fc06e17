"""A cache in Redis or Valkey (CACHE_URL) that machines share. During an outage the database's cache replaces it."""

import json
import logging
import time
from typing import Any

from django.core.cache import caches
from django.core.cache.backends.redis import RedisCache
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

logger = logging.getLogger(__name__)

# The longest wait of a request for the cache.
_PATIENCE_SECONDS = 0.25
# The pause after the cache did not answer. Locks of allauth that are still in the cache expire within this time.
_PAUSE_SECONDS = 10.0


class _Outage:
    """The state of an outage, shared by the threads of a process."""

    def __init__(self) -> None:
        self._is_on = False
        self._until = 0.0

    def has_pause(self) -> bool:
        """Tell whether it is too early to try the cache again."""
        return self._is_on and time.monotonic() < self._until

    def begin(self, error: Exception) -> None:
        if not self._is_on:
            logger.warning("The cache does not answer (%s): the database counts", type(error).__name__)
        self._is_on = True
        self._until = time.monotonic() + _PAUSE_SECONDS

    def end(self) -> None:
        if self._is_on:
            logger.warning("The cache answers again")
        self._is_on = False


_outage = _Outage()


def _or_database(name: str) -> Any:
    """Return a method that calls the Redis cache, or the database's cache during an outage."""

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
    """Django's cache for Redis, with short waits and the database's cache during an outage."""

    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        options = {
            # JSON instead of pickles, with which anybody who can write to the cache could run code here.
            "serializer": json,
            "socket_connect_timeout": _PATIENCE_SECONDS,
            "socket_timeout": _PATIENCE_SECONDS,
            # Retries once on a new connection: a restarted server has closed the old one.
            "retry": Retry(NoBackoff(), 1),
        }
        super().__init__(server, {**params, "OPTIONS": {**options, **params.get("OPTIONS", {})}})

    add, get, set, touch, delete = map(_or_database, ("add", "get", "set", "touch", "delete"))
    has_key, get_many, set_many, delete_many = map(_or_database, ("has_key", "get_many", "set_many", "delete_many"))

    def count(self, key: str, *, seconds: int) -> int | None:
        """Return the number of calls with this key within `seconds`, on all machines together; None if it can't count.

        The database's cache can't count for simultaneous processes.
        """
        if _outage.has_pause():
            return None
        try:
            RedisCache.add(self, key, 0, seconds)
            count: int = RedisCache.incr(self, key)
        except ValueError:
            # A full cache may evict the key between the two calls.
            return None
        except RedisError as error:
            _outage.begin(error)
            return None
        _outage.end()
        return count

    def trouble(self) -> str:
        """Explain why the cache can't be written to, in a line without its URL. Return "" if it can."""
        try:
            RedisCache.set(self, "started", 1, 60)
        except RedisError as error:
            return next(iter(str(error).strip().splitlines()), type(error).__name__)
        return ""
