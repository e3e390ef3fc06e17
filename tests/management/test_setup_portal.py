"""Two starts at once on empty databases of one machine, a start whose migration fails, and starts of an older version.
Two starts of two machines are those of site.py, and asked about in test_nodes.py."""

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management.base import CommandError, OutputWrapper
from django.test import override_settings

from formation_portal.management.commands.setup_portal import collect_static

from .served import PROJECT, begin, end

WAITS = "Another start is setting up the portal; waiting for its lock"
# Of a version to come.
LATER = """
from django.db import migrations
class Migration(migrations.Migration):
    dependencies = [("audit", "LAST")]
    operations = [migrations.RunSQL(sql) for sql in STATEMENTS]
"""
# A step that is done, and one that fails behind it.
FAILING = ["CREATE TABLE half_done (id integer)", "INSERT INTO nowhere VALUES ('ada@example.com')"]


def assert_one_of_two_set_up(said: Iterable[str]) -> None:
    waited, did = sorted(said, key=lambda one: WAITS not in one)
    assert WAITS in waited
    assert "Setting up" not in waited
    assert did.count("Setting up the database") == 2
    assert WAITS not in did


@pytest.mark.long
def test_of_two_starts_on_one_machine_one_sets_up_and_the_other_waits(tmp_path: Path) -> None:
    codes, said = zip(
        *[end(process) for process in [begin(tmp_path, "setup_portal"), begin(tmp_path, "setup_portal")]], strict=True
    )
    assert codes == (0, 0), said
    assert_one_of_two_set_up(said)


def version_to_come(folder: Path, statements: list[str]) -> dict[str, str]:
    """The environment of version 9.8.7, whose audit has another migration."""
    package = folder / "to_come"
    package.mkdir()
    (package / "__init__.py").touch()
    names = sorted(path.stem for path in (PROJECT / "formation_portal/audit/migrations").glob("0*.py"))
    for name in names:
        (package / f"{name}.py").write_text(
            "from importlib import import_module\n"
            f'Migration = import_module("formation_portal.audit.migrations.{name}").Migration\n'
        )
    later = LATER.replace("LAST", names[-1]).replace("STATEMENTS", repr(statements))
    (package / "9999_later.py").write_text(later)
    (folder / "settings_to_come.py").write_text(
        "from formation_portal import environment\n"
        'environment.VERSION = "9.8.7"\n'
        "from formation_portal.settings import *\n"
        'MIGRATION_MODULES = {"audit": "to_come"}\n'
    )
    return {"PYTHONPATH": str(folder), "DJANGO_SETTINGS_MODULE": "settings_to_come"}


def test_a_migration_that_fails_is_undone_and_named(tmp_path: Path, with_databases: Callable[..., Path]) -> None:
    with_databases(tmp_path)
    code, said = end(begin(tmp_path, "setup_portal", **version_to_come(tmp_path, FAILING)))
    assert code == 1
    assert "The database “default” could not be set up: the migration audit.9999_later failed and was undone: " in said
    assert "The version that served before can go on serving." in said
    assert "Traceback" not in said
    assert "ada@example.com" not in said
    with closing(sqlite3.connect(tmp_path / "portal.sqlite3")) as connection:
        assert ("half_done",) not in connection.execute("SELECT name FROM sqlite_master").fetchall()


def test_static_files_that_came_with_the_code_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings.ENV, "static_dir", str(tmp_path))
    with override_settings(STATIC_ROOT=tmp_path):
        with pytest.raises(CommandError, match="STATIC_DIR: nothing was collected there"):
            collect_static(OutputWrapper(StringIO()))
        (tmp_path / "staticfiles.json").write_text("{}")
        collect_static(OutputWrapper(StringIO()))
    assert [path.name for path in tmp_path.iterdir()] == ["staticfiles.json"]
