"""Take deleted values out of the databases' files, too: a row that is gone may stand there until it is overwritten.

SQLite overwrites it at once (`secure_delete`, databases.py), and its write-ahead log is emptied here. PostgreSQL
overwrites what was vacuumed as it writes on; `is_thorough` has it write its tables anew.
"""

import logging

from django.db import DatabaseError, connections, transaction

logger = logging.getLogger(__name__)


def overwrite_deleted(alias: str = "default") -> None:
    """Empty the log of SQLite, after the commit where a transaction is open. Nothing where another database is used."""
    transaction.on_commit(lambda: _empty_log(alias), using=alias, robust=True)


def _empty_log(alias: str) -> None:
    connection = connections[alias]
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        return
    try:
        with connection.cursor() as cursor:
            # Whoever reads or writes meanwhile is waited for a quarter of a second; the next round does it otherwise.
            cursor.execute("PRAGMA busy_timeout = 250")
            try:
                cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            finally:
                # As everywhere else (core/databases.py).
                cursor.execute("PRAGMA busy_timeout = 10000")
    except DatabaseError as error:
        logger.info("The log of the database %s is emptied later: %s", alias, type(error).__name__)


def vacuum(alias: str = "default", *, is_thorough: bool = False) -> None:
    """Have the database clean up behind what was deleted. `is_thorough` writes it anew as a whole, which keeps
    everybody waiting for as long: for what was deleted before it was overwritten. Never inside a transaction."""
    connection = connections[alias]
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            if is_thorough:
                cursor.execute("VACUUM")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        else:
            cursor.execute("VACUUM (FULL)" if is_thorough else "VACUUM")
