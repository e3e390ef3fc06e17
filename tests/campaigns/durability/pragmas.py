"""What SQLite says of the connections that the portal itself has opened."""

import sqlite3
from collections.abc import Iterator

from django.db import connections, transaction

from .scratch import Result

_ASKED = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")


def read_back() -> Iterator[Result]:
    """Journal, synchronous (2: FULL), foreign keys, busy time-out in ms, and how a transaction begins; a line each."""
    for alias in connections:
        for name in _ASKED:
            with connections[alias].cursor() as cursor:
                yield f"sqlite_{alias}_{name}", cursor.execute(f"PRAGMA {name}").fetchone()[0]
        yield f"sqlite_{alias}_transactions", "immediate" if _locks_at_once(alias) else "deferred"


def _locks_at_once(alias: str) -> bool:
    """Whether a transaction that has done nothing yet keeps other writers out."""
    other = sqlite3.connect(connections[alias].settings_dict["NAME"], timeout=0, isolation_level=None)
    try:
        with transaction.atomic(using=alias):
            other.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError:
        return True
    finally:
        other.close()
    return False
