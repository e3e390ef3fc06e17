"""Run work in background threads until they are stopped, and tasks each hour or minute.

Any number of workers may run: each claims database rows, one row at a time.
"""

import contextlib
import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from django.db import close_old_connections, connections, router
from django.db.migrations.exceptions import NodeNotFoundError
from django.db.migrations.executor import MigrationExecutor

from .databases import DATABASE_AWAY
from .nodes.wake import Channel

logger = logging.getLogger(__name__)

POLL_SECONDS = 1.0
MINUTE_SECONDS = 60.0
HOUR_SECONDS = 3600.0

Task = Callable[[], object]


class Work(Protocol):
    """A function that does all work that is due, piece by piece, while `may_go_on` returns True."""

    def __call__(self, *, may_go_on: Callable[[], bool]) -> object: ...


@dataclass(kw_only=True, eq=False, slots=True)
class BackgroundWorker:
    """A worker that works until it is told to stop, and then finishes its current piece of work."""

    # The worker's name in the log.
    name: str
    work: Work
    hourly: Task = lambda: None
    # The seconds allowed for the current piece after the worker was told to stop.
    stop_timeout: float
    # The channel that wakes the worker on PostgreSQL.
    channel: Channel | None = None
    # The seconds between two checks for work if nothing wakes the worker.
    poll_seconds: float = POLL_SECONDS
    _stop_event: threading.Event = field(default_factory=threading.Event, init=False)
    _next_hourly: float = field(default=0.0, init=False)

    def run(self) -> None:
        """Work until stopped. Errors don't end the worker: undone work stays in the database."""
        try:
            with self.channel.listen() if self.channel else contextlib.nullcontext() as listener:
                while not self._stop_event.is_set():
                    self._run_once()
                    if listener is None:
                        self._stop_event.wait(self.poll_seconds)
                    elif not self._stop_event.is_set():
                        listener.wait(self.poll_seconds)
        finally:
            connections.close_all()

    def _run_once(self) -> None:
        try:
            if time.monotonic() >= self._next_hourly:
                self._next_hourly = time.monotonic() + HOUR_SECONDS
                self.hourly()
            self.work(may_go_on=lambda: not self._stop_event.is_set())
        except DATABASE_AWAY as error:
            text = "%s: the database did not answer; looking again in a moment: %s"
            logger.error(text, self.name, type(error).__name__)
            connections.close_all()
        except Exception as error:
            # The error's text is not logged, since it may hold a message and its recipient.
            logger.error("%s met something unexpected: %s", self.name, type(error).__name__)
        close_old_connections()

    def stop(self) -> None:
        self._stop_event.set()

    def run_until_signal(self) -> None:
        """Work until this process gets SIGTERM or SIGINT, then finish the current piece."""
        # The work runs in another thread: a signal handler could deadlock on a lock of the thread that it interrupts.
        reading, writing = os.pipe()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: os.write(writing, b"."))
        logger.info("%s is running", self.name)
        with self.running():
            os.read(reading, 1)
        logger.info("%s has stopped", self.name)

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Run the worker in another thread during the block."""
        # A hanging piece must not keep the process from ending: its lease ends, and another worker repeats the piece.
        thread = threading.Thread(target=self.run, name=self.name, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self.stop()
            thread.join(self.stop_timeout)


def missing_migrations(alias: str) -> list[str]:
    """Return the names of the migrations that the database still lacks for this version, in their order.

    Returns [] for a database that is too old, which `refuse_other_databases` refuses.
    """
    try:
        executor = MigrationExecutor(connections[alias])
    except NodeNotFoundError:
        return []
    latest = [key for key in executor.loader.graph.leaf_nodes() if router.allow_migrate(alias, key[0])]
    return [str(migration) for migration, _ in executor.migration_plan(latest)]


def wait_until_migrated() -> None:
    """Wait until `web`, `serve` or `setup_portal` has set up the databases."""
    has_logged = False
    while True:
        try:
            if not any(map(missing_migrations, connections)):
                return
            reason = "The databases are not set up for this version; waiting until web, serve or setup_portal does it"
        except DATABASE_AWAY as error:
            reason = f"A database did not answer; looking again in a moment: {type(error).__name__}"
            connections.close_all()
        if not has_logged:
            logger.warning(reason)
            has_logged = True
        time.sleep(POLL_SECONDS)


class PeriodicTasks:
    """A decorator that collects periodic functions. Several processes run each, so none may send anything twice."""

    def __init__(self) -> None:
        self.functions: list[Task] = []

    def __call__(self, function: Task) -> Task:
        self.functions.append(function)
        return function

    def run(self, **_: object) -> None:
        """Run all tasks. An error in a task does not stop the others."""
        for function in self.functions:
            try:
                function()
            except Exception as error:
                # The error's text is not logged, since it may hold the text of an e-mail.
                text = "The round met something unexpected in %s: %s"
                logger.error(text, function.__module__, type(error).__name__)


hourly_task = PeriodicTasks()
minute_task = PeriodicTasks()
run_hourly_tasks = hourly_task.run


def minute_tasks() -> BackgroundWorker:
    return BackgroundWorker(
        name="The tasks of each minute",
        work=minute_task.run,
        stop_timeout=1,
        poll_seconds=MINUTE_SECONDS,
    )
