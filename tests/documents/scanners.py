"""Malware scanners for tests: Debian's clamd with a signature of our own, and a small server that speaks as it does."""

import socket
import struct
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import which

from formation_portal.documents.malware import ping
from tests.waiting import wait_until

# What both take for malware; the bytes mean nothing.
MARK = b"FORMATION-PORTAL-TEST-MALWARE-1f0a"
_PATIENCE_SECONDS = 60


def has_clamd() -> bool:
    return which("clamd") is not None


@contextmanager
def scratch_clamd() -> Iterator[str]:
    """The real one, at a socket of its own; the URL to give to CLAMD_URL."""
    with tempfile.TemporaryDirectory(prefix="clamd-") as folder:
        at, signatures, config = Path(folder, "socket"), Path(folder, "signatures"), Path(folder, "clamd.conf")
        signatures.mkdir()
        (signatures / "test.ndb").write_text(f"Test.Mark:0:*:{MARK.hex()}\n")
        lines = (f"LocalSocket {at}", f"DatabaseDirectory {signatures}", "Foreground yes", "StreamMaxLength 1M")
        config.write_text("\n".join(lines) + "\n")
        for path in (Path(folder), signatures, signatures / "test.ndb", config):
            path.chmod(0o755)
        command = ["clamd", "--config-file", str(config)]
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            url = f"unix://{at}"
            # The socket is there a moment before anybody answers at it.
            wait_until(lambda: ping(url) or server.poll() is not None, _PATIENCE_SECONDS, "clamd answers")
            assert server.poll() is None, "clamd has ended"
            yield url
        finally:
            server.kill()
            server.wait(_PATIENCE_SECONDS)


class Scanner:
    """Speaks clamd's protocol at a port of this machine: what holds the MARK is malware. `answer`, where it is set, is
    given instead, or nothing at all with `is_silent`."""

    def __init__(self) -> None:
        self.seen: list[bytes] = []
        self.answer = b""
        self.is_silent = False
        self._server = socket.create_server(("127.0.0.1", 0))
        self.url = f"tcp://127.0.0.1:{self._server.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        """From now on nobody is there."""
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()

    def _serve(self) -> None:
        while True:
            try:
                connection = self._server.accept()[0]
            except OSError:
                return
            with connection, suppress(OSError):
                self._answer(connection)

    def _answer(self, connection: socket.socket) -> None:
        asked = connection.makefile("rb")
        command = b""
        while not command.endswith(b"\0"):
            command += asked.read(1)
        if command == b"zPING\0":
            connection.sendall(b"PONG\0")
            return
        content = b""
        while length := struct.unpack(">I", asked.read(4))[0]:
            content += asked.read(length)
        self.seen.append(content)
        if self.is_silent:
            # Until the other side has had enough.
            asked.read(1)
        else:
            said = b"stream: Test.Mark FOUND\0" if MARK in content else b"stream: OK\0"
            connection.sendall(self.answer or said)


@contextmanager
def small_scanner() -> Iterator[Scanner]:
    scanner = Scanner()
    try:
        yield scanner
    finally:
        scanner.close()
