"""The two databases: the portal's own, and the embedded service's behind an alias of its own.

Nothing commits or rolls back together across them: the boundary is as real as over a network.
"""

from pathlib import Path
from typing import Any

import dj_database_url
from django.db.utils import InterfaceError, OperationalError

SERVICE = "service"
# A database does not answer, or takes nothing: nobody's fault, and it passes.
DATABASE_AWAY = (OperationalError, InterfaceError)

_SCHEMES = ("postgres://", "postgresql://", "sqlite:///")
_CONNECT_SECONDS = 5
# Each thread has a connection of its own, and each connection its own pages and prepared statements: little of both,
# for what is not there is in the machine's page cache.
_SQLITE_START = (
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; "
    "PRAGMA temp_store=MEMORY; PRAGMA cache_size=-1000;"
)
_SQLITE_STATEMENTS = 64


def configure(url: str, *, default_path: Path) -> dict[str, Any]:
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
        # A server that is away is said to be away, instead of keeping everybody waiting for minutes.
        config.setdefault("OPTIONS", {}).setdefault("connect_timeout", _CONNECT_SECONDS)
    return config


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
