"""A server that reads one request a connection and then does what its script says with the bare socket."""

import contextlib
import socket
import threading
from collections.abc import Callable

Script = Callable[["Line"], None]


class Line:
    """One connection: what was asked, and the means to answer badly."""

    def __init__(self, line: socket.socket, server: "RawServer") -> None:
        self.socket = line
        self._server = server
        self.request = b""

    def read_request(self) -> bool:
        """One whole request; False where the client has left."""
        received = b""
        while b"\r\n\r\n" not in received:
            if not (piece := self.socket.recv(65_536)):
                return False
            received += piece
        head, _, body = received.partition(b"\r\n\r\n")
        wanted = next((int(x[15:]) for x in head.lower().split(b"\r\n") if x.startswith(b"content-length:")), 0)
        while len(body) < wanted:
            if not (piece := self.socket.recv(65_536)):
                return False
            body += piece
        self.request = head + b"\r\n\r\n" + body
        self._server.requests.append(self.request)
        return True

    def send(self, text: str | bytes) -> None:
        self.socket.sendall(text.encode() if isinstance(text, str) else text)

    def drip(self, text: str) -> None:
        """One byte at a time, each well within a read time-out; the whole takes far longer than a call may."""
        for byte in text.encode():
            if self._server.closed.wait(0.1):
                return
            self.send(bytes([byte]))

    def wait_for_end(self) -> None:
        """Say nothing until the client has left."""
        with contextlib.suppress(OSError):
            while self.socket.recv(65_536):
                pass


class RawServer:
    """Listens on a free loopback port."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self.requests: list[bytes] = []
        self.connections = 0
        self.closed = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._threads = [threading.Thread(target=self._serve, daemon=True)]
        self._threads[0].start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def close(self) -> None:
        """Stop, and wait for the scripts to end."""
        self.closed.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(5)

    def _serve(self) -> None:
        while not self.closed.is_set():
            try:
                line, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            thread = threading.Thread(target=self._run, args=(line,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _run(self, line: socket.socket) -> None:
        with line, contextlib.suppress(OSError):
            one = Line(line, self)
            if one.read_request():
                self._script(one)
