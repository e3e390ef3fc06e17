"""How long the relay waits, and for what."""

import random
from datetime import timedelta

# Longer than any call may take, so that a lease runs out only where the worker has died.
LEASE = timedelta(seconds=180)
# Longer than the service's slowest commit: only then it is known that nothing more comes of a lost call.
SETTLE = timedelta(seconds=60)
# After the service has refused our key, one call tries again.
PAUSE = timedelta(seconds=60)
# How often what may have arrived is sent again, with the same key, before an agent has to look.
REPEATS = 2

_FIRST, _LONGEST = 2.0, 900.0


def backoff(attempts: int, *, at_least: float | None = None) -> timedelta:
    """How long to wait after so many tries in vain: with full jitter, at least what the service asks for.

    Jitter keeps many applications from coming back in the same instant.
    """
    ceiling = min(_LONGEST, _FIRST * 2 ** min(attempts, 20))
    seconds = random.uniform(0, ceiling)  # noqa: S311  # no secret hangs on it
    return timedelta(seconds=min(_LONGEST, max(seconds, at_least or 0.0, 0.2)))
