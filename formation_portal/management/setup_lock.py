"""One start at a time sets up the databases: the others wait for it, and then find nothing left to do.

The lock is a file's in DATA_DIR, for starts on one machine, and an advisory lock in each PostgreSQL database, for those
of all machines. Both end with the process that holds them, however that ends.
"""

import fcntl
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TextIO

from django.conf import settings
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

LOCK_FILE = "setup-lock"
# Of all advisory locks of a database, this one; any number that nobody else takes.
LOCK_NUMBER = 0x466F_726D_6174_696F
_POLL_SECONDS = 0.2

Say = Callable[[str], None]


@contextmanager
def lock_data_dir(say: Say) -> Iterator[None]:
    """Hold the lock of this machine meanwhile; `say` hears where another start has it."""
    with (Path(settings.DATA_DIR) / LOCK_FILE).open("w") as file:
        _wait(lambda: _lock_file(file), "in DATA_DIR", say)
        yield


@contextmanager
def lock_databases(say: Say) -> Iterator[None]:
    """Hold the locks of all machines meanwhile, each on a connection of its own, which nothing else closes."""
    with ExitStack() as held:
        for alias in connections:
            if connections[alias].vendor == "postgresql":
                connection = connections[alias].copy()
                held.callback(connection.close)
                _wait(partial(_lock_database, connection), f"of the database “{alias}”", say)
        yield


def _wait(try_lock: Callable[[], bool], where: str, say: Say) -> None:
    """Ask again and again: a statement that waits would hold up indexes that are made concurrently."""
    has_said = False
    while not try_lock():
        if not has_said:
            say(f"Another start is setting up the portal; waiting for its lock {where}")
            has_said = True
        time.sleep(_POLL_SECONDS)


def _lock_file(file: TextIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _lock_database(connection: BaseDatabaseWrapper) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [LOCK_NUMBER])
        return bool(cursor.fetchone()[0])
