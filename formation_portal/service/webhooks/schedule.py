"""When a delivery is tried again, and when it is given up (supplement, "Events")."""

import random
from datetime import timedelta

_WAITS = (
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    *(timedelta(hours=hours) for hours in (2, 5, 10, 14, 20, 24)),
)
MOST_TRIES = len(_WAITS) + 1
# Spreads the tries after an outage, so that they don't all come in one instant.
_JITTER = 0.1
# A try has an address to look up and POST_SECONDS for everything else; nobody else takes it meanwhile.
LEASE = timedelta(minutes=3)
# A try isn't begun when its lease is nearly over, as after the process was asleep.
MARGIN = timedelta(minutes=1)
# Later events of an entity wait behind an earlier one that was tried so often: through an outage of two hours and a
# half. After that they go ahead, so that one that is never taken holds up no other for days.
PATIENT_TRIES = 4


def wait_after(tries: int) -> timedelta | None:
    """How long to wait after so many tries in vain; None where there are no more."""
    if tries >= MOST_TRIES:
        return None
    return _WAITS[tries - 1] * random.uniform(1, 1 + _JITTER)  # noqa: S311  # no secret hangs on it
