"""A Redis server of Debian's, made for one test and gone after it. Whatever it has counted ends with each run of it."""

import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from shutil import which

_PATIENCE_SECONDS = 60


def has_redis() -> bool:
    """Whether there is a server to start."""
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
        """Start it, and wait until it takes connections."""
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.folder]
        command += ["--save", "", "--appendonly", "no"]
        command += ["--requirepass", self.password] if self.password else []
        self._server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + _PATIENCE_SECONDS
        while not self._answers():
            assert self._server.poll() is None
            assert time.monotonic() < until
            time.sleep(0.01)

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
    """A server, started."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    with tempfile.TemporaryDirectory(prefix="redis-") as folder:
        server = Redis(port, folder, password)
        server.start()
        try:
            yield server
        finally:
            server.stop()
