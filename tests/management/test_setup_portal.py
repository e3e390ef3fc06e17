"""Two starts at once on empty databases of one machine, and a start whose migration fails. Two starts of two machines
are those of site.py, and asked about in test_nodes.py."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from django.core.management.base import CommandError
from django.test import override_settings

from formation_portal.management.commands.setup_portal import collect_static
from tests.needed import needed
from tests.scratch_postgres import KEYS, running_cluster, server_programs

from .served import PATIENCE, PROJECT

WAITS = "Another start is setting up the portal; waiting for its lock"
# What a version to come might bring: a step that is done, and one that fails behind it.
FAILING = """
from django.db import migrations
class Migration(migrations.Migration):
    dependencies = [("audit", "0001_the_chain_of_deeds")]
    operations = [
        migrations.RunSQL("CREATE TABLE half_done (id integer)"),
        migrations.RunSQL("INSERT INTO nowhere VALUES ('ada@example.com')"),
    ]
"""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The URL of a PostgreSQL server up to a database's name, with an empty one."""
    with running_cluster() as cluster:
        cluster.make_database("broken")
        yield cluster.url


def start(data: Path, **more: str) -> subprocess.Popen[str]:
    clean = {key: value for key, value in os.environ.items() if key != "DJANGO_SETTINGS_MODULE"}
    return subprocess.Popen(
        [sys.executable, "manage.py", "setup_portal"],
        cwd=PROJECT,
        env=clean | {"DATA_DIR": str(data)} | more,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def end(process: subprocess.Popen[str]) -> tuple[int, str]:
    said, _ = process.communicate(timeout=PATIENCE)
    return process.returncode, said


def assert_one_of_two_set_up(said: Iterable[str]) -> None:
    waited, did = sorted(said, key=lambda one: WAITS not in one)
    assert WAITS in waited
    assert "Setting up" not in waited
    assert did.count("Setting up the database") == 2
    assert WAITS not in did


def test_of_two_starts_on_one_machine_one_sets_up_and_the_other_waits(tmp_path: Path) -> None:
    codes, said = zip(*[end(one) for one in [start(tmp_path), start(tmp_path)]], strict=True)
    assert codes == (0, 0), said
    assert_one_of_two_set_up(said)


@pytest.mark.parametrize(
    "kind",
    [
        "sqlite",
        pytest.param(
            "postgres", marks=(pytest.mark.long, pytest.mark.postgres, needed("PostgreSQL", bool(server_programs())))
        ),
    ],
)
def test_a_migration_that_fails_is_undone_and_named(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest, with_databases: Callable[..., Path]
) -> None:
    with_databases(tmp_path)
    database, keys = f"sqlite:///{tmp_path}/portal.sqlite3", KEYS if kind == "postgres" else {}
    if kind == "postgres":
        database = f"{request.getfixturevalue('server')}/broken"
    package = tmp_path / "to_come"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "0001_the_chain_of_deeds.py").write_text(
        "from importlib import import_module\n"
        'Migration = import_module("formation_portal.audit.migrations.0001_the_chain_of_deeds").Migration\n'
    )
    (package / "0002_fails.py").write_text(FAILING)
    (tmp_path / "settings_to_come.py").write_text(
        'from formation_portal.settings import *\nMIGRATION_MODULES = {"audit": "to_come"}\n'
    )
    to_come = {"PYTHONPATH": str(tmp_path), "DJANGO_SETTINGS_MODULE": "settings_to_come"}
    code, said = end(start(tmp_path, DATABASE_URL=database, **keys, **to_come))
    assert code == 1
    assert "The database “default” could not be set up: the migration audit.0002_fails failed and was undone: " in said
    assert "The version that served before can go on serving." in said
    assert "Traceback" not in said
    assert "ada@example.com" not in said
    # The version before finds the tables as they were, and what is not its own is no matter to it.
    code, said = end(start(tmp_path, DATABASE_URL=database, **keys))
    assert code == 0, said
    assert "half_done" not in tables(database)


def tables(database: str) -> set[str]:
    if database.startswith("sqlite"):
        with closing(sqlite3.connect(database.removeprefix("sqlite:///"))) as connection:
            return {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
    with closing(psycopg.connect(database)) as connection:
        return {row[0] for row in connection.execute("SELECT tablename FROM pg_tables")}


def test_static_files_that_came_with_the_code_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings.ENV, "static_dir", str(tmp_path))
    with override_settings(STATIC_ROOT=tmp_path):
        with pytest.raises(CommandError, match="STATIC_DIR: nothing was collected there"):
            collect_static(print)
        (tmp_path / "staticfiles.json").write_text("{}")
        collect_static(print)
    assert [path.name for path in tmp_path.iterdir()] == ["staticfiles.json"]
