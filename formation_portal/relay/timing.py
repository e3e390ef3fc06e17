"""How long the relay waits, and for what. RELAY_PACE scales it all: 1 in life, a fraction of it in campaigns."""

import random
from datetime import timedelta

from django.conf import settings

# Re-sends of what may have arrived, to a service that doesn't honour keys, before an agent has to decide.
REPEATS = 2
# With keys a repeat is harmless; after so many in vain something else is wrong.
KEYED_REPEATS = 20
# Lookups that must find nothing before it is sent again.
LOOKUPS = 2
# Calls in a row without an answer that open the breaker.
FAILURES = 5
# Retries that may be made at once; a success gives back what a retry took, a minute gives this many.
RETRIES = 10.0

# Between two readings of the status of documents. Not scaled: a campaign is over before the first one.
READ_SOON, READ_RARELY, READ_DAILY = timedelta(minutes=5), timedelta(hours=6), timedelta(days=1)
# Between two readings of an entity while its case waits for the service. Not scaled either.
READ_HOURLY = timedelta(hours=1)
# The seconds in which a page reads where the customer pays, beside the gateway's own time-outs.
PAYMENT_PAGE_SECONDS = 5.0

# Longer than any call may take, so that a lease runs out only where the worker has died.
_LEASE, _SETTLE, _PAUSE, _BREAK = 180.0, 60.0, 60.0, 30.0
_FIRST, _LONGEST, _SHORTEST = 2.0, 900.0, 0.2


def lease() -> timedelta:
    """How long a worker has a row to itself."""
    return _scaled(_LEASE)


def settle_time(slowest: float = 0.0) -> timedelta:
    """Longer than the service's slowest commit: only then it is known that nothing more comes of a lost call.

    `slowest` is the slowest answer that the probe has seen, in seconds.
    """
    return max(_scaled(_SETTLE), timedelta(seconds=2 * slowest))


def pause() -> timedelta:
    """After the service has refused our key, one call tries again."""
    return _scaled(_PAUSE)


def short_pause() -> timedelta:
    """When to try a blocked row again."""
    return _scaled(1.0)


def breaker_time() -> timedelta:
    """How long nothing is sent after too many calls in a row had no answer."""
    return _scaled(_BREAK)


def lookup_pause(times: int) -> timedelta:
    """Between two lookups of what only the service can show, after so many in vain: ever longer, up to a bound."""
    return _scaled(min(READ_RARELY.total_seconds(), _SETTLE * 2 ** min(times, 20)))


def retries_a_second() -> float:
    """How fast the retry budget fills up."""
    return RETRIES / _scaled(60.0).total_seconds()


def backoff(attempts: int, *, at_least: float | None = None) -> timedelta:
    """How long to wait after so many tries in vain: with full jitter, at least what the service asks for.

    Jitter keeps many applications from coming back in the same instant. What the service asks for is not scaled.
    """
    ceiling = min(_LONGEST, _FIRST * 2 ** min(attempts, 20))
    drawn = random.uniform(0, ceiling)  # noqa: S311  # no secret hangs on it
    return max(_scaled(max(drawn, _SHORTEST)), timedelta(seconds=min(_LONGEST, at_least or 0.0)))


def _scaled(seconds: float) -> timedelta:
    return timedelta(seconds=seconds * settings.RELAY_PACE)
