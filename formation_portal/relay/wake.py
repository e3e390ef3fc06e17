"""Wakes the workers from any process, and lets a page wait a moment for what they do.

On SQLite each worker has a named pipe of its own in RELAY_DIR, and a byte in it wakes the worker. On PostgreSQL each
worker listens on a connection of its own as well, so that workers on other machines are woken, too. Without either it
looks for work every second.
"""

import contextlib
import errno
import logging
import os
import secrets
import select
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import Error, connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils import timezone

from formation_portal.applications.models import Application

from .models import Delivery, DeliveryState
from .order import next_delivery
from .service_profile import current_profile

logger = logging.getLogger(__name__)

_SUFFIX = ".pipe"
_CHANNEL = "formation_portal_relay"
# What a listening connection calls itself, so that others can tell that a worker lives.
_APPLICATION = "formation-portal relay"
# How long a worker rests at most while PostgreSQL can't wake it.
_UNHEARD_SECONDS = 1.0


def wake_after_commit() -> None:
    """Wake the workers as soon as the current transaction is committed; if it isn't, nobody is woken."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"NOTIFY {_CHANNEL}")
    else:
        transaction.on_commit(wake_workers)


def wake_workers() -> bool:
    """Wake every worker of this machine that lives; whether there is one. Pipes that nobody reads are removed."""
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


class Listener:
    """A connection of a worker's own, on which PostgreSQL says that something was committed.

    It is opened again after it was lost. Meanwhile the worker looks every second.
    """

    _RETRY_SECONDS = 5.0
    # A server that vanished without a word is noticed within a minute.
    _OPTIONS = {
        "application_name": _APPLICATION,
        "keepalives_idle": 30,
        "keepalives_interval": 10,
        "keepalives_count": 3,
    }

    def __init__(self) -> None:
        self._own: BaseDatabaseWrapper | None = None
        self._retry_at = 0.0
        self._has_warned = False

    def open_if_due(self) -> bool:
        """Whether it has just begun to listen: what was committed before then is not said any more."""
        if self._own is not None or time.monotonic() < self._retry_at:
            return False
        self._retry_at = time.monotonic() + self._RETRY_SECONDS
        own = connection.copy()
        own.settings_dict["OPTIONS"] = own.settings_dict["OPTIONS"] | self._OPTIONS
        self._own = own
        try:
            with own.cursor() as cursor:
                cursor.execute(f"LISTEN {_CHANNEL}")
        except Error as error:
            self._lose(error)
            return False
        self._has_warned = False
        return True

    @property
    def sources(self) -> list[Any]:
        """What there is to select on."""
        return [self._own.connection] if self._own is not None else []

    def read(self) -> None:
        """Take what was said, which is always the same."""
        if self._own is None:
            return
        try:
            with self._own.wrap_database_errors:
                for _ in self._own.connection.notifies(timeout=0):
                    pass
        except Error as error:
            self._lose(error)

    def close(self) -> None:
        """It can be opened again."""
        if self._own is not None:
            self._own.close()
            self._own = None

    def _lose(self, error: Error) -> None:
        if not self._has_warned:
            text = "PostgreSQL does not wake the relay (%s): it looks every second meanwhile"
            logger.warning(text, type(error).__name__)
        self._has_warned = True
        self.close()


class WakePipe:
    """A worker's own pipe, and on PostgreSQL its listener."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe
        self._listener = Listener() if connection.vendor == "postgresql" else None

    def wait(self, seconds: float) -> None:
        """Return when the worker is woken, or when the time is over."""
        if self._listener and self._listener.open_if_due():
            return
        others = self._listener.sources if self._listener else []
        if self._listener and not others:
            seconds = min(seconds, _UNHEARD_SECONDS)
        ready, _, _ = select.select([self._pipe, *others], [], [], seconds)
        if self._pipe in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(self._pipe, 65_536)
        if self._listener and len(ready) > (self._pipe in ready):
            self._listener.read()

    def close(self) -> None:
        """No longer woken by anybody."""
        os.close(self._pipe)
        if self._listener:
            self._listener.close()


@contextlib.contextmanager
def open_wake_pipe() -> Iterator[WakePipe]:
    """A pipe for as long as the worker lives."""
    directory = Path(settings.RELAY_DIR)
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = directory / f"{os.getpid()}-{secrets.token_hex(4)}{_SUFFIX}"
    unseen = path.with_suffix("")
    os.mkfifo(unseen, 0o600)
    # Opened for both ends, so that it never reads as ended; and before it has its name, so that nobody finds it dead.
    pipe = WakePipe(os.open(unseen, os.O_RDWR | os.O_NONBLOCK))
    unseen.rename(path)
    try:
        yield pipe
    finally:
        path.unlink(missing_ok=True)
        pipe.close()


_POLL_SECONDS = 0.01


def wait_for(application: Application, *, timeout_ms: int | None = None) -> None:
    """Wait until nothing of the application is being sent or can be, at most RELAY_WAIT_MS. Call it after the commit.

    Where no worker runs there is nothing to wait for.
    """
    limit = settings.RELAY_WAIT_MS if timeout_ms is None else timeout_ms
    if limit <= 0 or not (wake_workers() or is_listened_to()):
        return
    until = time.monotonic() + limit / 1000
    while _is_in_motion(application) and time.monotonic() < until:
        time.sleep(_POLL_SECONDS)


def is_listened_to() -> bool:
    """Whether a worker, on whichever machine, listens to PostgreSQL."""
    if connection.vendor != "postgresql":
        return False
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = %s)",
            [_APPLICATION],
        )
        return bool(cursor.fetchone()[0])


def _is_in_motion(application: Application) -> bool:
    now = timezone.now()
    rows = list(Delivery.objects.filter(application=application))
    if any(row.state == DeliveryState.SENDING for row in rows):
        return True
    profile = current_profile()
    if profile.is_paused(now):
        return False
    return next_delivery(rows, now=now, profile=profile, may_send=profile.may_send(application)) is not None
