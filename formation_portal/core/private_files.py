"""What the portal keeps on the disk is its own user's alone: files 0600, folders 0700.

What is made is so by the umask of each process that serves or works; what a version before has left more open is closed
at each start.
"""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from django.conf import settings
from django.core.management.base import CommandError
from django.db import connections

_OF_OTHERS = stat.S_IRWXG | stat.S_IRWXO
# Served to everybody.
_PUBLIC = "static"

Say = Callable[[str], object]


@contextmanager
def create_private(path: Path) -> Iterator[BinaryIO]:
    """A new file that its owner alone can read. Raises FileExistsError."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, stat.S_IRUSR | stat.S_IWUSR)
    with os.fdopen(handle, "wb") as file:
        yield file


def keep_files_private(say: Say) -> None:
    """From here on this process makes nothing that others can open; what they can is closed.

    Where that is impossible others can read passports and keys: outside the demo the start ends with CommandError.
    """
    os.umask(_OF_OTHERS)
    failed = [path for path in open_to_others() if not _close(path)]
    if not failed:
        return
    trouble = (
        f"DATA_DIR: others on this machine can open {failed[0]}, and the portal can't change that. Make it belong to "
        "the portal's user, on a file system that keeps modes; where it is the root of a volume, name a folder in it"
    )
    if not settings.DEMO:
        raise CommandError(trouble)
    say(f"Warning: {trouble}")


def open_to_others() -> Iterator[Path]:
    """What others than the portal's user can open of DATA_DIR, and of databases that are files elsewhere."""
    folder = Path(settings.DATA_DIR)
    names = [str(one.settings_dict["NAME"]) for one in connections.all() if one.vendor == "sqlite"]
    files = [Path(f"{name}{suffix}") for name in names for suffix in ("", "-wal", "-shm")]
    yield from filter(_is_open, (folder, *(file for file in files if folder not in file.parents)))
    yield from _open_below(folder, but=_PUBLIC)


def _open_below(folder: Path, *, but: str = "") -> Iterator[Path]:
    # A folder is asked for once: with its entries the system gives what is needed to tell folders from files.
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name == but or entry.is_symlink():
                continue
            path = Path(entry.path)
            if _is_open(path):
                yield path
            if entry.is_dir(follow_symlinks=False):
                yield from _open_below(path)


def _is_open(path: Path) -> bool:
    try:
        return bool(path.stat().st_mode & _OF_OTHERS)
    except FileNotFoundError:
        # Removed since, like a database's log.
        return False


def _close(path: Path) -> bool:
    """Whether others can't open it any more."""
    try:
        path.chmod(stat.S_IMODE(path.stat().st_mode) & stat.S_IRWXU)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    # Some file systems take a mode and keep another.
    return not _is_open(path)
