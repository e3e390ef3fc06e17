"""Threads that do what is due until they are stopped: PostgreSQL wakes them, or they look each second; and the tasks
that are due each hour.

What they do stands in the database, in rows that one worker claims at a time. So any number of workers may run.
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
from django.db.migrations.executor import MigrationExecutor

from .databases import DATABASE_AWAY
from .nodes.wake import Channel, Listener

logger = logging.getLogger(__name__)

POLL_SECONDS = 1.0
MINUTE_SECONDS, HOUR_SECONDS = 60.0, 3600.0


class Work(Protocol):
    """Does all that is due now, and asks before each piece whether it may go on."""

    def __call__(self, *, may_go_on: Callable[[], bool]) -> object: ...


@dataclass(kw_only=True, eq=False, slots=True)
class BackgroundWorker:
    """Runs until it is told to stop; the piece that is under way is ended first."""

    # The thread's name, and what the log calls it.
    name: str
    log_name: str
    work: Work
    hourly: Callable[[], object] = lambda: None
    # How long a piece may still take when it is told to stop.
    stop_timeout: float
    # Who commits something for it says so there.
    channel: Channel | None = None
    # It looks so often without being woken.
    poll_seconds: float = POLL_SECONDS
    _stop_event: threading.Event = field(default_factory=threading.Event, init=False)
    _next_hourly: float = field(default=0.0, init=False)

    def run(self) -> None:
        """Work until stopped, over whatever goes wrong: what is not done stays in the database."""
        try:
            with self.channel.listen() if self.channel else contextlib.nullcontext() as listener:
                self._run(listener)
        finally:
            connections.close_all()

    def _run(self, listener: Listener | None) -> None:
        while not self._stop_event.is_set():
            try:
                if time.monotonic() >= self._next_hourly:
                    self._next_hourly = time.monotonic() + HOUR_SECONDS
                    self.hourly()
                self.work(may_go_on=lambda: not self._stop_event.is_set())
            except DATABASE_AWAY as error:
                text = "%s: the database did not answer; looking again in a moment: %s"
                logger.error(text, self.log_name, type(error).__name__)
                connections.close_all()
            except Exception as error:
                # Not the error's own words, which may hold what is sent, and to whom.
                logger.error("%s met something unexpected: %s", self.log_name, type(error).__name__)
            close_old_connections()
            if listener is None:
                self._stop_event.wait(self.poll_seconds)
            elif not self._stop_event.is_set():
                listener.wait(self.poll_seconds)

    def stop(self) -> None:
        """End after the piece that is under way."""
        self._stop_event.set()

    def run_until_signal(self) -> None:
        """Work until SIGTERM or SIGINT, in a process of its own; the piece that is under way is ended first."""
        # In another thread, since a handler could wait for ever for a lock of the one that it has interrupted.
        reading, writing = os.pipe()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: os.write(writing, b"."))
        logger.info("%s is running", self.log_name)
        with self.running():
            os.read(reading, 1)
        logger.info("%s has stopped", self.log_name)

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Runs meanwhile, in a thread of its own."""
        # Whoever keeps it hanging must not keep the process from ending: its lease ends, and the piece is done again.
        thread = threading.Thread(target=self.run, name=self.name, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self.stop()
            thread.join(self.stop_timeout)


def missing_migrations(alias: str) -> list[str]:
    """The names of those that a database lacks for this version, in their order: of the apps whose tables it has."""
    executor = MigrationExecutor(connections[alias])
    latest = [key for key in executor.loader.graph.leaf_nodes() if router.allow_migrate(alias, key[0])]
    return [str(migration) for migration, _ in executor.migration_plan(latest)]


def wait_until_migrated() -> None:
    """Before the work of a process that sets nothing up itself: `web`, `serve` or `setup_portal` does that."""
    has_said = False
    while True:
        try:
            if not any(missing_migrations(alias) for alias in connections):
                return
            reason = "The databases are not set up for this version; waiting until web, serve or setup_portal does it"
        except DATABASE_AWAY as error:
            reason = f"A database did not answer; looking again in a moment: {type(error).__name__}"
            connections.close_all()
        if not has_said:
            logger.warning(reason)
            has_said = True
        time.sleep(POLL_SECONDS)


Task = Callable[[], object]
_hourly_tasks: list[Task] = []
_minute_tasks: list[Task] = []


def hourly_task(task: Task) -> Task:
    """Decorator: run the function each hour. Several processes do, so it must make sure that nothing is sent twice."""
    _hourly_tasks.append(task)
    return task


def minute_task(task: Task) -> Task:
    """Decorator: run the function each minute, in several processes as well."""
    _minute_tasks.append(task)
    return task


def run_hourly_tasks() -> None:
    """Run all of them. An error in one stops no other."""
    _run(_hourly_tasks)


def minute_tasks() -> BackgroundWorker:
    """Runs them, beside whoever runs the hourly ones."""
    return BackgroundWorker(
        name="minute tasks",
        log_name="The tasks of each minute",
        work=lambda **_: _run(_minute_tasks),
        stop_timeout=1,
        poll_seconds=MINUTE_SECONDS,
    )


def _run(tasks: list[Task]) -> None:
    for task in tasks:
        try:
            task()
        except Exception as error:
            # Not the error's own words, which may hold what a letter says.
            logger.error("The round met something unexpected in %s: %s", task.__module__, type(error).__name__)
