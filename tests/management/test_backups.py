"""The moment of a backup: both copies are begun while no worker may begin a call, and made while they all go on; and
restores that fail, and are repeated. The whole of it, on a portal that runs, is tests/deploy/test_backup.py."""

import shutil
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management.base import CommandError, OutputWrapper
from django.db import OperationalError, connection, transaction

from formation_portal.management import backups
from formation_portal.relay.service_profile import locked_profile
from tests.needed import needed
from tests.scratch_postgres import KEYS, running_cluster, server_programs

from .served import free_port, manage


def _begins_a_call() -> bool:
    """Whether a worker may, as it does, without waiting for anybody."""
    is_sqlite = connection.vendor == "sqlite"
    try:
        with connection.cursor() as cursor:
            cursor.execute("pragma busy_timeout = 0" if is_sqlite else "SET lock_timeout = '50ms'")
        with transaction.atomic():
            locked_profile()
    except OperationalError:
        return False
    finally:
        connection.close()
    return True


def a_worker_begins_a_call() -> bool:
    """With a connection of its own."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(_begins_a_call).result()


@pytest.mark.django_db(databases=["default", "service"], transaction=True)
def test_no_call_lies_between_the_copies_and_none_waits_for_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    begun, made, take = list[bool](), list[bool](), backups._snapshot

    @contextmanager
    def taken(of: Any) -> Iterator[Any]:
        with take(of) as snapshot:
            begun.append(a_worker_begins_a_call())
            monkeypatch.setattr(type(snapshot), "copy_to", lambda *_: made.append(a_worker_begins_a_call()))
            yield snapshot

    monkeypatch.setattr(backups, "_snapshot", taken)
    backups._copy_databases(tmp_path)
    assert begun == [False, False]
    assert made == [True, True]


def sqlite_backup(folder: Path) -> Path:
    for part in ("databases", "files", "secrets"):
        (folder / part).mkdir(parents=True)
    for alias in ("default", "service"):
        with closing(sqlite3.connect(folder / "databases" / alias)) as copy:
            copy.execute("CREATE TABLE applications (reference)")
    (folder / "audit-anchor").touch()
    return folder


@pytest.mark.parametrize("part", ["databases/default", "databases/service", "files", "secrets", "audit-anchor"])
def test_a_folder_that_lacks_a_part_is_no_backup(tmp_path: Path, part: str) -> None:
    folder = sqlite_backup(tmp_path / "backup")
    (folder / part).rename(tmp_path / "lost")
    with pytest.raises(CommandError, match=f"is no whole backup: {part} is missing"):
        backups.restore(folder, OutputWrapper(StringIO()))


def test_a_storage_that_takes_no_file_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    folder, data = sqlite_backup(tmp_path / "backup"), tmp_path / "data"
    data.mkdir()
    (data / "documents").write_text("no folder")
    urls = {name: f"sqlite:///{tmp_path / name}" for name in ("DATABASE_URL", "SERVICE_DATABASE_URL")}
    done = manage(data, "restore", str(folder), **urls)
    assert done.returncode == 1
    assert done.stderr.startswith("CommandError: Storage: a file can't be kept (")
    with closing(sqlite3.connect(tmp_path / "DATABASE_URL")) as database:
        assert database.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)


def test_a_copy_of_another_kind_of_database_is_refused(tmp_path: Path) -> None:
    copy = tmp_path / "service"
    copy.write_bytes(b"PGDMP\x01\x0e\x00" if connection.vendor == "sqlite" else b"SQLite format 3\x00")
    with pytest.raises(CommandError, match="can't be restored: it is no copy of a"):
        backups._check_copy(copy, connection)


@pytest.mark.long
@pytest.mark.postgres
@needed("PostgreSQL", server_programs() is not None)
def test_a_restore_that_fails_can_be_repeated(tmp_path: Path) -> None:
    with running_cluster() as cluster:
        for name in ("portal", "service", "portal_again", "service_again"):
            cluster.make_database(name)
        psql = ("psql", "-q", "-h", cluster.folder, "-U", "postgres")
        cluster.call(*psql, "-c", "CREATE ROLE restorer LOGIN")
        cluster.call(*psql, "-c", "GRANT CREATE ON SCHEMA public TO restorer", "portal_again")
        cluster.call(*psql, "-c", "REVOKE CREATE ON SCHEMA public FROM PUBLIC", "service_again")
        before = {"DATABASE_URL": f"{cluster.url}/portal", "SERVICE_DATABASE_URL": f"{cluster.url}/service"}
        url = cluster.url.replace("postgres@", "restorer@")
        after = {"DATABASE_URL": f"{url}/portal_again", "SERVICE_DATABASE_URL": f"{url}/service_again"}
        data, folder = tmp_path / "data", tmp_path / "backup"
        for command in (("setup_portal",), ("backup", str(folder))):
            done = manage(tmp_path / "before", *command, **KEYS, **before)
            assert done.returncode == 0, done.stderr
        (folder / "files/default").mkdir(exist_ok=True)
        (folder / "files/default/passport").write_bytes(b"a passport, encrypted")

        def run_restore(source: Path = folder, **more: str) -> str:
            done = manage(data, "restore", str(source), **KEYS, **after, **more)
            assert "Traceback" not in done.stderr
            return done.stdout if done.returncode == 0 else done.stderr

        bucket = f"s3://key:geheim-4711@uploads?endpoint=http://127.0.0.1:{free_port()}"
        assert run_restore(STORAGE_URL=bucket).startswith("CommandError: Storage: a file can't be kept")
        assert not (data / "portal-service-key").exists(), "nothing was written before the bucket was checked"
        assert "pg_restore could not do it" in run_restore()
        # As if the attempt had been killed while it wrote the file.
        (data / "documents/passport").write_bytes(b"a pass")
        another = shutil.copytree(folder, tmp_path / "another")
        with (another / "databases/default").open("ab") as copy:
            copy.write(b"\n")
        assert "DATABASE_URL: there are tables already." in run_restore(another)
        cluster.call(*psql, "-c", "GRANT CREATE ON SCHEMA public TO restorer", "service_again")
        assert run_restore() == "Restored both databases and 1 files.\n"
        assert (data / "documents/passport").read_bytes() == b"a passport, encrypted"
        for alias in ("portal", "service"):
            with psycopg.connect(f"{cluster.url}/{alias}_again".replace("postgres://", "postgresql://")) as restored:
                [(migrations,)] = restored.execute("SELECT COUNT(*) FROM django_migrations").fetchall()
                assert migrations > 0
        assert "DATABASE_URL: there are tables already." in run_restore()
        assert not (data / "restored-databases").exists()
