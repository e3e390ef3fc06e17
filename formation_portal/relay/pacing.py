"""When the service may be called at all: pauses, the breaker, calls a second, and what is left for trying again.

One row for all workers, changed only while it is locked, so that together they keep to it.
"""

import logging
from datetime import datetime, timedelta

from django.conf import settings

from . import timing
from .models import Delivery, DeliveryState, ServiceProfile
from .outcomes import NOT_AUTHORISED, Outcome

logger = logging.getLogger(__name__)

_SECOND = 1.0
# What a first try that succeeds adds to the retry budget: retries are at most a tenth of the calls.
_TENTH = 0.1


def opens_at(found: ServiceProfile, now: datetime, *, is_retry: bool = False) -> datetime:
    """The first moment at which a call may be made; `now` where it may be made at once."""
    moments = [now, *(moment for moment in (found.paused_until, found.open_until) if moment is not None)]
    times = sorted(found.recent_calls)
    if len(times) >= settings.RELAY_CALLS_PER_SECOND:
        moments.append(_moment(times[-settings.RELAY_CALLS_PER_SECOND] + _SECOND, now))
    if is_retry and (missing := 1 - _retries(found, now)) > 0:
        moments.append(now + timedelta(seconds=missing / timing.retries_a_second()))
    return max(moments)


def take(found: ServiceProfile, now: datetime, *, is_retry: bool, calls: int = 1) -> None:
    """Count what is about to be called. Where the breaker was open, it is the one that tries again."""
    if found.open_until is not None:
        found.open_until = now + timing.breaker()
    latest = sorted([*found.recent_calls, *[now.timestamp()] * calls])
    found.recent_calls = latest[-settings.RELAY_CALLS_PER_SECOND :]
    found.retries_left = _retries(found, now) - (1 if is_retry else 0)
    found.retries_at = now
    found.save(update_fields=["open_until", "recent_calls", "retries_left", "retries_at"])


def ended(found: ServiceProfile, taken_at: datetime | None, now: datetime) -> None:
    """Count a call at its end instead of its beginning: the service counts its arrival, which lies between the two."""
    if taken_at is not None:
        began = taken_at.timestamp()
        found.recent_calls = [now.timestamp() if at == began else at for at in found.recent_calls]


def learn(found: ServiceProfile, outcome: Outcome, now: datetime, *, was_retry: bool) -> None:
    """What the answer, or its lack, means for the calls to come."""
    if outcome.reason == NOT_AUTHORISED:
        _pause(found, now + timing.pause(), "key")
        logger.error(
            "The formation service rejects the portal's key (status %s, request %s): sending paused until %s",
            outcome.status,
            outcome.request_id,
            found.paused_until,
        )
    elif outcome.retry_after is not None and outcome.state == DeliveryState.WAITING:
        _pause(found, now + timedelta(seconds=outcome.retry_after), "asked")
    if outcome.has_answer:
        _answered(found, now, was_retry=was_retry)
    else:
        _not_answered(found, now)
    found.save()


def _answered(found: ServiceProfile, now: datetime, *, was_retry: bool) -> None:
    found.retries_left = min(timing.RETRIES, _retries(found, now) + (1 if was_retry else _TENTH))
    found.retries_at = now
    found.failures = 0
    if found.open_until is not None:
        found.open_until = None
        logger.warning("The formation service is answering again")
        # The others have waited for this, not for their own time.
        Delivery.objects.filter(state=DeliveryState.WAITING, next_at__gt=now).update(next_at=now)


def _not_answered(found: ServiceProfile, now: datetime) -> None:
    found.failures += 1
    if found.failures >= timing.FAILURES:
        if found.open_until is None:
            logger.error("The formation service failed to answer %s times in a row: one call at a time", found.failures)
        found.open_until = now + timing.breaker()


def _pause(found: ServiceProfile, until: datetime, reason: str) -> None:
    if found.paused_until is None or until > found.paused_until:
        found.paused_until, found.pause_reason = until, reason


def _retries(found: ServiceProfile, now: datetime) -> float:
    """What is left of the retry budget, with what time has added."""
    if found.retries_left is None or found.retries_at is None:
        return timing.RETRIES
    passed = max(0.0, (now - found.retries_at).total_seconds())
    return min(timing.RETRIES, found.retries_left + passed * timing.retries_a_second())


def _moment(seconds: float, now: datetime) -> datetime:
    return datetime.fromtimestamp(seconds, tz=now.tzinfo)
