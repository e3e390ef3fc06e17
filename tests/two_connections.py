"""Two changes at once, each on a connection of its own, on PostgreSQL."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event
from typing import Any

import pytest
from django.db import connection, connections

from tests.waiting import wait_until

_PATIENCE_SECONDS = 30

postgresql_only = pytest.mark.skipif(
    # tests/core/test_postgres.py runs the marked tests there.
    connection.vendor != "postgresql",
    reason="not run: SQLite has one writer at a time",
)


@dataclass
class Outcome:
    """How a change ended: its result, or the exception that it raised; and whether it waited for the other's lock."""

    result: Any = None
    error: Exception | None = None
    has_waited: bool = False


def at_once(first: Callable[[], Any], second: Callable[[], Any]) -> tuple[Outcome, Outcome]:
    """Run two changes so that the second begins while the first has written everything and not yet committed.

    The first goes on once the second waits for a lock, or has ended without one.
    """
    is_written, may_commit = Event(), Event()

    def run_first() -> Any:
        database = connections["default"]
        database.ensure_connection()
        commit = database._commit

        def wait_and_commit() -> None:
            is_written.set()
            may_commit.wait(_PATIENCE_SECONDS)
            commit()

        database._commit = wait_and_commit
        try:
            return first()
        finally:
            is_written.set()
            connections.close_all()

    def run_second() -> Any:
        try:
            return second()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        running_first = pool.submit(run_first)
        assert is_written.wait(_PATIENCE_SECONDS)
        running_second = pool.submit(run_second)
        has_waited = _waits_for_a_lock(running_second)
        may_commit.set()
    return _outcome(running_first), _outcome(running_second, has_waited=has_waited)


def _waits_for_a_lock(running: "Future[Any]") -> bool:
    """Wait until another connection waits for a lock, or the change has ended. Return True for the lock."""

    def is_locked() -> bool:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )
            return bool(cursor.fetchone()[0])

    def ending() -> str:
        return "it ended" if running.done() else "it waits" if is_locked() else ""

    return wait_until(ending, _PATIENCE_SECONDS, "The second change ends or waits for a lock") == "it waits"


def _outcome(running: "Future[Any]", *, has_waited: bool = False) -> Outcome:
    error = running.exception()
    if error is None:
        return Outcome(result=running.result(), has_waited=has_waited)
    assert isinstance(error, Exception)
    return Outcome(error=error, has_waited=has_waited)
