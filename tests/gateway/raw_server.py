"""A server that reads one request a connection and then does what its script says with the bare socket."""

import contextlib
import socket
import socketserver
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


class RawServer(socketserver.ThreadingTCPServer):
    """Listens on a free loopback port."""

    daemon_threads = True
    request_queue_size = 100

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.script = script
        self.requests: list[bytes] = []
        self.connections = 0
        self.closed = threading.Event()
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def close(self) -> None:
        """Stop, and tell the scripts to end."""
        self.closed.set()
        self.shutdown()
        self.server_close()


class _Connection(socketserver.BaseRequestHandler):
    server: RawServer

    def handle(self) -> None:
        self.server.connections += 1
        with contextlib.suppress(OSError):
            line = Line(self.request, self.server)
            if line.read_request():
                self.server.script(line)
