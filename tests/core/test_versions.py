"""Databases of a later version are refused, with the version that migrated them."""

import tomllib

import pytest
from django.core.management import CommandError
from django.db import connection, connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from formation_portal.core.background import missing_migrations
from formation_portal.core.nodes import versions
from formation_portal.core.nodes.models import Installation
from formation_portal.environment import VERSION
from tests.management.served import PROJECT

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def test_the_version_is_the_project_s() -> None:
    assert tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["version"] == VERSION


@pytest.mark.parametrize(("alias", "app"), [("default", "relay"), ("service", "service")])
def test_a_migration_that_nobody_knows_is_refused_with_who_made_it(alias: str, app: str) -> None:
    versions.refuse_other_databases()
    MigrationRecorder(connections[alias]).record_applied(app, "0999_from_tomorrow")
    values = {"version": "7.3.1 (0123456789ab)", "migrated_at": "2031-02-14T09:30:00Z"}
    Installation.objects.update_or_create(pk=1, defaults=values)
    with pytest.raises(CommandError) as refusal:
        versions.refuse_other_databases()
    assert str(refusal.value) == (
        f"The database “{alias}” has migrations that version {versions.portal_version()} does not know, such as "
        f"{app}.0999_from_tomorrow. Version 7.3.1 (0123456789ab) made them on 2031-02-14. "
        "Start that version, or restore a backup from before it."
    )


def test_the_refusal_says_so_where_no_version_is_recorded() -> None:
    MigrationRecorder(connection).record_applied("audit", "0999_from_tomorrow")
    Installation.objects.all().delete()
    with pytest.raises(CommandError, match=r"It is not recorded which version made them\."):
        versions.refuse_other_databases()


@pytest.mark.parametrize(
    ("app", "name"), [("guardian", "0001_initial"), ("account", "0099_of_a_library"), ("service", "0099_of_the_other")]
)
def test_what_is_not_ours_or_another_database_s_is_left_alone(app: str, name: str) -> None:
    MigrationRecorder(connection).record_applied(app, name)
    assert versions.unknown_migrations("default") == []


def record_as_before(alias: str, app: str, number: int) -> None:
    """Record the first migrations that `0001_tables` replaces, in its place."""
    recorder = MigrationRecorder(connections[alias])
    recorder.record_unapplied(app, "0001_tables")
    replaced = MigrationLoader(None, ignore_no_migrations=True).disk_migrations[app, "0001_tables"].replaces
    for label, name in replaced[number:]:
        # A new database has all of them recorded.
        recorder.record_unapplied(label, name)


@pytest.mark.parametrize(
    ("alias", "app", "some", "every"), [("default", "relay", 15, 16), ("service", "service", 1, 10)]
)
def test_a_database_with_only_some_of_the_replaced_migrations_is_refused_and_with_all_taken_as_it_is(
    alias: str, app: str, some: int, every: int
) -> None:
    record_as_before(alias, app, every)
    versions.refuse_other_databases()
    assert missing_migrations(alias) == []
    record_as_before(alias, app, some)
    with pytest.raises(CommandError) as refusal:
        versions.refuse_other_databases()
    assert str(refusal.value) == (
        f"The database “{alias}” is too old for this version. "
        "Start commit 6b59e74e with it once, then start this version again."
    )
    assert missing_migrations(alias) == []
