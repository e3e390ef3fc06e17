"""Whether each commit waits for the disk: kill -9 alone would not show it, since the kernel keeps what was written."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.db import connections

from .acknowledged import save_for_ever
from .scratch import FORK, Result, start

_SAVES = 30
_PATIENCE_SECONDS = 60


def syncs() -> Iterator[Result]:
    """How often a writer has made SQLite wait for the disk, against what it has acknowledged by then."""
    if shutil.which("strace") is None:
        yield "sqlite_syncs", "not run: strace is not installed"
        return
    connections.close_all()
    pipe, child_end = os.pipe()
    go = FORK.Event()
    writer = start(_commit_when_told, go, child_end)
    os.close(child_end)
    with tempfile.NamedTemporaryFile("r") as log:
        command = ["strace", "-f", "-e", "trace=fdatasync", "-o", log.name, "-p", str(writer.pid)]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as tracer:
            assert tracer.stderr is not None
            # strace says that it has attached.
            tracer.stderr.readline()
            go.set()
            acknowledged = _lines(pipe, at_least=_SAVES)
            writer.kill()
            writer.join()
            tracer.wait(_PATIENCE_SECONDS)
        calls = Path(log.name).read_text().count("fdatasync(")
    yield "sqlite_acknowledged_under_strace", acknowledged
    yield "sqlite_syncs", calls


def _commit_when_told(go: Any, pipe: int) -> None:
    go.wait()
    save_for_ever(0, pipe)


def _lines(pipe: int, *, at_least: int) -> int:
    received = b""
    until = time.monotonic() + _PATIENCE_SECONDS
    while received.count(b"\n") < at_least and time.monotonic() < until:
        received += os.read(pipe, 65_536)
    os.close(pipe)
    return received.count(b"\n")
