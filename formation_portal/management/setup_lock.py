"""Let only one process at a time set up the databases, by a file in DATA_DIR and a lock in PostgreSQL databases."""

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
_WAITING = "Another start is setting up the portal; waiting for its lock"


@contextmanager
def lock_data_dir(stdout: OutputWrapper) -> Iterator[None]:
    with (Path(settings.DATA_DIR) / LOCK_FILE).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            stdout.write(f"{_WAITING} in DATA_DIR")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def lock_databases(stdout: OutputWrapper) -> Iterator[None]:
    """Hold a lock in each PostgreSQL database against other machines, on a connection that no other code closes."""
    with ExitStack() as stack:
        for alias in connections:
            if connections[alias].vendor == "postgresql":
                connection = connections[alias].copy()
                stack.callback(connection.close)
                _wait_for_advisory_lock(connection, stdout)
        yield


def _wait_for_advisory_lock(connection: BaseDatabaseWrapper, stdout: OutputWrapper) -> None:
    """Poll for the lock: a waiting statement would block the concurrent creation of indexes."""
    has_reported = False
    with connection.cursor() as cursor:
        while True:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", [LOCK_NUMBER])
            if cursor.fetchone()[0]:
                return
            if not has_reported:
                stdout.write(f"{_WAITING} of the database “{connection.alias}”")
                has_reported = True
            time.sleep(_POLL_SECONDS)
