"""Configure the databases of the portal and the embedded service, and distinguish outages from bugs."""

import errno
import ipaddress
import sqlite3
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Any

import dj_database_url
from django.db import Error
from django.db.backends.signals import connection_created
from django.db.utils import InterfaceError, OperationalError

SERVICE = "service"
# The operator's setting for each database.
URL_SETTINGS = {"default": "DATABASE_URL", SERVICE: "SERVICE_DATABASE_URL"}
# The exceptions of a database that does not answer, or can't be written at the moment.
DATABASE_AWAY = (OperationalError, InterfaceError)

_SCHEMES = ("postgres://", "postgresql://", "sqlite:///")
_POSTGRESQL_PATIENCE = {
    "connect_timeout": 5,
    # In milliseconds without an acknowledgement of sent data. The other options are in seconds.
    "tcp_user_timeout": 20_000,
    "keepalives_idle": 20,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}
# A page waits this long for one statement.
STATEMENT_SECONDS = 20.0
# Each thread's connection keeps pages and prepared statements of its own. Both numbers are small, since the machine's
# page cache holds the other pages.
_SQLITE_START = (
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; "
    # Deleted data is overwritten, so that none of it stays in free pages.
    "PRAGMA temp_store=MEMORY; PRAGMA cache_size=-1000; PRAGMA secure_delete=ON;"
)
_SQLITE_STATEMENTS = 64


def database_settings(url: str, *, default_path: Path) -> dict[str, Any]:
    """Return Django's settings for the database at `url`, or for "" those of an SQLite file at `default_path`.

    Raises a ValueError that does not quote the URL, which may hold a password.
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
        # Timeouts that end the wait for a server that is away or has vanished.
        config["OPTIONS"] = _POSTGRESQL_PATIENCE | _transport(str(config.get("HOST", ""))) | config.get("OPTIONS", {})
    return config


def _transport(host: str) -> dict[str, str]:
    """Require TLS for a server on another machine. The host may be a socket's path. `?sslmode=` in the URL wins."""
    if not host or host.startswith("/") or host == "localhost":
        return {}
    with suppress(ValueError):
        if ipaddress.ip_address(host).is_loopback:
            return {}
    return {"sslmode": "require"}


def limit_statements(seconds: float = STATEMENT_SECONDS) -> None:
    """Limit the time of PostgreSQL's statements on each connection that this process opens from now on.

    A page that has waited this long for a lock or a slow server reports an outage, and offers to send the form again.
    """

    def limit(connection: Any, **_: Any) -> None:
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT set_config('statement_timeout', %s, false)", [str(round(seconds * 1000))])

    connection_created.connect(limit, weak=False, dispatch_uid="limit_statements")


class ServiceRouter:
    """Route the embedded service's tables to their own database, named like its app, and all others to the portal's."""

    def db_for_read(self, model: Any, **hints: Any) -> str | None:
        return SERVICE if model._meta.app_label == SERVICE else None

    db_for_write = db_for_read

    def allow_relation(self, obj1: Any, obj2: Any, **hints: Any) -> bool | None:
        return bool((obj1._meta.app_label == SERVICE) == (obj2._meta.app_label == SERVICE))

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool:
        return (db == SERVICE) == (app_label == SERVICE)


FULL_DISK = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
BAD_DISK = frozenset({errno.EROFS, errno.EIO})
# PostgreSQL's error codes.
_FULL = "53100"
_READ_ONLY = "25006"
# The lowest byte of SQLite's code is the kind of error.
_SQLITE_KIND = 0xFF


class Outage(StrEnum):
    """The kinds of outages. They end by themselves or by an operator's work, and the error page explains each."""

    AWAY = "away"
    FULL = "full"


_OUTAGES_OF_DISKS: dict[int | None, Outage] = {
    **dict.fromkeys(FULL_DISK, Outage.FULL),
    **dict.fromkeys(BAD_DISK, Outage.AWAY),
}


def outage_in(error: BaseException | None) -> Outage | None:
    """Return the outage that has caused an exception, or None if it comes from a bug."""
    outages = set()
    while error is not None:
        outages.add(_outage_of(error))
        error = error.__cause__ or error.__context__
    for outage in (Outage.FULL, Outage.AWAY):
        if outage in outages:
            return outage
    return None


def _outage_of(error: BaseException) -> Outage | None:
    """Return the outage that this exception itself reports, or None."""
    if isinstance(error, OSError):
        return _OUTAGES_OF_DISKS.get(error.errno)
    if not isinstance(error, Error):
        return None
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        # Errors of the driver itself have no code, and wrong SQL has SQLITE_ERROR: both are bugs.
        kind = getattr(cause, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & _SQLITE_KIND
        if not isinstance(cause, sqlite3.OperationalError) or kind == sqlite3.SQLITE_ERROR:
            return None
        return Outage.FULL if kind == sqlite3.SQLITE_FULL else Outage.AWAY
    state = getattr(cause, "sqlstate", None)
    if state == _FULL:
        return Outage.FULL
    return Outage.AWAY if isinstance(error, DATABASE_AWAY) or state == _READ_ONLY else None
