"""A copy of all that the portal keeps, taken while it serves, and put back: both databases as they were at one moment,
every file that their rows name, the secrets of DATA_DIR and the audit's anchor.

In the folder of a backup are `databases/`, `files/` by the names that rows have for them, `secrets/` and the anchor's
lines. SECRETS_KEY, which opens the secrets that are in a database, is a setting and not among them.
"""

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import storages
from django.core.management.base import CommandError
from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model
from django.utils import timezone

from formation_portal.applications.models import Document as PortalDocument
from formation_portal.audit import anchor
from formation_portal.audit.models import Entry
from formation_portal.core.databases import SERVICE
from formation_portal.core.monitoring.checks import Verdict
from formation_portal.core.monitoring.health import check_storage
from formation_portal.core.storage import SERVICE_FILES, replace_secret
from formation_portal.relay.service_profile import locked_profile
from formation_portal.reviews.models import ScreeningCheck
from formation_portal.service.models import Document as ServiceDocument

from .commands.setup_portal import STATIC_DIGEST, open_databases
from .setup_lock import LOCK_FILE

Say = Callable[[str], None]
Names = set[str]

# The alias of a database: where the files of its rows are, and the tables with the columns that name them.
FILES: dict[str, tuple[str, tuple[tuple[type[Model], str], ...]]] = {
    "default": ("default", ((PortalDocument, "file"), (ScreeningCheck, "file"))),
    SERVICE: (SERVICE_FILES, ((ServiceDocument, "path"),)),
}
# The databases that an unfinished restore has filled, with the digests of their copies.
_RESTORED_DATABASES = "restored-databases"
# Of what lies in DATA_DIR, neither a secret nor the anchor.
_NO_SECRETS = {LOCK_FILE, STATIC_DIGEST, settings.SERVICE_RATE_FILE.name, _RESTORED_DATABASES}
# How the copy of a database begins.
_COPY_MARKS = {"sqlite": b"SQLite format 3\x00", "postgresql": b"PGDMP"}
# Each time a file was removed by its owner between a row and its copy.
_TRIES = 5
# What libpq reads from the environment, by psycopg's word for it: a password stands on no command line.
_LIBPQ = {
    "host": "PGHOST",
    "port": "PGPORT",
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "dbname": "PGDATABASE",
    "sslmode": "PGSSLMODE",
    "sslrootcert": "PGSSLROOTCERT",
    "sslcert": "PGSSLCERT",
    "sslkey": "PGSSLKEY",
}


def back_up(folder: Path, say: Say) -> None:
    """Copy all into the folder; files that it has from before are not copied again. Raises CommandError, OSError."""
    # Passports and keys: nobody else's, whatever is made here.
    os.umask(0o077)
    for part in ("databases", "files", "secrets"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    for _ in range(_TRIES):
        # Most of them beforehand, so that little time lies between the rows and their files.
        copied = sum(_copy_new_files(folder, alias) for alias in FILES)
        named, newest = _copy_databases(folder / "databases")
        copied += sum(_copy_new_files(folder, alias) for alias in FILES)
        missing = sum(len(named[alias] - _files(folder, alias).keys()) for alias in FILES)
        if not missing:
            break
    else:
        say(f"Warning: {missing} files are not there that rows name. The rest is backed up.")
    for alias, names in named.items():
        for name, path in _files(folder, alias).items():
            if name not in names:
                path.unlink()
    _copy_secrets(folder / "secrets")
    replace_secret(folder / "audit-anchor", anchor.copy_anchor(newest))
    say(f"Backed up both databases and {sum(map(len, named.values()))} files ({copied} of them new).")


def restore(folder: Path, say: Say) -> None:
    """Put a backup where the settings say, which has to be empty. Raises CommandError, OSError.

    Everything is checked before anything is written. After a failure it may be repeated: the databases come last, and
    one that was filled by an earlier attempt, from the same copy, is left as it is.
    """
    _check_backup(folder)
    progress = Path(settings.DATA_DIR) / _RESTORED_DATABASES
    restored = json.loads(progress.read_text()) if progress.exists() else {}
    digests = {alias: _digest(folder / "databases" / alias) for alias in FILES}
    empty = _check_target(folder, filled=[alias for alias in FILES if restored.get(alias) == digests[alias]])
    files = sum(_restore_files(folder, alias) for alias in FILES)
    for path in (folder / "secrets").iterdir():
        replace_secret(Path(settings.DATA_DIR) / path.name, path.read_text())
    anchor.restore_anchor((folder / "audit-anchor").read_text())
    for alias in empty:
        _restore_database(folder / "databases" / alias, connections[alias])
        restored[alias] = digests[alias]
        replace_secret(progress, json.dumps(restored))
    progress.unlink(missing_ok=True)
    say(f"Restored both databases and {files} files.")


def _check_backup(folder: Path) -> None:
    """Raise CommandError if the folder lacks a part of a backup."""
    for part in (*(f"databases/{alias}" for alias in FILES), "files", "secrets", "audit-anchor"):
        if not (folder / part).exists():
            raise CommandError(f"{folder} is no whole backup: {part} is missing.")


def _check_target(folder: Path, *, filled: list[str]) -> list[str]:
    """Return the databases to restore, without those that were filled before. Raise CommandError if one of them can't
    take its copy, or the storage no files."""
    open_databases()
    empty = []
    for alias in FILES:
        setting = "SERVICE_DATABASE_URL" if alias == SERVICE else "DATABASE_URL"
        has_tables = bool(connections[alias].introspection.table_names())
        if has_tables and alias not in filled:
            raise CommandError(f"{setting}: there are tables already. Restore into an empty database.")
        if not has_tables:
            _check_copy(folder / "databases" / alias, connections[alias])
            empty.append(alias)
    for result in check_storage():
        if result.verdict is Verdict.FAULT:
            raise CommandError(f"{result.check}: {result.found}. {result.remedy}")
    connections.close_all()
    return empty


def _check_copy(copy: Path, connection: BaseDatabaseWrapper) -> None:
    with copy.open("rb") as file:
        if not file.read(16).startswith(_COPY_MARKS[connection.vendor]):
            raise CommandError(f"{copy} can't be restored: it is no copy of a {connection.display_name} database.")
    if connection.vendor == "postgresql":
        _run_program("pg_restore", "--list", f"--file={os.devnull}", copy, of=connection)


def _digest(copy: Path) -> str:
    with copy.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _restore_files(folder: Path, alias: str) -> int:
    """Put back the files that the storage lacks, and return how many the backup has."""
    storage: Any = storages[FILES[alias][0]]
    files = _files(folder, alias)
    for name, path in files.items():
        # A bucket may have outlived the databases; a file never changes under its name.
        if storage.exists(name):
            if storage.size(name) == path.stat().st_size:
                continue
            # An earlier attempt was killed while it wrote the file.
            storage.delete(name)
        with path.open("rb") as file:
            storage.save_stored(name, File(file))
    return len(files)


def _copy_databases(folder: Path) -> tuple[dict[str, Names], int]:
    """Both as they were at one moment; the files that their rows name, and the number of the newest entry of the audit.

    While the snapshots are taken no worker begins a call: what the service has of the portal, the portal knows of, or
    it knows that it had asked and under which key. So nothing is sent twice when the copies go on.
    """
    named: dict[str, Names] = {}
    with ExitStack() as stack:
        with transaction.atomic():
            locked_profile()
            snapshots = {alias: stack.enter_context(_snapshot(connections[alias])) for alias in FILES}
        for alias, snapshot in snapshots.items():
            snapshot.copy_to(folder / alias)
            tables = ((model._meta.db_table, column) for model, column in FILES[alias][1])
            # Names of ours, here and below.
            rows = (snapshot.rows(f'SELECT "{one}" FROM "{table}"') for table, one in tables)  # nosec B608  # noqa: S608
            named[alias] = {name for found in rows for (name,) in found if name}
        highest = f'SELECT MAX(number) FROM "{Entry._meta.db_table}"'  # nosec B608  # noqa: S608
        [(newest,)] = snapshots["default"].rows(highest)
    return named, newest or 0


class _SqliteSnapshot:
    def __init__(self, path: str) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("BEGIN")
        # It begins with the first reading.
        self.rows("SELECT COUNT(*) FROM sqlite_master")

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return self._connection.execute(sql).fetchall()

    def copy_to(self, path: Path) -> None:
        with _whole(path) as unseen, closing(sqlite3.connect(unseen)) as copy:
            self._connection.backup(copy)
            # One file, without a log beside it.
            copy.execute("pragma journal_mode=delete")

    def close(self) -> None:
        self._connection.close()


class _PostgresSnapshot:
    def __init__(self, connection: BaseDatabaseWrapper) -> None:
        self._connection = connection.copy()
        self._connection.set_autocommit(False)
        self.rows("set transaction isolation level repeatable read, read only")
        [(self._name,)] = self.rows("SELECT pg_export_snapshot()")

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        with self._connection.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetchall() if cursor.description else []

    def copy_to(self, path: Path) -> None:
        with _whole(path) as unseen:
            more = (f"--snapshot={self._name}", f"--file={unseen}")
            _run_program("pg_dump", "--format=custom", "--no-owner", "--no-privileges", *more, of=self._connection)

    def close(self) -> None:
        self._connection.close()


@contextmanager
def _snapshot(connection: BaseDatabaseWrapper) -> Iterator[_SqliteSnapshot | _PostgresSnapshot]:
    is_sqlite = connection.vendor == "sqlite"
    taken = _SqliteSnapshot(connection.settings_dict["NAME"]) if is_sqlite else _PostgresSnapshot(connection)
    try:
        yield taken
    finally:
        taken.close()


def _restore_database(copy: Path, connection: BaseDatabaseWrapper) -> None:
    if connection.vendor == "sqlite":
        try:
            with (
                closing(sqlite3.connect(copy)) as source,
                closing(sqlite3.connect(connection.settings_dict["NAME"])) as to,
            ):
                source.backup(to)
        except sqlite3.Error as error:
            raise CommandError(f"The database “{connection.alias}” could not be restored: {error}") from None
        return
    name = connection.settings_dict["NAME"]
    more = ("--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges", f"--dbname={name}")
    _run_program("pg_restore", *more, copy, of=connection)


def _run_program(program: str, *arguments: str | Path, of: BaseDatabaseWrapper) -> None:
    """One of PostgreSQL's own, which has to be as new as the server."""
    known = of.get_connection_params()
    environment = os.environ | {name: str(known[key]) for key, name in _LIBPQ.items() if known.get(key)}
    try:
        subprocess.run([program, *map(str, arguments)], env=environment, check=True)  # noqa: S603  # a list of ours
    except FileNotFoundError:
        raise CommandError(f"{program} is not installed. Debian has it in postgresql-client.") from None
    except subprocess.CalledProcessError:
        raise CommandError(f"{program} could not do it; its reason stands above.") from None


def _files(folder: Path, alias: str) -> dict[str, Path]:
    """By name, what the backup has of the files that a database's rows name."""
    root = folder / "files" / alias
    return {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()}


def _copy_new_files(folder: Path, alias: str) -> int:
    """How many. A file never changes under its name."""
    storage: Any = storages[FILES[alias][0]]
    known, copied = _files(folder, alias), 0
    for name in storage.stored_before(timezone.now()):
        if name in known:
            continue
        try:
            file = storage.open_stored(name)
        except FileNotFoundError:
            # Removed since it was listed.
            continue
        target = folder / "files" / alias / name
        target.parent.mkdir(parents=True, exist_ok=True)
        with file, _whole(target) as unseen, unseen.open("wb") as copy:
            shutil.copyfileobj(file, copy)
        copied += 1
    return copied


def _copy_secrets(folder: Path) -> None:
    for path in Path(settings.DATA_DIR).iterdir():
        is_other = path.name in _NO_SECRETS or ".sqlite3" in path.name or path == settings.AUDIT_ANCHOR
        if path.is_file() and not is_other:
            replace_secret(folder / path.name, path.read_text())


@contextmanager
def _whole(path: Path) -> Iterator[Path]:
    """A name beside it, which takes its place once all is on the disk."""
    unseen = path.with_name(f".{path.name}.part")
    unseen.unlink(missing_ok=True)
    yield unseen
    with unseen.open("rb") as file:
        os.fsync(file.fileno())
    unseen.replace(path)
