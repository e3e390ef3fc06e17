"""The carrier: a thread beside the relay's worker that sends what lies in the outbox, and goes the hourly round.

A thread of its own, so that a slow mail server keeps no call to the formation service waiting.
"""

import contextlib
import logging
import threading
import time
from collections.abc import Iterator

from django.conf import settings
from django.db import close_old_connections, connections
from django.db.utils import InterfaceError, OperationalError

from .rounds import go_round
from .sending import send_due

logger = logging.getLogger(__name__)

POLL_SECONDS = 1.0
ROUND_SECONDS = 3600.0
_DATABASE_AWAY = (OperationalError, InterfaceError)


class Carrier:
    """Runs until it is told to stop; a letter that is being sent is sent first."""

    def __init__(self) -> None:
        self._stopped = threading.Event()
        self._next_round = 0.0

    def run(self) -> None:
        """Work until stopped, over whatever goes wrong: what is not done stays in the outbox."""
        if not settings.LETTERS_GO_OUT:
            logger.info("There is no EMAIL_URL: letters stay in the outbox")
        try:
            while not self._stopped.is_set():
                self._work_once()
                close_old_connections()
                self._stopped.wait(POLL_SECONDS)
        finally:
            connections.close_all()

    def stop(self) -> None:
        """End after the letter that is being sent."""
        self._stopped.set()

    def _work_once(self) -> None:
        try:
            if time.monotonic() >= self._next_round:
                self._next_round = time.monotonic() + ROUND_SECONDS
                go_round()
            send_due(may_go_on=lambda: not self._stopped.is_set())
        except _DATABASE_AWAY as error:
            logger.error("The database did not answer; looking again in a moment: %s", type(error).__name__)
            connections.close_all()
        except Exception as error:
            # Not the error's own words, which may hold what a letter says.
            logger.error("The outbox met something unexpected: %s", type(error).__name__)


@contextlib.contextmanager
def carrying() -> Iterator[None]:
    """A carrier at work meanwhile."""
    carrier = Carrier()
    # What a mail server keeps hanging must not keep the process from ending: its lease ends, and it goes again.
    thread = threading.Thread(target=carrier.run, name="letters", daemon=True)
    thread.start()
    try:
        yield
    finally:
        carrier.stop()
        thread.join(settings.EMAIL_TIMEOUT)
