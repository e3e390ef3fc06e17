"""Work that goes on in the background: all that is due once a second, and a round once an hour, until it is stopped.

What it does is in the database, in rows that one worker claims at a time. So as many as one likes may run.
"""

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from django.db import close_old_connections, connections

from formation_portal.databases import DATABASE_AWAY

logger = logging.getLogger(__name__)

POLL_SECONDS = 1.0
ROUND_SECONDS = 3600.0


class Work(Protocol):
    """Does all that is due now, and asks before each piece whether it may go on."""

    def __call__(self, *, may_go_on: Callable[[], bool]) -> object: ...


@dataclass(kw_only=True, eq=False, slots=True)
class SteadyWork:
    """Runs until it is told to stop; the piece that is under way is ended first."""

    # The thread's name, and what the log calls it.
    name: str
    called: str
    work: Work
    hourly: Callable[[], object]
    # How long a piece may still take when it is told to stop.
    patience: float
    _stopped: threading.Event = field(default_factory=threading.Event, init=False)
    _next_round: float = field(default=0.0, init=False)

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
        """End after the piece that is under way."""
        self._stopped.set()

    @contextlib.contextmanager
    def beside(self) -> Iterator[None]:
        """At work meanwhile, in a thread of its own."""
        # Whoever keeps it hanging must not keep the process from ending: its lease ends, and the piece is done again.
        thread = threading.Thread(target=self.run, name=self.name, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self.stop()
            thread.join(self.patience)

    def _work_once(self) -> None:
        try:
            if time.monotonic() >= self._next_round:
                self._next_round = time.monotonic() + ROUND_SECONDS
                self.hourly()
            self.work(may_go_on=lambda: not self._stopped.is_set())
        except DATABASE_AWAY as error:
            logger.error(
                "%s: the database did not answer; looking again in a moment: %s", self.called, type(error).__name__
            )
            connections.close_all()
        except Exception as error:
            # Not the error's own words, which may hold what is sent, and to whom.
            logger.error("%s met something unexpected: %s", self.called, type(error).__name__)
