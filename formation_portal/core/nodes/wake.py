"""Wake workers on every machine when work for them is committed, by NOTIFY on PostgreSQL. On SQLite, workers poll."""

import contextlib
import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass

from django.db import DEFAULT_DB_ALIAS, Error, connections
from django.db.backends.base.base import BaseDatabaseWrapper

logger = logging.getLogger(__name__)

_RETRY_SECONDS = 5.0
# The longest wait between checks for work while PostgreSQL can't wake the worker.
_UNHEARD_SECONDS = 1.0
# The keepalive options that reveal a vanished server within a minute.
_KEEPALIVE = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel that wakes the workers of one kind (`name`) after commits to one database (`alias`)."""

    name: str
    alias: str = DEFAULT_DB_ALIAS

    def wake_after_commit(self) -> None:
        if self.is_on_postgresql:
            with connections[self.alias].cursor() as cursor:
                cursor.execute(f"NOTIFY {self.topic}")

    @contextlib.contextmanager
    def listen(self) -> Iterator["Listener | None"]:
        if not self.is_on_postgresql:
            yield None
            return
        with contextlib.closing(Listener(self)) as listener:
            yield listener

    def is_listened_to(self) -> bool:
        with connections[self.alias].cursor() as cursor:
            cursor.execute(
                "SELECT EXISTS (SELECT FROM pg_stat_activity "
                "WHERE datname = current_database() AND application_name = %s)",
                [self.application_name],
            )
            return bool(cursor.fetchone()[0])

    @property
    def is_on_postgresql(self) -> bool:
        return connections[self.alias].vendor == "postgresql"

    @property
    def topic(self) -> str:
        return f"formation_portal_{self.name}"

    @property
    def application_name(self) -> str:
        return f"formation-portal {self.name}"


class Listener:
    """A separate connection that waits for a channel's notifications, and is opened again if lost."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._connection: BaseDatabaseWrapper | None = None
        self._retry_at = 0.0
        self._has_warned = False

    def wait(self, seconds: float) -> None:
        """Wait for a notification or until the time is over, but only a second while PostgreSQL can't notify."""
        try:
            if self._connection is not None:
                with self._connection.wrap_database_errors:
                    for _ in self._connection.connection.notifies(timeout=seconds, stop_after=1):
                        pass
            elif time.monotonic() >= self._retry_at:
                # Returns at once, since there is no notification of work committed before the connection listened.
                self._open()
            else:
                time.sleep(min(seconds, _UNHEARD_SECONDS))
        except Error as error:
            if not self._has_warned:
                text = "PostgreSQL does not wake %s (%s): it looks every second meanwhile"
                logger.warning(text, self._channel.name, type(error).__name__)
            self._has_warned = True
            self.close()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _open(self) -> None:
        self._retry_at = time.monotonic() + _RETRY_SECONDS
        self._connection = connections[self._channel.alias].copy()
        name = {"application_name": self._channel.application_name}
        self._connection.settings_dict["OPTIONS"] = self._connection.settings_dict["OPTIONS"] | _KEEPALIVE | name
        with self._connection.cursor() as cursor:
            cursor.execute(f"LISTEN {self._channel.topic}")
        self._has_warned = False
