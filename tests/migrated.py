"""Databases that are migrated once, and copied wherever else they are wanted."""

import fcntl
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.commands.migrate import Command
from django.db import connections

from formation_portal.core.databases import SERVICE

# The files of a DATA_DIR.
_FILES = {"default": "portal.sqlite3", SERVICE: "service.sqlite3"}


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """One process at a time, of all that share the folder."""
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def migrate_or_copy(folder: Path) -> Callable[..., None]:
    """What `migrate` may do: take what the folder holds; what it lacks is migrated, and left there for others."""
    migrate = Command.handle

    def handle(command: Command, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        # As `setup_portal` does: the others make no table there, and take seconds to find that out.
        if connection.alias == SERVICE:
            options |= {"app_label": SERVICE, "run_syncdb": False}
        kept = folder / connection.alias
        if connection.vendor != "sqlite":
            migrate(command, *args, **options)
        elif kept.exists():
            connection.close()
            shutil.copyfile(kept, connection.settings_dict["NAME"])
        else:
            migrate(command, *args, **options)
            connection.cursor().execute("VACUUM INTO %s", [str(kept)])

    return handle


def copy_databases(folder: Path, data: Path, aliases: Iterable[str] = _FILES) -> None:
    """Copy migrated databases into a DATA_DIR: a portal that starts there has nothing to migrate.

    Where a run's databases are no files, there are none: it migrates them itself.
    """
    for alias in aliases:
        if (folder / alias).exists():
            shutil.copyfile(folder / alias, data / _FILES[alias])
