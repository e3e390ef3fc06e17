"""The two databases: the portal's own, and the embedded service's under an alias of its own; and how outages are told.

Nothing commits or rolls back together across the two: the boundary is as real as over a network. An outage (a database
is away or locked, a disk is full or read-only) passes by itself or is ended by the operator; a bug doesn't pass.
"""

import errno
import ipaddress
import sqlite3
from enum import StrEnum
from pathlib import Path
from typing import Any

import dj_database_url
from django.db import Error
from django.db.backends.signals import connection_created
from django.db.utils import InterfaceError, OperationalError

SERVICE = "service"
# A database does not answer, or takes nothing: nobody's fault, and it passes.
DATABASE_AWAY = (OperationalError, InterfaceError)

_SCHEMES = ("postgres://", "postgresql://", "sqlite:///")
_POSTGRESQL_PATIENCE = {
    "connect_timeout": 5,
    # Milliseconds without a word about what was sent, and seconds without any word at all.
    "tcp_user_timeout": 20_000,
    "keepalives_idle": 20,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}
# How long a page waits for one statement.
STATEMENT_SECONDS = 20.0
# Each thread has a connection of its own, and each connection its own pages and prepared statements: little of both,
# for what is not there is in the machine's page cache.
_SQLITE_START = (
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; "
    # What is deleted is overwritten: nothing of it stays in free pages.
    "PRAGMA temp_store=MEMORY; PRAGMA cache_size=-1000; PRAGMA secure_delete=ON;"
)
_SQLITE_STATEMENTS = 64


def database_settings(url: str, *, default_path: Path) -> dict[str, Any]:
    """Django's settings for one database; SQLite with write-ahead log, full sync and immediate transactions.

    Raises ValueError, without the URL, which holds a password.
    """
    if not url:
        url = f"sqlite:///{default_path}"
    if not url.startswith(_SCHEMES):
        raise ValueError("should begin with postgres:// or sqlite:///")
    try:
        config: dict[str, Any] = dict(dj_database_url.parse(url, conn_max_age=60, conn_health_checks=True))
    except ValueError:
        raise ValueError("can't be read as the address of a database") from None
    if config["ENGINE"].endswith("sqlite3"):
        config["OPTIONS"] = {
            "transaction_mode": "IMMEDIATE",
            "timeout": 10,
            "init_command": _SQLITE_START,
            "cached_statements": _SQLITE_STATEMENTS,
        }
        config["CONN_MAX_AGE"] = None
    elif config["ENGINE"].endswith("postgresql"):
        # A server that is away, or vanishes without a word, is said to be away, instead of keeping everybody waiting.
        config["OPTIONS"] = _POSTGRESQL_PATIENCE | _transport(str(config.get("HOST", ""))) | config.get("OPTIONS", {})
    return config


def _transport(host: str) -> dict[str, str]:
    """What the way to a server takes, unless the address says otherwise (`?sslmode=`): TLS, where it isn't on this
    machine. A path is that of a socket."""
    if not host or host.startswith("/") or host == "localhost":
        return {}
    try:
        is_here = ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_here = False
    return {} if is_here else {"sslmode": "require"}


def limit_statements(seconds: float = STATEMENT_SECONDS) -> None:
    """For pages: end what PostgreSQL has not done by then, on each connection that this process makes from now on.

    A page that has waited so long for a lock or a slow server says that our records are away, and keeps what was typed.
    """

    def limit(connection: Any, **_: Any) -> None:
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT set_config('statement_timeout', %s, false)", [str(round(seconds * 1000))])

    connection_created.connect(limit, weak=False, dispatch_uid="limit_statements")


class ServiceRouter:
    """Sends the embedded service's tables to their own database, and everything else to the portal's."""

    label = "service"

    def db_for_read(self, model: Any, **hints: Any) -> str | None:
        return SERVICE if model._meta.app_label == self.label else None

    def db_for_write(self, model: Any, **hints: Any) -> str | None:
        return SERVICE if model._meta.app_label == self.label else None

    def allow_relation(self, one: Any, other: Any, **hints: Any) -> bool | None:
        return bool((one._meta.app_label == self.label) == (other._meta.app_label == self.label))

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool:
        return (db == SERVICE) == (app_label == self.label)


FULL_DISK = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
BAD_DISK = frozenset({errno.EROFS, errno.EIO})
# PostgreSQL's codes: disk_full; read_only_sql_transaction, which Django has no word of its own for.
_FULL, _READ_ONLY = "53100", "25006"
# The lowest byte of SQLite's code is the kind of error.
_SQLITE_KIND = 0xFF


class Outage(StrEnum):
    """What is the matter, as far as it changes the words on the page."""

    AWAY = "away"
    FULL = "full"


def outage_in(error: BaseException | None) -> Outage | None:
    """The outage that an exception, or one that it came from, tells of; None where it is a fault of the code."""
    found = set()
    while error is not None:
        if outage := _outage_of(error):
            found.add(outage)
        error = error.__cause__ or error.__context__
    return Outage.FULL if Outage.FULL in found else next(iter(found), None)


def _outage_of(error: BaseException) -> Outage | None:
    if isinstance(error, OSError):
        return Outage.FULL if error.errno in FULL_DISK else Outage.AWAY if error.errno in BAD_DISK else None
    if not isinstance(error, Error):
        return None
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        # Without a code it is the driver that objects, and SQLITE_ERROR is a wrong statement: both are faults of the
        # code.
        kind = getattr(cause, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & _SQLITE_KIND
        if not isinstance(cause, sqlite3.OperationalError) or kind == sqlite3.SQLITE_ERROR:
            return None
        return Outage.FULL if kind == sqlite3.SQLITE_FULL else Outage.AWAY
    state = getattr(cause, "sqlstate", None)
    if state == _FULL:
        return Outage.FULL
    return Outage.AWAY if isinstance(error, DATABASE_AWAY) or state == _READ_ONLY else None
