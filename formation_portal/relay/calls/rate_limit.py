"""Limit the calls to the service by pauses, a circuit breaker, a rate and a retry budget, all in one ServiceProfile."""

import logging
from datetime import datetime, timedelta

from django.conf import settings

from .. import timing
from ..models import Delivery, DeliveryState, Reason, ServiceProfile
from .outcomes import CallOutcome

logger = logging.getLogger(__name__)

# Added to the retry budget by a first try that succeeds: retries are at most a tenth of the calls.
_BUDGET_PER_SUCCESS = 0.1


def opens_at(stored: ServiceProfile, now: datetime, *, is_retry: bool = False) -> datetime:
    opens = max(now, stored.paused_until or now, stored.open_until or now)
    times = sorted(stored.recent_calls)
    if len(times) >= settings.RELAY_CALLS_PER_SECOND:
        full_until = times[-settings.RELAY_CALLS_PER_SECOND] + 1.0
        opens = max(opens, datetime.fromtimestamp(full_until, tz=now.tzinfo))
    missing = 1 - _retries_left(stored, now)
    if is_retry and missing > 0:
        opens = max(opens, now + timedelta(seconds=missing / timing.retries_a_second()))
    return opens


def count_calls(stored: ServiceProfile, now: datetime, *, is_retry: bool, calls: int = 1) -> None:
    """Count calls that are about to be made. If the circuit breaker is open, this is its only trial for a while."""
    if stored.open_until is not None:
        stored.open_until = now + timing.scaled(timing.BREAK)
    latest = sorted([*stored.recent_calls, *[now.timestamp()] * calls])
    stored.recent_calls = latest[-settings.RELAY_CALLS_PER_SECOND :]
    stored.retries_left = _retries_left(stored, now) - int(is_retry)
    stored.retries_at = now
    stored.save(update_fields=["open_until", "recent_calls", "retries_left", "retries_at"])


def count_at_end(stored: ServiceProfile, counted_at: datetime | None, now: datetime) -> None:
    """Count a call at its end instead of its beginning: the service counts it on arrival, between the two."""
    if counted_at is not None:
        began = counted_at.timestamp()
        stored.recent_calls = [now.timestamp() if time == began else time for time in stored.recent_calls]


def record_outcome(stored: ServiceProfile, outcome: CallOutcome, now: datetime, *, was_retry: bool) -> None:
    """Record what an answer, or the lack of an answer, means for later calls."""
    if outcome.reason == Reason.NOT_AUTHORISED:
        _pause(stored, now + timing.scaled(timing.PAUSE), "key")
        logger.error(
            "The formation service rejects the portal's key (status %s, request %s): sending paused until %s",
            outcome.status,
            outcome.request_id,
            stored.paused_until,
        )
    elif outcome.retry_after is not None and outcome.state == DeliveryState.WAITING:
        _pause(stored, now + timedelta(seconds=outcome.retry_after), "asked")
    if outcome.has_answer:
        refill = 1 if was_retry else _BUDGET_PER_SUCCESS
        stored.retries_left = min(timing.RETRIES, _retries_left(stored, now) + refill)
        stored.retries_at = now
        stored.failures = 0
        if stored.open_until is not None:
            stored.open_until = None
            logger.warning("The formation service is answering again")
            # The other rows have only waited for the service to answer again.
            Delivery.objects.filter(state=DeliveryState.WAITING, next_at__gt=now).update(next_at=now)
    else:
        stored.failures += 1
        if stored.failures >= timing.FAILURES:
            if stored.open_until is None:
                logger.error(
                    "The formation service failed to answer %s times in a row: one call at a time", stored.failures
                )
            stored.open_until = now + timing.scaled(timing.BREAK)
    stored.save()


def _pause(stored: ServiceProfile, until: datetime, reason: str) -> None:
    if stored.paused_until is None or until > stored.paused_until:
        stored.paused_until = until
        stored.pause_reason = reason


def _retries_left(stored: ServiceProfile, now: datetime) -> float:
    """Return the rest of the retry budget, with the retries added over time."""
    if stored.retries_left is None or stored.retries_at is None:
        return timing.RETRIES
    passed = max(0.0, (now - stored.retries_at).total_seconds())
    return min(timing.RETRIES, stored.retries_left + passed * timing.retries_a_second())
