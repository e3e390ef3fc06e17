"""When our own records can't be read or written: the database is away or locked, the disk is full or read-only.

All of that passes by itself or by the operator's hand; a fault of the code doesn't.
"""

import errno
import sqlite3
from collections.abc import Iterator
from enum import StrEnum

from django.db import Error

from formation_portal.databases import DATABASE_AWAY

_FULL_DISK = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_BAD_DISK = frozenset({errno.EROFS, errno.EIO})
# PostgreSQL's codes: disk_full; read_only_sql_transaction, which Django has no word of its own for.
_FULL, _READ_ONLY = "53100", "25006"
# The lowest byte of SQLite's code is the kind of error.
_KIND = 0xFF


class Outage(StrEnum):
    """What is the matter, as far as it changes the words on the page."""

    AWAY = "away"
    FULL = "full"


def outage_in(error: BaseException | None) -> Outage | None:
    """The outage that an exception, or one that it came from, tells of; None where it is a fault of the code."""
    found = {outage for one in _chain(error) if (outage := _outage(one))}
    return Outage.FULL if Outage.FULL in found else next(iter(found), None)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _outage(error: BaseException) -> Outage | None:
    if isinstance(error, OSError):
        return Outage.FULL if error.errno in _FULL_DISK else Outage.AWAY if error.errno in _BAD_DISK else None
    if not isinstance(error, Error):
        return None
    cause = error.__cause__
    return _of_sqlite(cause) if isinstance(cause, sqlite3.Error) else _of_a_server(error)


def _of_sqlite(error: sqlite3.Error) -> Outage | None:
    if not isinstance(error, sqlite3.OperationalError):
        return None
    # Without a code it is the driver that objects, and SQLITE_ERROR is a wrong statement: both are faults of the code.
    kind = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & _KIND
    if kind == sqlite3.SQLITE_ERROR:
        return None
    return Outage.FULL if kind == sqlite3.SQLITE_FULL else Outage.AWAY


def _of_a_server(error: Error) -> Outage | None:
    state = getattr(error.__cause__, "sqlstate", None)
    if state == _FULL:
        return Outage.FULL
    passes = isinstance(error, DATABASE_AWAY) or state == _READ_ONLY
    return Outage.AWAY if passes else None
