"""Back up all data of the portal while it serves, and restore it. A backup has `databases/`, `files/`, `secrets/` and
the audit anchor's lines, but not SECRETS_KEY, a setting that encrypts the secrets in a database."""

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import storages
from django.core.management.base import CommandError, OutputWrapper
from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model
from django.utils import timezone

from formation_portal.applications.models import Document as PortalDocument
from formation_portal.audit import anchor
from formation_portal.audit.models import Entry
from formation_portal.core.databases import SERVICE, URL_SETTINGS
from formation_portal.core.monitoring.checks import Verdict
from formation_portal.core.monitoring.health import check_storage
from formation_portal.core.storage import SERVICE_FILES, replace_secret
from formation_portal.relay.service_profile import locked_profile
from formation_portal.reviews.models import ScreeningCheck
from formation_portal.service.models import Document as ServiceDocument

from .commands.setup_portal import STATIC_DIGEST, open_databases
from .setup_lock import LOCK_FILE

# Maps a database's alias to the storage of its files, and to the tables and columns that name the files.
FILES: dict[str, tuple[str, tuple[tuple[type[Model], str], ...]]] = {
    "default": ("default", ((PortalDocument, "file"), (ScreeningCheck, "file"))),
    SERVICE: (SERVICE_FILES, ((ServiceDocument, "path"),)),
}
# The file that lists the databases filled by an unfinished restore, with the digests of their copies.
_RESTORED_DATABASES = "restored-databases"
# Files of DATA_DIR that are neither a secret nor the anchor.
_OTHER_FILES = {LOCK_FILE, STATIC_DIGEST, settings.SERVICE_RATE_FILE.name, _RESTORED_DATABASES}
# The first bytes of a database's copy.
_COPY_MARKS = {"sqlite": b"SQLite format 3\x00", "postgresql": b"PGDMP"}
# An attempt fails if a user removes a file after its row was copied but before the file was.
_MAX_ATTEMPTS = 5
# Parameters of psycopg that pg_dump reads from variables like PGHOST, so that no password is on the command line.
_LIBPQ = ("host", "port", "user", "password", "sslmode", "sslrootcert", "sslcert", "sslkey")


def back_up(folder: Path, stdout: OutputWrapper) -> None:
    """Back up into the folder, but keep files that an earlier backup has copied. Raises CommandError or OSError."""
    # The backup has passports and keys, so only its owner may read it.
    os.umask(0o077)
    for part in ("databases", "files", "secrets"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    for _ in range(_MAX_ATTEMPTS):
        # Copies most files before the databases, so that little time passes between the rows and their files.
        copied = sum(_copy_new_files(folder, alias) for alias in FILES)
        names, newest = _copy_databases(folder / "databases")
        copied += sum(_copy_new_files(folder, alias) for alias in FILES)
        missing = sum(len(names[alias] - _files(folder, alias).keys()) for alias in FILES)
        if not missing:
            break
    else:
        stdout.write(f"Warning: {missing} files are not there that rows name. The rest is backed up.")
    for alias in FILES:
        for name, path in _files(folder, alias).items():
            if name not in names[alias]:
                path.unlink()
    _copy_secrets(folder / "secrets")
    replace_secret(folder / "audit-anchor", anchor.copy_anchor(newest))
    stdout.write(f"Backed up both databases and {sum(map(len, names.values()))} files ({copied} of them new).")


def restore(folder: Path, stdout: OutputWrapper) -> None:
    """Restore a backup into the empty databases and storage of the settings. Raises CommandError or OSError.

    Checks everything before writing. A failed restore can be repeated: the databases come last, and a database that an
    earlier attempt has filled from the same copy is left unchanged.
    """
    for part in (*(f"databases/{alias}" for alias in FILES), "files", "secrets", "audit-anchor"):
        if not (folder / part).exists():
            raise CommandError(f"{folder} is no whole backup: {part} is missing.")
    progress = Path(settings.DATA_DIR) / _RESTORED_DATABASES
    restored = json.loads(progress.read_text()) if progress.exists() else {}
    digests = {alias: _digest(folder / "databases" / alias) for alias in FILES}
    empty = _check_target(folder, filled=[alias for alias in FILES if restored.get(alias) == digests[alias]])
    number_of_files = sum(_restore_files(folder, alias) for alias in FILES)
    for path in (folder / "secrets").iterdir():
        replace_secret(Path(settings.DATA_DIR) / path.name, path.read_text())
    anchor.restore_anchor((folder / "audit-anchor").read_text())
    for alias in empty:
        _restore_database(folder / "databases" / alias, connections[alias])
        restored[alias] = digests[alias]
        replace_secret(progress, json.dumps(restored))
    progress.unlink(missing_ok=True)
    stdout.write(f"Restored both databases and {number_of_files} files.")


def _check_target(folder: Path, *, filled: list[str]) -> list[str]:
    """Return the databases to restore, except those that an earlier attempt has filled. Raises CommandError."""
    open_databases()
    empty = []
    for alias in FILES:
        has_tables = bool(connections[alias].introspection.table_names())
        if has_tables and alias not in filled:
            raise CommandError(f"{URL_SETTINGS[alias]}: there are tables already. Restore into an empty database.")
        if not has_tables:
            _check_copy(folder / "databases" / alias, connections[alias])
            empty.append(alias)
    for result in check_storage():
        if result.verdict is Verdict.FAULT:
            raise CommandError(f"{result.check}: {result.finding}. {result.remedy}")
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
    """Restore the files that the storage lacks, and return the number of files in the backup."""
    storage: Any = storages[FILES[alias][0]]
    files = _files(folder, alias)
    for name, path in files.items():
        # A bucket may still have its files. A file of the same name has the same content.
        if storage.exists(name):
            if storage.size(name) == path.stat().st_size:
                continue
            # An earlier attempt was killed while it wrote the file.
            storage.delete(name)
        with path.open("rb") as file:
            storage.save_stored(name, File(file))
    return len(files)


def _copy_databases(folder: Path) -> tuple[dict[str, set[str]], int]:
    """Copy both databases as of one moment. Return the file names in each, and the number of the newest audit entry.

    No worker begins a call while the snapshots are taken, so that a restored portal sends nothing twice.
    """
    names: dict[str, set[str]] = {}
    with ExitStack() as stack:
        with transaction.atomic():
            locked_profile()
            snapshots = {alias: stack.enter_context(_snapshot(connections[alias])) for alias in FILES}
        for alias, snapshot in snapshots.items():
            snapshot.copy_to(folder / alias)
            names[alias] = set()
            for model, column in FILES[alias][1]:
                # The names of tables and columns, here and below, come from our own code.
                sql = f'SELECT "{column}" FROM "{model._meta.db_table}"'  # nosec B608  # noqa: S608
                names[alias].update(name for (name,) in snapshot.rows(sql) if name)
        sql = f'SELECT MAX(number) FROM "{Entry._meta.db_table}"'  # nosec B608  # noqa: S608
        [(newest,)] = snapshots["default"].rows(sql)
    return names, newest or 0


class _SqliteSnapshot:
    def __init__(self, path: str) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("BEGIN")
        # The snapshot begins with the first SQL query.
        self.rows("SELECT COUNT(*) FROM sqlite_master")

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return self._connection.execute(sql).fetchall()

    def copy_to(self, path: Path) -> None:
        with _temporary_path(path) as temporary, closing(sqlite3.connect(temporary)) as copy:
            self._connection.backup(copy)
            # In this mode the copy is a single file, without a write-ahead log.
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
        with _temporary_path(path) as temporary:
            options = (f"--snapshot={self._name}", f"--file={temporary}")
            _run_program("pg_dump", "--format=custom", "--no-owner", "--no-privileges", *options, of=self._connection)

    def close(self) -> None:
        self._connection.close()


@contextmanager
def _snapshot(connection: BaseDatabaseWrapper) -> Iterator[_SqliteSnapshot | _PostgresSnapshot]:
    snapshot: _SqliteSnapshot | _PostgresSnapshot
    if connection.vendor == "sqlite":
        snapshot = _SqliteSnapshot(connection.settings_dict["NAME"])
    else:
        snapshot = _PostgresSnapshot(connection)
    with closing(snapshot):
        yield snapshot


def _restore_database(copy: Path, connection: BaseDatabaseWrapper) -> None:
    if connection.vendor == "sqlite":
        try:
            with (
                closing(sqlite3.connect(copy)) as source,
                closing(sqlite3.connect(connection.settings_dict["NAME"])) as target,
            ):
                source.backup(target)
        except sqlite3.Error as error:
            raise CommandError(f"The database “{connection.alias}” could not be restored: {error}") from None
        return
    name = connection.settings_dict["NAME"]
    options = ("--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges", f"--dbname={name}")
    _run_program("pg_restore", *options, copy, of=connection)


def _run_program(program: str, *arguments: str | Path, of: BaseDatabaseWrapper) -> None:
    parameters = of.get_connection_params()
    environment = os.environ | {f"PG{name.upper()}": str(parameters[name]) for name in _LIBPQ if parameters.get(name)}
    environment["PGDATABASE"] = str(parameters["dbname"])
    try:
        subprocess.run([program, *map(str, arguments)], env=environment, check=True)  # noqa: S603  # the arguments are our own
    except FileNotFoundError:
        raise CommandError(f"{program} is not installed. Debian has it in postgresql-client.") from None
    except subprocess.CalledProcessError:
        raise CommandError(f"{program} could not do it; its reason stands above.") from None


def _files(folder: Path, alias: str) -> dict[str, Path]:
    """Return a database's files in the backup, by the names in the database's rows."""
    root = folder / "files" / alias
    return {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()}


def _copy_new_files(folder: Path, alias: str) -> int:
    """Copy the files that the backup lacks, and return their number."""
    storage: Any = storages[FILES[alias][0]]
    existing = _files(folder, alias)
    copied = 0
    for name in storage.stored_before(timezone.now()):
        if name in existing:
            continue
        try:
            file = storage.open_stored(name)
        except FileNotFoundError:
            # The file was removed since it was listed.
            continue
        target = folder / "files" / alias / name
        target.parent.mkdir(parents=True, exist_ok=True)
        with file, _temporary_path(target) as temporary, temporary.open("wb") as copy:
            shutil.copyfileobj(file, copy)
        copied += 1
    return copied


def _copy_secrets(folder: Path) -> None:
    for path in Path(settings.DATA_DIR).iterdir():
        is_other = path.name in _OTHER_FILES or ".sqlite3" in path.name or path == settings.AUDIT_ANCHOR
        if path.is_file() and not is_other:
            replace_secret(folder / path.name, path.read_text())


@contextmanager
def _temporary_path(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside the given one. After the block, sync its file, and move it to the given path."""
    temporary = path.with_name(f".{path.name}.part")
    temporary.unlink(missing_ok=True)
    yield temporary
    with temporary.open("rb") as file:
        os.fsync(file.fileno())
    temporary.replace(path)
