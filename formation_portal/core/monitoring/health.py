"""Check the infrastructure: databases, disk, cache and storage."""

import secrets
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.cache import caches
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import Error, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils import timezone

from ..background import missing_migrations
from ..databases import URL_SETTINGS, outage_in
from ..encryption import key_ring
from ..key_rotation import outdated
from ..nodes.versions import LAST_SEPARATE_MIGRATIONS, is_too_old
from ..private_files import open_to_others
from .checks import CheckResult, fault, look, ok

# The seconds by which two clocks may differ. From 300 seconds on, events are refused.
MAX_CLOCK_DIFFERENCE = 30.0
# The free bytes needed: for an upload, a database's log and the collected static files.
LOW_DISK = 2_000_000_000
FULL_DISK = 500_000_000
_SET_UP = "Run manage.py setup_portal."
SEE_DATABASES = "See the results of the databases."


def check_encryption() -> Iterator[CheckResult]:
    """Check that all personal data is encrypted with the newest key."""
    keys = len(key_ring().by_id)
    places = list(outdated())
    if places:
        finding = f"{len(places)} columns or folders hold what an earlier key has encrypted, or none: "
        yield look("Encryption", finding + ", ".join(places[:3]), "Run manage.py rotate_keys --again.")
    elif keys > 1:
        yield look("Encryption", f"nothing needs {keys - 1} of the {keys} keys", "Run manage.py rotate_keys --drop.")
    else:
        yield ok("Encryption", "everything personal is encrypted by the one key")


def check_databases() -> Iterator[CheckResult]:
    """Check that each database answers and has all migrations, the right time and an undamaged file."""
    for alias in connections:
        name = f"Database “{alias}”"
        try:
            yield from _check_database(name, connections[alias])
        except Error as error:
            connections[alias].close()
            remedy = f"Start the database server, or correct {URL_SETTINGS[alias]}; a damaged file needs a backup."
            yield fault(name, f"does not answer ({type(error).__name__})", remedy)


def _check_database(name: str, connection: BaseDatabaseWrapper) -> Iterator[CheckResult]:
    began = time.perf_counter()
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    milliseconds = round((time.perf_counter() - began) * 1000)
    if is_too_old(connection.alias):
        remedy = f"Start commit {LAST_SEPARATE_MIGRATIONS} with it once."
        yield fault(name, "is too old for this version", remedy)
    elif missing := len(missing_migrations(connection.alias)):
        yield fault(name, f"{missing} migrations are not applied", _SET_UP)
    else:
        yield ok(name, f"{connection.vendor} answers in {milliseconds} ms, all migrations are applied")
    yield clock_result(f"Clock of “{connection.alias}”", _seconds_ahead(connection))
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA quick_check(1)")
            [(result,)] = cursor.fetchall()
        file = f"File of “{connection.alias}”"
        if result == "ok":
            yield ok(file, "is whole")
        else:
            yield fault(file, "is damaged", "Stop the portal, and restore the last backup.")


def _seconds_ahead(connection: BaseDatabaseWrapper) -> float:
    if connection.vendor == "sqlite":
        sql = "SELECT (julianday('now') - 2440587.5) * 86400.0"
    else:
        sql = "SELECT extract(epoch FROM clock_timestamp())"
    with connection.cursor() as cursor:
        cursor.execute(sql)
        [(seconds,)] = cursor.fetchall()
    return float(seconds) - timezone.now().timestamp()


def clock_result(check: str, ahead: float) -> CheckResult:
    """Rate a clock by the seconds that it is ahead of this machine's clock."""
    if abs(ahead) <= MAX_CLOCK_DIFFERENCE:
        return ok(check, f"within {max(1, round(abs(ahead)))} s of this machine's")
    side = "ahead of" if ahead > 0 else "behind"
    finding = f"{round(abs(ahead)):,} s {side} this machine's"
    return fault(check, finding, "Set both clocks by NTP; correct the wrong one.")


def check_disk() -> Iterator[CheckResult]:
    folders = [Path(settings.DATA_DIR)]
    for connection in connections.all():
        if connection.vendor == "sqlite":
            folders.append(Path(connection.settings_dict["NAME"]).parent)
    devices = set()
    for folder in folders:
        if not folder.is_dir() or folder.stat().st_dev in devices:
            continue
        devices.add(folder.stat().st_dev)
        free = shutil.disk_usage(folder).free
        finding = f"{free / 1e9:.1f} GB free at {folder}"
        if free < FULL_DISK:
            yield fault("Disk", finding, "Make room: nothing can be saved once it is full.")
        elif free < LOW_DISK:
            yield look("Disk", finding, "Make room soon.")
        else:
            yield ok("Disk", finding)


def check_data_folder() -> Iterator[CheckResult]:
    folder = Path(settings.DATA_DIR)
    exposed = list(open_to_others())
    keys = sorted(path.name for path in exposed if path.parent == folder and path.name.endswith(("-key", "-secret")))
    remedy = f"Start the portal anew, which closes them; or chmod -R go= {folder}"
    if keys:
        yield fault("DATA_DIR", f"others on this machine can read {', '.join(keys)}", remedy)
    elif exposed:
        place = "the folder" if folder in exposed else f"{len(exposed)} of its files and folders"
        yield look("DATA_DIR", f"others on this machine can open {place}", remedy)
    else:
        yield ok("DATA_DIR", "is closed to others on this machine")


def check_storage() -> Iterator[CheckResult]:
    """Write, read and delete a small file in the storage of uploads."""
    content = secrets.token_bytes(16)
    storage: Any = default_storage
    name = f"doctor-{content.hex()}"
    try:
        # The file is not encrypted, since the key may be in a database that is away.
        storage.save_stored(name, ContentFile(content))
        try:
            with storage.open_stored(name) as file:
                is_same = file.read() == content
        finally:
            storage.delete(name)
    # Each storage raises its own types of errors.
    except Exception as error:
        if settings.ENV.storage_url:
            remedy = "Start the bucket's server, or correct STORAGE_URL; the key has to write, list, read and delete."
        else:
            remedy = "Make the folder of uploads writable for the portal's user, and see that it has room."
        yield fault("Storage", f"a file can't be kept ({type(error.__cause__ or error).__name__})", remedy)
        return
    if is_same:
        yield ok("Storage", "writes, reads and removes a file")
    else:
        yield fault("Storage", "gives back something else than was written", "Check the disk or the store.")


def check_cache() -> Iterator[CheckResult]:
    """Write, read and delete a value in the cache, which counts attempts to sign in."""
    cache: Any = caches["default"]
    if settings.ENV.cache_url and cache.trouble():
        finding = "the shared cache does not answer or refuses; the database counts meanwhile"
        yield fault("Cache", finding, "Start the cache's server, or correct CACHE_URL.")
        return
    key = f"doctor-{secrets.token_hex(8)}"
    value = secrets.token_hex(8)
    try:
        cache.set(key, value, 30)
        is_same = cache.get(key) == value
        cache.delete(key)
    except Exception as error:
        remedy = SEE_DATABASES if outage_in(error) else _SET_UP
        yield fault("Cache", f"does not answer ({type(error).__name__})", remedy)
        return
    if is_same:
        yield ok("Cache", "keeps and forgets a value")
    else:
        yield fault("Cache", "does not keep a value, so no attempt to sign in is counted", _SET_UP)
