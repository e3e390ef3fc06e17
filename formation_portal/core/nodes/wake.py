"""Wakes workers from any process as soon as there is something for them to do.

On SQLite each worker has a named pipe of its own, and a byte in it wakes the worker. On PostgreSQL each worker listens
on a connection of its own as well, so that workers on other machines are woken, too. Without either it looks for work
every second.
"""

import contextlib
import errno
import logging
import os
import secrets
import select
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, Error, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

logger = logging.getLogger(__name__)

_SUFFIX = ".pipe"
# How long a worker rests at most while PostgreSQL, or the system, can't wake it.
_UNHEARD_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Channel:
    """Workers of one kind, and the database whose commits they wait for."""

    name: str
    alias: str = DEFAULT_DB_ALIAS

    def wake_after_commit(self) -> None:
        """Wake the workers as soon as the current transaction is committed; if it isn't, nobody is woken."""
        if self._is_on_postgresql:
            with connections[self.alias].cursor() as cursor:
                cursor.execute(f"NOTIFY {self.topic}")
        else:
            transaction.on_commit(self._wake_quietly, using=self.alias)

    def wake(self) -> bool:
        """Wake every worker of this machine that lives; whether there is one. Pipes that nobody reads are removed."""
        found = False
        for path in self._folder.glob(f"*{_SUFFIX}"):
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

    def _wake_quietly(self) -> None:
        # What was committed is; the worker looks by itself within a second.
        with contextlib.suppress(OSError):
            self.wake()

    def is_listened_to(self) -> bool:
        """Whether a worker, on whichever machine, listens to PostgreSQL."""
        if not self._is_on_postgresql:
            return False
        with connections[self.alias].cursor() as cursor:
            cursor.execute(
                "SELECT EXISTS (SELECT FROM pg_stat_activity "
                "WHERE datname = current_database() AND application_name = %s)",
                [self.application_name],
            )
            return bool(cursor.fetchone()[0])

    @contextlib.contextmanager
    def listen(self) -> Iterator["WakePipe"]:
        """A pipe for as long as the worker lives. A disk that can't have one is no reason not to work."""
        try:
            path, pipe = self._make_pipe()
        except OSError as error:
            logger.warning("Nothing wakes %s on this machine (%s): it looks every second", self.name, error.strerror)
            path, pipe = None, None
        wake_pipe = WakePipe(pipe, Listener(self) if self._is_on_postgresql else None)
        try:
            yield wake_pipe
        finally:
            if path is not None:
                path.unlink(missing_ok=True)
            wake_pipe.close()

    def _make_pipe(self) -> tuple[Path, int]:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._folder / f"{os.getpid()}-{secrets.token_hex(4)}{_SUFFIX}"
        unseen = path.with_suffix("")
        os.mkfifo(unseen, 0o600)
        # Opened for both ends, so that it never reads as ended; and before it has its name, so that nobody finds it
        # dead.
        pipe = os.open(unseen, os.O_RDWR | os.O_NONBLOCK)
        unseen.rename(path)
        return path, pipe

    @property
    def topic(self) -> str:
        """What PostgreSQL calls it."""
        return f"formation_portal_{self.name}"

    @property
    def application_name(self) -> str:
        """What a listening connection calls itself, so that others can tell that a worker lives."""
        return f"formation-portal {self.name}"

    @property
    def _folder(self) -> Path:
        """Beside the relay's own, in DATA_DIR."""
        return Path(settings.RELAY_DIR).with_name(self.name)

    @property
    def _is_on_postgresql(self) -> bool:
        return connections[self.alias].vendor == "postgresql"


class Listener:
    """A connection of a worker's own, on which PostgreSQL says that something was committed.

    It is opened again after it was lost. Meanwhile the worker looks every second.
    """

    _RETRY_SECONDS = 5.0
    # A server that vanished without a word is noticed within a minute.
    _KEEPALIVE = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._own: BaseDatabaseWrapper | None = None
        self._retry_at = 0.0
        self._has_warned = False

    def open_if_due(self) -> bool:
        """Whether it has just begun to listen: what was committed before then is not said any more."""
        if self._own is not None or time.monotonic() < self._retry_at:
            return False
        self._retry_at = time.monotonic() + self._RETRY_SECONDS
        own = connections[self._channel.alias].copy()
        named = {"application_name": self._channel.application_name}
        own.settings_dict["OPTIONS"] = own.settings_dict["OPTIONS"] | self._KEEPALIVE | named
        self._own = own
        try:
            with own.cursor() as cursor:
                cursor.execute(f"LISTEN {self._channel.topic}")
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
            text = "PostgreSQL does not wake %s (%s): it looks every second meanwhile"
            logger.warning(text, self._channel.name, type(error).__name__)
        self._has_warned = True
        self.close()


class WakePipe:
    """A worker's own pipe, where the system has one for it, and on PostgreSQL its listener."""

    def __init__(self, pipe: int | None, listener: Listener | None) -> None:
        self._pipes = [pipe] if pipe is not None else []
        self._listener = listener

    def wait(self, seconds: float) -> None:
        """Return when the worker is woken, or when the time is over."""
        if self._listener and self._listener.open_if_due():
            return
        others = self._listener.sources if self._listener else []
        if not self._pipes or (self._listener and not others):
            seconds = min(seconds, _UNHEARD_SECONDS)
        ready, _, _ = select.select([*self._pipes, *others], [], [], seconds)
        for pipe in self._pipes:
            if pipe in ready:
                with contextlib.suppress(BlockingIOError):
                    os.read(pipe, 65_536)
        if self._listener and any(other in ready for other in others):
            self._listener.read()

    def close(self) -> None:
        """No longer woken by anybody."""
        for pipe in self._pipes:
            os.close(pipe)
        if self._listener:
            self._listener.close()
