"""Wakes the workers from any process: each has a named pipe of its own in RELAY_DIR, and a byte in it is a call.

Only a hint: a worker looks by itself every second.
"""

import contextlib
import errno
import os
import secrets
import select
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

_SUFFIX = ".pipe"


def workers() -> bool:
    """Wake every worker that lives; whether there is one. Pipes that nobody reads any more are removed."""
    found = False
    for path in _directory().glob(f"*{_SUFFIX}"):
        try:
            pipe = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            if error.errno == errno.ENXIO:
                path.unlink(missing_ok=True)
            continue
        found = True
        # A full pipe is awake already; one whose worker has just gone needs no waking.
        with contextlib.suppress(BlockingIOError, BrokenPipeError):
            os.write(pipe, b".")
        os.close(pipe)
    return found


class Alarm:
    """A worker's own pipe."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe

    def wait(self, seconds: float) -> None:
        """Return when somebody calls, or when the time is over."""
        ready, _, _ = select.select([self._pipe], [], [], seconds)
        if ready:
            with contextlib.suppress(BlockingIOError):
                os.read(self._pipe, 65_536)


@contextlib.contextmanager
def alarm() -> Iterator[Alarm]:
    """A pipe for as long as the worker lives."""
    directory = _directory()
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = directory / f"{os.getpid()}-{secrets.token_hex(4)}{_SUFFIX}"
    unseen = path.with_suffix("")
    os.mkfifo(unseen, 0o600)
    # Opened for both ends, so that it never reads as ended; and before it has its name, so that nobody finds it dead.
    pipe = os.open(unseen, os.O_RDWR | os.O_NONBLOCK)
    unseen.rename(path)
    try:
        yield Alarm(pipe)
    finally:
        path.unlink(missing_ok=True)
        os.close(pipe)


def _directory() -> Path:
    return Path(settings.RELAY_DIR)
