"""How far the service's clock is ahead of ours, as the `Date` of its answers tells, and a word to the operator.

A clock that is far off breaks what hangs on time, on one side or the other: webhooks are refused, keys run out early.
The embedded service has no clock of its own and says no `Date`.
"""

import logging
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

log = logging.getLogger(__name__)

# Seconds; webhooks older or younger than this are refused.
MAX_SKEW = 300.0


class ClockSkew:
    """Remembers the latest difference; says once when it becomes too large, and once when it is well again."""

    def __init__(self) -> None:
        self._ahead: float | None = None
        self._is_too_large = False
        self._lock = threading.Lock()

    def observe(self, headers: Mapping[str, str], *, now: datetime) -> None:
        """Compare an answer's `Date` with `now`, the moment at which it came. An answer without one tells nothing."""
        said = _sent_at(headers)
        if said is None:
            return
        ahead = (said - now).total_seconds()
        with self._lock:
            self._ahead = ahead
            was_far, self._is_too_large = self._is_too_large, abs(ahead) > MAX_SKEW
            if self._is_too_large and not was_far:
                gap = f"{round(abs(ahead)):,} seconds {'ahead of' if ahead > 0 else 'behind'}"
                log.error("The formation service's clock is %s ours: correct the wrong one", gap)
            elif was_far and not self._is_too_large:
                log.warning("The formation service's clock matches ours again")

    def seconds_ahead(self) -> float | None:
        """By how much the service is ahead of us (negative: behind), to the second; None while nothing tells."""
        return self._ahead

    def reset(self) -> None:
        """As if nothing had been heard yet."""
        with self._lock:
            self._ahead, self._is_too_large = None, False


_clock = ClockSkew()
observe, seconds_ahead, reset = _clock.observe, _clock.seconds_ahead, _clock.reset


def _sent_at(headers: Mapping[str, str]) -> datetime | None:
    # What a cache has kept for a while says when it was made, not what time it is.
    if "Age" in headers:
        return None
    try:
        said = parsedate_to_datetime(headers.get("Date", ""))
    except (TypeError, ValueError, OverflowError):
        return None
    return said if said.tzinfo else said.replace(tzinfo=UTC)
