"""Let one start at a time set up the databases. The others wait, and then find nothing left to do.

A lock on a file in DATA_DIR serves starts on one machine. An advisory lock in each PostgreSQL database serves those of
all machines. Both end with the process that holds them.
"""

import fcntl
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from django.conf import settings
from django.core.management.base import OutputWrapper
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

LOCK_FILE = "setup-lock"
# The number of the advisory lock. No other program uses it.
LOCK_NUMBER = 0x466F_726D_6174_696F
_POLL_SECONDS = 0.2


class _Waiting:
    """Wait for a lock, and report that once."""

    def __init__(self, stdout: OutputWrapper, place: str) -> None:
        self._stdout = stdout
        self._place = place
        self._has_reported = False

    def pause(self) -> None:
        if not self._has_reported:
            self._stdout.write(f"Another start is setting up the portal; waiting for its lock {self._place}")
            self._has_reported = True
        time.sleep(_POLL_SECONDS)


@contextmanager
def lock_data_dir(stdout: OutputWrapper) -> Iterator[None]:
    """Hold the lock of this machine during the block."""
    waiting = _Waiting(stdout, "in DATA_DIR")
    with (Path(settings.DATA_DIR) / LOCK_FILE).open("w") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                waiting.pause()
        yield


@contextmanager
def lock_databases(stdout: OutputWrapper) -> Iterator[None]:
    """Hold the locks of all machines during the block, each on a separate connection, which nothing else closes."""
    with ExitStack() as stack:
        for alias in connections:
            if connections[alias].vendor == "postgresql":
                connection = connections[alias].copy()
                stack.callback(connection.close)
                waiting = _Waiting(stdout, f"of the database “{alias}”")
                # Tries again and again: a statement that waits would block indexes that are made concurrently.
                while not _try_advisory_lock(connection):
                    waiting.pause()
        yield


def _try_advisory_lock(connection: BaseDatabaseWrapper) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [LOCK_NUMBER])
        return bool(cursor.fetchone()[0])
