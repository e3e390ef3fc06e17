"""`manage.py setup_portal`: set up everything that the portal needs to serve."""

import hashlib
import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.cache import caches
from django.core.exceptions import ImproperlyConfigured
from django.core.files.storage import storages
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, OutputWrapper
from django.db import Error, connections

from formation_portal.accounts.demo import deactivate_demo_accounts, ensure_demo_accounts
from formation_portal.core.background import missing_migrations
from formation_portal.core.databases import SERVICE, URL_SETTINGS
from formation_portal.core.monitoring import tracing
from formation_portal.core.nodes.startup import open_secrets, refuse_other_secrets
from formation_portal.core.nodes.versions import record_migration, refuse_other_databases
from formation_portal.core.private_files import keep_files_private
from formation_portal.core.storage import SERVICE_FILES
from formation_portal.environment import misspelled_settings
from formation_portal.management.commands.remove_orphans import remove_orphans, remove_orphans_daily
from formation_portal.management.setup_lock import lock_data_dir, lock_databases
from formation_portal.service import auth
from formation_portal.service.catalog.loader import read_catalog, store_catalog
from formation_portal.service.webhooks.sending import signing_key

# This file is beside the collected files, not among them, since the collected files are served to everybody.
STATIC_DIGEST = "static-digest"


class Command(BaseCommand):
    help = "Migrate both databases, load the catalog, create keys and demo accounts, and collect static files."

    def handle(self, *args: Any, **options: Any) -> None:
        prepare(self.stdout)


def prepare(stdout: OutputWrapper) -> None:
    """Bring databases, keys, bucket, catalog, accounts and static files up to date, and report each change."""
    for name, meant in misspelled_settings(os.environ).items():
        stdout.write(f"Warning: {name} is no setting of the portal. Is it {meant} that you mean?")
    if trouble := tracing.trouble():
        stdout.write(f"Warning: {trouble}")
    keep_files_private(stdout)
    with lock_data_dir(stdout):
        open_databases()
        with lock_databases(stdout):
            prepare_databases(stdout)
            open_secrets(stdout)
            # Makes the last of the secrets that nodes share.
            signing_key()
            refuse_other_secrets()
            check_storage(stdout)
            fill_and_collect(stdout)


def open_databases() -> None:
    """Raise CommandError with the name of the setting if a database can't be opened."""
    for alias in connections:
        try:
            connections[alias].ensure_connection()
        except Error as error:
            raise CommandError(f"{URL_SETTINGS[alias]}: the database can't be opened: {first_line(error)}") from None


def explain_unprepared() -> str:
    """Return why a command can't run: a database is away, of another version or not set up; "" if none of these."""
    connections.close_all()
    try:
        open_databases()
        refuse_other_databases()
    except CommandError as error:
        return f"CommandError: {error}"
    if any(map(missing_migrations, connections)):
        return "CommandError: The databases are not set up for this version. Run setup first: manage.py setup_portal"
    return ""


def prepare_databases(stdout: OutputWrapper) -> None:
    """Migrate the tables to this version. Raises CommandError if they are of a later version or too old."""
    refuse_other_databases()
    for alias in connections:
        migrate(alias, stdout)
    # Makes the cache's table of counted attempts (CACHES), if it does not exist.
    call_command("createcachetable", verbosity=0)
    cache: Any = caches["default"]
    if settings.ENV.cache_url and (reason := cache.trouble()):
        stdout.write(f"Warning: CACHE_URL: the cache does not answer, and the database counts meanwhile: {reason}")


def fill_and_collect(stdout: OutputWrapper) -> None:
    if store_catalog(read_catalog()):
        stdout.write("Loaded the catalog")
    auth.portal_key()
    auth.ensure_demo_key()
    if settings.DEMO:
        ensure_demo_accounts()
    else:
        deactivate_demo_accounts()
    collect_static(stdout)
    try:
        removed = remove_orphans_daily() if settings.ENV.storage_url else remove_orphans()
    except OSError as error:
        stdout.write(f"Warning: unused files were not removed: {error.strerror}")
    else:
        if removed:
            stdout.write(f"Removed unused files: {removed}")


def check_storage(stdout: OutputWrapper) -> None:
    """Raise CommandError if the bucket refuses access. Only warn if the bucket can't be reached at the moment."""
    if not settings.ENV.storage_url:
        return
    for alias in ("default", SERVICE_FILES):
        storage: Any = storages[alias]
        try:
            storage.check()
        except ImproperlyConfigured as error:
            raise CommandError(f"STORAGE_URL: {error}") from None
        except OSError as error:
            stdout.write(f"Warning: STORAGE_URL: {error.strerror}. There are no uploads and downloads until it does.")
            return


def migrate(alias: str, stdout: OutputWrapper) -> None:
    """Apply the migrations that a database lacks. Raises CommandError if one fails.

    A failed migration leaves the tables unchanged for the version that is still serving.
    """
    missing = missing_migrations(alias)
    if not missing:
        return
    stdout.write(f"Setting up the database “{alias}”")
    # The portal's migrations would take seconds on the service's database without making a table there.
    app_labels = [SERVICE] if alias == SERVICE else []
    try:
        call_command("migrate", *app_labels, database=alias, interactive=False, verbosity=0)
    except Exception as error:
        remaining = missing_migrations(alias)
        if len(remaining) < len(missing):
            record_migration()
        failed = next(iter(remaining), "what follows the last one")
        # The texts of other errors may hold data of a row.
        reason = first_line(error) if isinstance(error, Error) else type(error).__name__
        raise CommandError(
            f"The database “{alias}” could not be set up: the migration {failed} failed and was undone: {reason}\n"
            "The version that served before can go on serving. `manage.py migrate` shows the whole error."
        ) from error
    record_migration()


def first_line(error: Error) -> str:
    """Return the first line of a database's error. Further lines may hold data of a row."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def collect_static(stdout: OutputWrapper) -> None:
    """Collect the static files if one has changed since the last time."""
    if settings.ENV.static_dir:
        if not (Path(settings.STATIC_ROOT) / "staticfiles.json").exists():
            raise CommandError("STATIC_DIR: nothing was collected there. Run `manage.py collectstatic --no-input`.")
        return
    digest_file = Path(settings.DATA_DIR) / STATIC_DIGEST
    digest = static_digest()
    if digest_file.exists() and digest_file.read_text() == digest and Path(settings.STATIC_ROOT).exists():
        return
    stdout.write("Collecting static files")
    call_command("collectstatic", interactive=False, clear=True, verbosity=0)
    digest_file.write_text(digest)


def static_digest() -> str:
    """Return a digest of the names, sizes and times of all static files, and of their storage."""
    digest = hashlib.sha256(settings.STORAGES["staticfiles"]["BACKEND"].encode())
    files = []
    for finder in get_finders():
        for name, storage in finder.list(None):
            files.append((name, storage.path(name)))
    for name, path in sorted(files):
        status = Path(path).stat()
        digest.update(f"{name}\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
    return digest.hexdigest()
