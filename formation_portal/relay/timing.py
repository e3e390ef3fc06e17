"""The waiting times of the relay. RELAY_PACE scales them: 1 in operation, a fraction in test campaigns."""

import random
from datetime import timedelta

from django.conf import settings

# Repeats of a call in doubt, to a service that doesn't honour keys, before an agent has to decide.
REPEATS = 2
# Repeats to a service that honours keys: harmless, but after so many something else is wrong.
KEYED_REPEATS = 20
# Lookups that must find nothing before a resource is sent again.
LOOKUPS = 2
# Consecutive calls without an answer that open the circuit breaker.
FAILURES = 5
# The retry budget: a successful retry gives back what it took, and each minute adds this many.
RETRIES = 10.0

# Times between two readings of documents' status. Not scaled: a campaign ends before the first reading.
READ_SOON = timedelta(minutes=5)
READ_RARELY = timedelta(hours=6)
READ_DAILY = timedelta(days=1)
# The time between two readings of an entity while its case waits for the service. Not scaled either.
READ_HOURLY = timedelta(hours=1)
# The seconds within which a page reads the payment URL, besides the gateway's own time-outs.
PAYMENT_PAGE_SECONDS = 5.0

# Seconds, to be scaled. A lease is longer than any call may take, so that it runs out only if the worker has died.
LEASE = 180.0
# The pause after the service has refused our key.
PAUSE = 60.0
# The pause after too many consecutive calls without an answer.
BREAK = 30.0
# The pause before a blocked row is tried again.
SHORT_PAUSE = 1.0
_SETTLE = 60.0
_FIRST_BACKOFF = 2.0
_LONGEST_BACKOFF = 900.0
_SHORTEST_BACKOFF = 0.2


def scaled(seconds: float) -> timedelta:
    return timedelta(seconds=seconds * settings.RELAY_PACE)


def settle_time(slowest: float = 0.0) -> timedelta:
    """Return a time longer than the service's slowest commit. `slowest`: seconds of the probe's slowest answer."""
    return max(scaled(_SETTLE), timedelta(seconds=2 * slowest))


def lookup_pause(times: int) -> timedelta:
    """Return the pause after this many lookups in vain: ever longer, up to a bound."""
    return scaled(min(READ_RARELY.total_seconds(), _SETTLE * 2 ** min(times, 20)))


def retries_a_second() -> float:
    return RETRIES / scaled(60.0).total_seconds()


def backoff(attempts: int, *, at_least: float | None = None) -> timedelta:
    """Return the wait after this many failed tries, with full jitter, at least as long as the service asks for."""
    ceiling = min(_LONGEST_BACKOFF, _FIRST_BACKOFF * 2 ** min(attempts, 20))
    seconds = random.uniform(0, ceiling)  # noqa: S311  # no secret depends on it
    requested = timedelta(seconds=min(_LONGEST_BACKOFF, at_least or 0.0))
    return max(scaled(max(seconds, _SHORTEST_BACKOFF)), requested)
