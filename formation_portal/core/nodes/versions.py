"""Record the portal's version that last migrated the databases. Refuse databases that are too new or too old."""

import hashlib
from functools import cache
from pathlib import Path

from django.apps import apps
from django.core.management.base import CommandError
from django.db import connection, connections, router
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from formation_portal.environment import PROJECT, VERSION

from .models import Installation

_APPS = "formation_portal."
# The last commit with the migrations that each app's `0001_tables` replaces.
LAST_SEPARATE_MIGRATIONS = "6b59e74e"


@cache
def code_version() -> str:
    """Return a digest of the portal's source text."""
    digest = hashlib.sha256()
    for folder, pattern in (("formation_portal", "*.py"), ("templates", "*"), ("static", "*.[cj]s*")):
        for path in sorted(filter(Path.is_file, (PROJECT / folder).rglob(pattern))):
            digest.update(f"{path.relative_to(PROJECT)}\0".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12]


def portal_version() -> str:
    return f"{VERSION} ({code_version()})"


def record_migration() -> None:
    """Record that this version has migrated the databases, if the table for this record exists."""
    if _can_be_recorded():
        Installation.objects.update_or_create(
            pk=1, defaults={"version": portal_version(), "migrated_at": timezone.now()}
        )


def refuse_other_databases() -> None:
    """Raise CommandError if a database is too old, or has migrations that this version does not know."""
    for alias in connections:
        if is_too_old(alias):
            raise CommandError(
                f"The database “{alias}” is too old for this version. Start commit {LAST_SEPARATE_MIGRATIONS} with it "
                "once, then start this version again."
            )
        if unknown := unknown_migrations(alias):
            raise CommandError(
                f"The database “{alias}” has migrations that version {portal_version()} does not know, such as "
                f"{unknown[0]}. {_describe_last_migration()} Start that version, or restore a backup from before it."
            )


def is_too_old(alias: str) -> bool:
    """Tell whether a database has only some of the older migrations that a present migration replaces."""
    applied = set(MigrationRecorder(connections[alias]).applied_migrations())
    for key, migration in MigrationLoader(None, ignore_no_migrations=True).disk_migrations.items():
        if router.allow_migrate(alias, key[0]) and key not in applied:
            replaced = set(migration.replaces)
            if replaced & applied and not replaced <= applied:
                return True
    return False


def unknown_migrations(alias: str) -> list[str]:
    """List our apps' applied migrations that this version neither has nor replaces."""
    files = MigrationLoader(None, ignore_no_migrations=True).disk_migrations
    known_migrations = set(files)
    for migration in files.values():
        known_migrations.update(migration.replaces)
    # Migrations of a removed app, or of a library that renamed its migrations, don't show the portal's version.
    labels = {app.label for app in apps.get_app_configs() if app.name.startswith(_APPS)}
    unknown = []
    for label, name in MigrationRecorder(connections[alias]).applied_migrations():
        if label in labels and router.allow_migrate(alias, label) and (label, name) not in known_migrations:
            unknown.append(f"{label}.{name}")
    return sorted(unknown)


def _describe_last_migration() -> str:
    if _can_be_recorded() and (row := Installation.objects.exclude(version="").first()):
        return f"Version {row.version} made them on {row.migrated_at:%Y-%m-%d}."
    return "It is not recorded which version made them."


def _can_be_recorded() -> bool:
    return Installation._meta.db_table in connection.introspection.table_names()
