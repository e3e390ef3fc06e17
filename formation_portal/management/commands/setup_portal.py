"""`manage.py setup_portal`: what has to stand before the portal can serve.

Each step looks first, and does nothing where nothing is to do.
"""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.exceptions import ImproperlyConfigured
from django.core.files.storage import storages
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import Error, connections

from formation_portal.accounts.demo import deactivate_demo_accounts, ensure_demo_accounts
from formation_portal.core.background import missing_migrations
from formation_portal.core.databases import SERVICE
from formation_portal.core.monitoring import tracing
from formation_portal.core.nodes.startup import open_secrets, refuse_other_secrets
from formation_portal.core.nodes.versions import record_migration, refuse_newer_databases
from formation_portal.core.private_files import keep_files_private
from formation_portal.core.storage import SERVICE_FILES
from formation_portal.environment import misspelled_settings
from formation_portal.management.commands.remove_orphans import remove_orphans, remove_orphans_daily
from formation_portal.management.setup_lock import lock_data_dir, lock_databases
from formation_portal.service import auth
from formation_portal.service.catalog.loader import read_catalog, store_catalog
from formation_portal.service.webhooks.sending import signing_key

Say = Callable[[str], None]

# Beside the collected files, not among them: they are served to everybody.
STATIC_DIGEST = "static-digest"


class Command(BaseCommand):
    help = "Migrate both databases, load the catalog, create keys and demo accounts, and collect static files."

    def handle(self, *args: Any, **options: Any) -> None:
        """Says only what there was to do."""
        prepare(self.stdout.write)


def prepare(say: Say) -> None:
    """Bring databases, keys, bucket, catalog, accounts and static files up to date; `say` hears what was done.

    Tables come first, then the secrets that are in one of them, then the bucket, whose files these encrypt.
    """
    for name, meant in misspelled_settings(os.environ).items():
        say(f"Warning: {name} is no setting of the portal. Is it {meant} that you mean?")
    if trouble := tracing.trouble():
        say(f"Warning: {trouble}")
    keep_files_private(say)
    with lock_data_dir(say):
        open_databases()
        with lock_databases(say):
            prepare_databases(say)
            open_secrets(say)
            # The last of the secrets that nodes share.
            signing_key()
            refuse_other_secrets()
            check_storage(say)
            fill_and_collect(say)


def open_databases() -> None:
    """Connect to both; one that can't be opened ends the start, with its setting's name."""
    for alias in connections:
        try:
            connections[alias].ensure_connection()
        except Error as error:
            setting = "SERVICE_DATABASE_URL" if alias == SERVICE else "DATABASE_URL"
            raise CommandError(f"{setting}: the database can't be opened: {first_line(error)}") from None


def prepare_databases(say: Say) -> None:
    """Bring the tables to this version. Raises CommandError if a later version has migrated them."""
    refuse_newer_databases()
    for alias in connections:
        migrate(alias, say)
    # Of the attempts that are counted (CACHES); looks first whether it is there.
    call_command("createcachetable", verbosity=0)
    if settings.ENV.cache_url and (trouble := shared_cache_trouble()):
        say(f"Warning: CACHE_URL: the cache does not answer, and the database counts meanwhile: {trouble}")


def fill_and_collect(say: Say) -> None:
    """What stands in the tables from the beginning, and the static files."""
    if store_catalog(read_catalog()):
        say("Loaded the catalog")
    auth.portal_key()
    auth.ensure_demo_key()
    if settings.DEMO:
        ensure_demo_accounts()
    else:
        deactivate_demo_accounts()
    collect_static(say)
    try:
        if removed := (remove_orphans_daily() if settings.ENV.storage_url else remove_orphans()):
            say(f"Removed unused files: {removed}")
    except OSError as error:
        say(f"Warning: unused files were not removed: {error.strerror}")


def check_storage(say: Say) -> None:
    """One that can't be used as it is set stops the start; one that is away may come back while the portal runs."""
    for alias in ("default", SERVICE_FILES) if settings.ENV.storage_url else ():
        storage: Any = storages[alias]
        try:
            storage.check()
        except ImproperlyConfigured as error:
            raise CommandError(f"STORAGE_URL: {error}") from None
        except OSError as error:
            say(f"Warning: STORAGE_URL: {error.strerror}. There are no uploads and downloads until it does.")
            return


def shared_cache_trouble() -> str:
    """Why the shared cache can't be used; empty where it can."""
    # Nobody else loads its client, unless there is one.
    from formation_portal.core.servers.shared_cache import trouble

    return trouble()


def migrate(alias: str, say: Say) -> None:
    """Apply the migrations that a database lacks. Each is a transaction: what fails leaves the tables as they were
    before it, for the version that serves meanwhile."""
    missing = missing_migrations(alias)
    if not missing:
        return
    say(f"Setting up the database “{alias}”")
    # The portal's migrations would make no table in the service's database, and take seconds to find that out.
    only = [SERVICE] if alias == SERVICE else []
    try:
        call_command("migrate", *only, database=alias, interactive=False, verbosity=0)
    except Exception as error:
        remaining = missing_migrations(alias)
        if len(remaining) < len(missing):
            record_migration()
        failed = next(iter(remaining), "what follows the last one")
        # Only a database's own words: others may hold what stands in a row.
        reason = first_line(error) if isinstance(error, Error) else type(error).__name__
        raise CommandError(
            f"The database “{alias}” could not be set up: the migration {failed} failed and was undone: {reason}\n"
            "The version that served before can go on serving. `manage.py migrate` shows the whole error."
        ) from error
    record_migration()


def first_line(error: Error) -> str:
    """Of what a database says; what follows may hold values."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def collect_static(say: Say) -> None:
    """Copy, hash and compress the static files, where one of them has changed since they were last collected; those of
    STATIC_DIR came with the code, and are left as they are."""
    if settings.ENV.static_dir:
        if not (Path(settings.STATIC_ROOT) / "staticfiles.json").exists():
            raise CommandError("STATIC_DIR: nothing was collected there. Run `manage.py collectstatic --no-input`.")
        return
    note = Path(settings.DATA_DIR) / STATIC_DIGEST
    digest = static_digest()
    if note.exists() and note.read_text() == digest and Path(settings.STATIC_ROOT).exists():
        return
    say("Collecting static files")
    call_command("collectstatic", interactive=False, clear=True, verbosity=0)
    note.write_text(digest)


def static_digest() -> str:
    """The same while no static file, and nothing that treats them, has changed."""
    digest = hashlib.sha256(settings.STORAGES["staticfiles"]["BACKEND"].encode())
    found = [(name, storage.path(name)) for finder in get_finders() for name, storage in finder.list(None)]
    for name, path in sorted(found):
        status = Path(path).stat()
        digest.update(f"{name}\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
    return digest.hexdigest()
