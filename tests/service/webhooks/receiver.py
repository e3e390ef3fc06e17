"""A receiver of events: a real HTTP server that keeps what it is sent, and answers as it is told."""

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar


@dataclass(frozen=True)
class Received:
    """One request, as it came."""

    path: str
    headers: dict[str, str]
    body: bytes


class Receiver(ThreadingHTTPServer):
    """`status` is its answer, with `more` headers. While `is_silent` it answers nothing."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.received: list[Received] = []
        self.status, self.more = 200, dict[str, str]()
        self.is_silent = False
        self.may_answer = threading.Event()
        self._arrived = threading.Condition()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/in?key=hidden"

    @property
    def ids(self) -> list[str]:
        return [one.headers["webhook-id"] for one in self.received]

    def keep(self, request: Received) -> None:
        with self._arrived:
            self.received.append(request)
            self._arrived.notify_all()

    def wait_for(self, count: int) -> bool:
        with self._arrived:
            return self._arrived.wait_for(lambda: len(self.received) >= count, timeout=30)


Kind = TypeVar("Kind", bound=Receiver)


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.keep(Received(self.path, headers, body))
        if self.server.is_silent:
            self.server.may_answer.wait(30)
            return
        self.send_response(self.server.status)
        for name, value in self.server.more.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """The tests look for themselves."""


@contextlib.contextmanager
def receiving(kind: type[Kind] = Receiver) -> Iterator[Kind]:  # type: ignore[assignment]
    """Run a receiver."""
    with kind() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.may_answer.set()
            server.shutdown()
            thread.join()
