"""A Redis server of Debian's, made for one test and gone after it. Whatever it has counted ends with each run of it."""

import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from shutil import which

from tests.management.served import free_port
from tests.waiting import wait_until

_PATIENCE_SECONDS = 60


def has_redis() -> bool:
    return which("redis-server") is not None


@dataclass
class Redis:
    """A server at a port of its own, which can be taken away and given back."""

    port: int
    folder: str
    password: str = ""

    @property
    def url(self) -> str:
        secret = f":{self.password}@" if self.password else ""
        return f"redis://{secret}127.0.0.1:{self.port}/0"

    def start(self) -> None:
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.folder]
        command += ["--save", "", "--appendonly", "no"]
        command += ["--requirepass", self.password] if self.password else []
        self._server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: self._server.poll() is not None or self._answers(), _PATIENCE_SECONDS, "Redis answers")
        assert self._server.poll() is None, "Redis has ended"

    def stop(self) -> None:
        """kill -9."""
        self._server.kill()
        self._server.wait(_PATIENCE_SECONDS)

    def _answers(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        except OSError:
            return False
        return True


@contextmanager
def scratch_redis(*, password: str = "") -> Iterator[Redis]:
    with tempfile.TemporaryDirectory(prefix="redis-") as folder:
        server = Redis(free_port(), folder, password)
        server.start()
        try:
            yield server
        finally:
            server.stop()
