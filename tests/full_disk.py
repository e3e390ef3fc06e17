"""Disks that are full: a tiny one that is really mounted, and a limit to the size of files in a child process.

The first answers "No space left on device", the second "File too large". Neither needs anything but Linux; mounting
needs the right to do so.
"""

import multiprocessing
import os
import resource
import signal
import sqlite3
import subprocess
import traceback
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import pytest
from django.db import connections

_FORK = multiprocessing.get_context("fork")


class FullDisk(Protocol):
    """`folder` lies on it. `during` does something while at most `room` bytes can be written to any file there."""

    folder: Path

    def during(self, act: Callable[[], Any], *, room: int) -> Any: ...


class Mounted:
    """A file system in memory, of 12 MB."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", folder], check=True)

    def during(self, act: Callable[[], Any], *, room: int) -> Any:
        """What it gives back, done on a disk that other files have filled up to the room that is left."""
        ballast = self.folder / "ballast"
        with ballast.open("wb", buffering=0) as file:
            while (left := self._left()) > room:
                file.write(bytes(min(left - room, 65_536)))
        try:
            return act()
        finally:
            ballast.unlink()

    def _left(self) -> int:
        status = os.statvfs(self.folder)
        return status.f_bavail * status.f_bsize

    def unmount(self) -> None:
        """Gone with all that is on it, also where something is still open."""
        subprocess.run(["umount", "--lazy", self.folder], check=True)


class Limited:
    """Any folder, in a process that may write no larger file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def during(self, act: Callable[[], Any], *, room: int) -> Any:
        """What it gives back, done in a child; whatever it raises is raised here."""
        _empty_the_logs()
        connections.close_all()
        here, there = _FORK.Pipe()
        child = _FORK.Process(target=_within, args=(act, room, there))
        child.start()
        there.close()
        try:
            is_done, result = here.recv()
        finally:
            child.join()
        assert is_done, result
        return result


def _empty_the_logs() -> None:
    """What others have written before must not count against what a file may have."""
    for alias in connections:
        if connections[alias].vendor == "sqlite":
            with connections[alias].cursor() as cursor:
                cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _within(act: Callable[[], Any], room: int, answer: Any) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
    try:
        result = (True, act())
    except BaseException:
        result = (False, traceback.format_exc())
    answer.send(result)
    # Nothing of the test runner's is ended twice.
    os._exit(0)


@cache
def may_mount() -> bool:
    """Whether this process may mount, in a name space of its own that ends with the question."""
    asked = ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    try:
        return os.geteuid() == 0 and subprocess.run(asked, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


needs_a_mount = pytest.mark.skipif(
    not may_mount(), reason="not run: nothing may be mounted here; the limit to file sizes stands in for it"
)


@pytest.fixture(params=[pytest.param(Mounted, marks=needs_a_mount), Limited])
def disk(request: pytest.FixtureRequest, tmp_path: Path, settings: Any) -> Iterator[FullDisk]:
    """The disk that uploads lie on, the portal's and the service's, also while they arrive."""
    disk = request.param(tmp_path / "disk")
    for name in ("documents", "service-documents", "arriving"):
        (disk.folder / name).mkdir()
    settings.MEDIA_ROOT = disk.folder / "documents"
    settings.SERVICE_DOCUMENTS = disk.folder / "service-documents"
    settings.FILE_UPLOAD_TEMP_DIR = disk.folder / "arriving"
    settings.RELAY_WAIT_MS = 0
    yield disk
    if isinstance(disk, Mounted):
        disk.unmount()


@pytest.fixture
def databases_on_it(disk: FullDisk) -> Iterator[None]:
    """Both databases on that disk. They are opened once more, since what SQLite shares among processes takes room."""
    there = {alias: connections[alias].settings_dict["NAME"] for alias in connections}
    for alias in there:
        name = str(disk.folder / f"{alias}.sqlite3")
        connections[alias].close()
        source, copy = sqlite3.connect(there[alias]), sqlite3.connect(name)
        source.backup(copy)
        source.close()
        copy.close()
        connections[alias].settings_dict["NAME"] = name
        connections[alias].ensure_connection()
    yield
    for alias, name in there.items():
        connections[alias].close()
        connections[alias].settings_dict["NAME"] = name
