"""Remove deleted values from the databases' files. SQLite overwrites deleted values at once, and this module empties
its write-ahead log. PostgreSQL reuses the space of vacuumed rows for later writes."""

import logging

from django.db import DatabaseError, connections, transaction

logger = logging.getLogger(__name__)


def overwrite_deleted(alias: str = "default") -> None:
    """Empty SQLite's write-ahead log, after the commit if a transaction is open. Do nothing for PostgreSQL."""
    transaction.on_commit(lambda: _empty_log(alias), using=alias, robust=True)


def _empty_log(alias: str) -> None:
    connection = connections[alias]
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        return
    try:
        with connection.cursor() as cursor:
            # Waits a quarter of a second for readers and writers; else the next call empties the log.
            cursor.execute("PRAGMA busy_timeout = 250")
            try:
                cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            finally:
                # Restores the timeout of all connections (databases.py).
                cursor.execute("PRAGMA busy_timeout = 10000")
    except DatabaseError as error:
        logger.info("The log of the database %s is emptied later: %s", alias, type(error).__name__)


def vacuum(alias: str = "default", *, is_thorough: bool = False) -> None:
    """Remove deleted rows from the database's files. Not allowed in a transaction.

    `is_thorough` rewrites the whole database, while all other connections wait.
    """
    connection = connections[alias]
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            if is_thorough:
                cursor.execute("VACUUM")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        else:
            cursor.execute("VACUUM (FULL)" if is_thorough else "VACUUM")
