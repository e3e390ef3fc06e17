"""Keep files in DATA_DIR private to the portal's user: files 0600, folders 0700."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from django.conf import settings
from django.core.management.base import CommandError, OutputWrapper
from django.db import connections

_OF_OTHERS = stat.S_IRWXG | stat.S_IRWXO
# The folder of static files, which are served to everybody.
_PUBLIC = "static"


@contextmanager
def create_private(path: Path) -> Iterator[BinaryIO]:
    """Create a file that only its owner can read. Raises FileExistsError."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, stat.S_IRUSR | stat.S_IWUSR)
    with os.fdopen(handle, "wb") as file:
        yield file


def keep_files_private(stdout: OutputWrapper) -> None:
    """Set the umask, and make existing files and folders private. Outside the demo, a failure raises CommandError."""
    os.umask(_OF_OTHERS)
    still_open = [path for path in open_to_others() if not _close(path)]
    if not still_open:
        return
    trouble = (
        f"DATA_DIR: others on this machine can open {still_open[0]}, and the portal can't change that. "
        "Make it belong to the portal's user, on a file system that keeps modes; where it is the root of a volume, "
        "name a folder in it"
    )
    if not settings.DEMO:
        raise CommandError(trouble)
    stdout.write(f"Warning: {trouble}")


def open_to_others() -> Iterator[Path]:
    """Yield paths in DATA_DIR, and SQLite's files elsewhere, that other users than the portal's can open."""
    data_dir = Path(settings.DATA_DIR)
    if _is_open(data_dir):
        yield data_dir
    for connection in connections.all():
        if connection.vendor != "sqlite":
            continue
        for suffix in ("", "-wal", "-shm"):
            file = Path(f"{connection.settings_dict['NAME']}{suffix}").resolve()
            if data_dir not in file.parents and _is_open(file):
                yield file
    for folder, folders, files in os.walk(data_dir):
        if _PUBLIC in folders and Path(folder) == data_dir:
            folders.remove(_PUBLIC)
        yield from filter(_is_open, (Path(folder, name) for name in (*folders, *files)))


def _is_open(path: Path) -> bool:
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        # The file was removed meanwhile, like a database's log.
        return False
    return not stat.S_ISLNK(mode) and bool(mode & _OF_OTHERS)


def _close(path: Path) -> bool:
    """Remove other users' rights to the path. Return False if other users can still open it."""
    try:
        path.chmod(stat.S_IMODE(path.stat().st_mode) & stat.S_IRWXU)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    # Some file systems accept a mode but ignore it.
    return not _is_open(path)
