"""Wakes the workers from any process, and lets a page wait a moment for what they do.

Each worker has a named pipe of its own in RELAY_DIR, and a byte in it wakes the worker; without one it looks for work
every second. No socket is opened here.
"""

import contextlib
import errno
import os
import secrets
import select
import time
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from formation_portal.applications.models import Application

from .models import Delivery, DeliveryState
from .order import next_delivery
from .service_profile import current_profile

_SUFFIX = ".pipe"


def wake_workers() -> bool:
    """Wake every worker that lives; whether there is one. Pipes that nobody reads any more are removed."""
    found = False
    for path in Path(settings.RELAY_DIR).glob(f"*{_SUFFIX}"):
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


class WakePipe:
    """A worker's own pipe."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe

    def wait(self, seconds: float) -> None:
        """Return when the worker is woken, or when the time is over."""
        ready, _, _ = select.select([self._pipe], [], [], seconds)
        if ready:
            with contextlib.suppress(BlockingIOError):
                os.read(self._pipe, 65_536)


@contextlib.contextmanager
def open_wake_pipe() -> Iterator[WakePipe]:
    """A pipe for as long as the worker lives."""
    directory = Path(settings.RELAY_DIR)
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = directory / f"{os.getpid()}-{secrets.token_hex(4)}{_SUFFIX}"
    unseen = path.with_suffix("")
    os.mkfifo(unseen, 0o600)
    # Opened for both ends, so that it never reads as ended; and before it has its name, so that nobody finds it dead.
    pipe = os.open(unseen, os.O_RDWR | os.O_NONBLOCK)
    unseen.rename(path)
    try:
        yield WakePipe(pipe)
    finally:
        path.unlink(missing_ok=True)
        os.close(pipe)


_POLL_SECONDS = 0.01


def wait_for(application: Application, *, timeout_ms: int | None = None) -> None:
    """Wait until nothing of the application is being sent or can be, at most RELAY_WAIT_MS. Call it after the commit.

    Where no worker runs there is nothing to wait for.
    """
    limit = settings.RELAY_WAIT_MS if timeout_ms is None else timeout_ms
    if limit <= 0 or not wake_workers():
        return
    until = time.monotonic() + limit / 1000
    while _is_in_motion(application) and time.monotonic() < until:
        time.sleep(_POLL_SECONDS)


def _is_in_motion(application: Application) -> bool:
    now = timezone.now()
    rows = list(Delivery.objects.filter(application=application))
    if any(row.state == DeliveryState.SENDING for row in rows):
        return True
    profile = current_profile()
    if profile.is_paused(now):
        return False
    return next_delivery(rows, now=now, profile=profile, may_send=profile.may_send(application)) is not None
