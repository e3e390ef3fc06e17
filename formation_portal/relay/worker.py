"""Run the worker, which makes every call that is due, then sleeps. Any number of workers may run on one database."""

import logging
import signal
import time
from datetime import datetime
from types import FrameType

from django.db import close_old_connections, connections
from django.db.models import Min, Q
from django.utils import timezone

from formation_portal.core.databases import DATABASE_AWAY

from .calls import rate_limit
from .calls.sending import make_next_call
from .document_status import read_due_documents
from .entity_status import read_due_entities
from .models import Delivery, DeliveryState, Reason, ServiceProfile
from .service_profile import service_address
from .wake import RELAY

logger = logging.getLogger(__name__)

POLL_SECONDS = 1.0
# Short, since a page waits for the relay for RELAY_WAIT_MS.
SQLITE_POLL_SECONDS = 0.1
# The time between two searches for documents and entities whose status is to be read.
READING_POLL_SECONDS = 30.0
# A row may be due and yet wait for something other than time, such as the retry budget.
SHORTEST_IDLE = 0.02
BATCH_SIZE = 50


class Worker:
    """A worker that makes calls until `stop`; a call that has begun is finished first."""

    def __init__(self) -> None:
        # Not a lock, since the signal handler may interrupt the very code that holds the lock.
        self._is_stopped = False
        self._readings_due_at = 0.0

    def run(self) -> None:
        """Work until stopped, despite any error: unfinished work stays in the database."""
        is_reactivated = False
        with RELAY.listen() as listener:
            logger.info("The relay is running")
            while not self._is_stopped:
                try:
                    if not is_reactivated:
                        _reactivate_resting()
                        is_reactivated = True
                    idle = 0.0 if self.work_once() else _idle_seconds()
                    self._poll_readings()
                except DATABASE_AWAY as error:
                    logger.error("The database did not answer; retrying shortly: %s", error)
                    connections.close_all()
                    idle = POLL_SECONDS
                close_old_connections()
                if idle and not self._is_stopped and listener is not None:
                    listener.wait(idle)
                elif idle and not self._is_stopped:
                    time.sleep(min(idle, SQLITE_POLL_SECONDS))
        logger.info("The relay has stopped")

    def work_through(self) -> int:
        """Make every call that is due now and return their number. Rows that have to wait are left waiting."""
        _reactivate_resting()
        calls = 0
        while new_calls := self.work_once():
            calls += new_calls
        return calls

    def work_once(self) -> int:
        """Make a call for each application that has a row due, and return the number of calls."""
        calls = 0
        rows = Delivery.objects.filter(next_at__lte=timezone.now())
        due = rows.values("application_id").annotate(since=Min("next_at")).order_by("since")
        for application_id in list(due.values_list("application_id", flat=True)[:BATCH_SIZE]) or _breaker_trial():
            now = timezone.now()
            if self._is_stopped or _opens_at(now) > now:
                break
            try:
                calls += make_next_call(application_id) is not None
            except DATABASE_AWAY:
                raise
            except Exception:
                # An error in one application must not stop the others. Its call, if it was made, is in doubt when the
                # lease ends.
                logger.exception("Unexpected error in the relay, application %s", application_id)
        return calls

    def _poll_readings(self) -> None:
        if time.monotonic() < self._readings_due_at:
            return
        self._readings_due_at = time.monotonic() + READING_POLL_SECONDS
        for read in (read_due_documents, read_due_entities):
            try:
                read()
            except DATABASE_AWAY:
                raise
            except Exception:
                logger.exception("Unexpected error in the relay in %s", read.__name__)

    def stop(self, _signal: int = 0, _frame: FrameType | None = None) -> None:
        self._is_stopped = True

    def stop_on_signals(self) -> None:
        signal.signal(signal.SIGTERM, self.stop)
        signal.signal(signal.SIGINT, self.stop)


def _breaker_trial() -> list[int]:
    """Make the first waiting row due if the circuit breaker allows a trial. Return the application's id, if any."""
    now = timezone.now()
    if not ServiceProfile.objects.filter(base_url=service_address(), open_until__lte=now).exists():
        return []
    first = Delivery.objects.filter(state=DeliveryState.WAITING).order_by("next_at", "pk").first()
    if first is None:
        return []
    Delivery.objects.filter(pk=first.pk, state=DeliveryState.WAITING).update(next_at=now)
    return [first.application_id]


def _opens_at(now: datetime) -> datetime:
    """Return when the service may be called. This only saves work: the claim checks again, under the lock."""
    stored = ServiceProfile.objects.filter(base_url=service_address()).first() or ServiceProfile()
    return rate_limit.opens_at(stored, now)


def _idle_seconds() -> float:
    """Return the time until a row is due and may be sent: at most a second, since others may make rows due."""
    now = timezone.now()
    first = Delivery.objects.filter(next_at__isnull=False).aggregate(first=Min("next_at"))["first"]
    if first is None:
        return POLL_SECONDS
    seconds: float = (max(first, _opens_at(now)) - now).total_seconds()
    return min(POLL_SECONDS, max(SHORTEST_IDLE, seconds))


def _reactivate_resting() -> None:
    """Make due the rows that could not be sent before a restart, which may have brought new settings."""
    resting = Q(state=DeliveryState.QUEUED) | Q(state=DeliveryState.HELD, reason=Reason.UNSUPPORTED)
    Delivery.objects.filter(resting, next_at=None).update(next_at=timezone.now())


def drain() -> int:
    """Make every possible call, even before its time, for tests. Return the number of calls."""
    tried: set[int] = set()
    calls = 0
    rows = Delivery.objects.exclude(state__in=(DeliveryState.DONE, DeliveryState.REFUSED), recheck=False)
    open_applications = rows.order_by("application_id").values_list("application_id", flat=True).distinct()
    for application_id in list(open_applications):
        while result := make_next_call(application_id, is_eager=True, tried=tried):
            calls += 1
            row_id, row = result
            if row is None or row.recheck or row.state not in (DeliveryState.DONE, DeliveryState.QUEUED):
                tried.add(row_id)
    return calls
