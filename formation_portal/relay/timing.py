"""The waiting times of the relay. RELAY_PACE scales them: 1 in operation, a fraction of it in campaigns."""

import random
from datetime import timedelta

from django.conf import settings

# Repeats of a call in doubt, to a service that doesn't honour keys, before an agent has to decide.
REPEATS = 2
# With keys a repeat is harmless; after so many in vain something else is wrong.
KEYED_REPEATS = 20
# Lookups that must find nothing before a resource is sent again.
LOOKUPS = 2
# Calls in a row without an answer that open the breaker.
FAILURES = 5
# Retries that may be made at once; a success gives back what a retry took, a minute gives this many.
RETRIES = 10.0

# Between two readings of the status of documents. Not scaled: a campaign is over before the first one.
READ_SOON = timedelta(minutes=5)
READ_RARELY = timedelta(hours=6)
READ_DAILY = timedelta(days=1)
# Between two readings of an entity while its case waits for the service. Not scaled either.
READ_HOURLY = timedelta(hours=1)
# The seconds in which a page reads where the customer pays, beside the gateway's own time-outs.
PAYMENT_PAGE_SECONDS = 5.0

# Seconds, to be scaled. A lease is longer than any call may take, so that it runs out only if the worker has died.
LEASE = 180.0
# After the service has refused our key, before one call tries again.
PAUSE = 60.0
# Nothing is sent for so long after too many calls in a row had no answer.
BREAK = 30.0
# Before a blocked row is tried again.
SHORT_PAUSE = 1.0
_SETTLE = 60.0
_FIRST_BACKOFF = 2.0
_LONGEST_BACKOFF = 900.0
_SHORTEST_BACKOFF = 0.2


def scaled(seconds: float) -> timedelta:
    return timedelta(seconds=seconds * settings.RELAY_PACE)


def settle_time(slowest: float = 0.0) -> timedelta:
    """Return a time longer than the service's slowest commit. `slowest` answer to the probe, in seconds."""
    return max(scaled(_SETTLE), timedelta(seconds=2 * slowest))


def lookup_pause(times: int) -> timedelta:
    """Return the pause between two lookups after so many in vain: ever longer, up to a bound."""
    return scaled(min(READ_RARELY.total_seconds(), _SETTLE * 2 ** min(times, 20)))


def retries_a_second() -> float:
    return RETRIES / scaled(60.0).total_seconds()


def backoff(attempts: int, *, at_least: float | None = None) -> timedelta:
    """Return the wait after so many tries in vain, with full jitter, at least as long as the service asks for."""
    ceiling = min(_LONGEST_BACKOFF, _FIRST_BACKOFF * 2 ** min(attempts, 20))
    seconds = random.uniform(0, ceiling)  # noqa: S311  # no secret hangs on it
    requested = timedelta(seconds=min(_LONGEST_BACKOFF, at_least or 0.0))
    return max(scaled(max(seconds, _SHORTEST_BACKOFF)), requested)
