"""The sender: a thread that posts what is due, until it is told to stop. As many as one likes may run."""

import contextlib
import logging
import threading
import time
from collections.abc import Iterator

from django.db import close_old_connections, connections
from django.db.utils import InterfaceError, OperationalError

from formation_portal.service.webhooks.clearing import clear_old
from formation_portal.service.webhooks.posting import POST_SECONDS
from formation_portal.service.webhooks.sending import send_due

logger = logging.getLogger(__name__)

POLL_SECONDS = 1.0
_CLEAR_SECONDS = 3600.0
_DATABASE_AWAY = (OperationalError, InterfaceError)


class Sender:
    """Runs until it is told to stop; an event that is being posted is posted first."""

    def __init__(self) -> None:
        self._stopped = threading.Event()
        self._clears_at = 0.0

    def run(self) -> None:
        """Work until stopped, over whatever goes wrong: what is not done stays in the database."""
        try:
            while not self._stopped.is_set():
                self._work_once()
                close_old_connections()
                self._stopped.wait(POLL_SECONDS)
        finally:
            connections.close_all()

    def stop(self) -> None:
        """End after the event that is being posted."""
        self._stopped.set()

    def _work_once(self) -> None:
        try:
            if time.monotonic() >= self._clears_at:
                self._clears_at = time.monotonic() + _CLEAR_SECONDS
                clear_old()
            send_due(may_go_on=lambda: not self._stopped.is_set())
        except _DATABASE_AWAY as error:
            logger.error("The service's database did not answer; looking again in a moment: %s", type(error).__name__)
            connections.close_all()
        except Exception as error:
            # Not the error's own words, which may name a target.
            logger.error("The sender of events met something unexpected: %s", type(error).__name__)


@contextlib.contextmanager
def sending() -> Iterator[None]:
    """A sender at work meanwhile."""
    sender = Sender()
    # A receiver that keeps it hanging must not keep the process from ending: its lease ends, and the event goes again.
    thread = threading.Thread(target=sender.run, name="events", daemon=True)
    thread.start()
    try:
        yield
    finally:
        sender.stop()
        thread.join(POST_SECONDS)
