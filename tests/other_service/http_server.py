"""The other make's HTTP server: the standard library's, on a free loopback port."""

from __future__ import annotations

import contextlib
import json
import socket
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from .fault_injection import BrokenReply
from .messages import Received, Reply, read_request

if TYPE_CHECKING:
    from .service import OtherService


class HttpServer:
    """Listens for one service; can be closed and opened again at the same address."""

    def __init__(self, service: OtherService, port: int) -> None:
        self._service = service
        self._server: _Server | None = None
        self._port = port

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def open(self) -> None:
        self._server = _Server(self._service, self._port)
        self._port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        """Stop listening and cut every line."""
        if self._server:
            self._server.shutdown()
            self._server.server_close()
            self._server.cut_all()
            self._server = None


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, service: OtherService, port: int) -> None:
        self.service = service
        self._lines: set[socket.socket] = set()
        super().__init__(("127.0.0.1", port), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._lines.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._lines.discard(request)
        super().shutdown_request(request)

    def cut_all(self) -> None:
        for line in list(self._lines):
            _cut(line)

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A client that leaves is no news; a fault of this server must fail the test that met it.
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            self.service.faults.append(error)
            super().handle_error(request, client_address)


def _cut(line: socket.socket) -> None:
    with contextlib.suppress(OSError):  # the client may have left already
        line.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def handle_one_request(self) -> None:
        # One method for all, since the service decides by itself which it knows.
        self.raw_requestline = self.rfile.readline(65_537)
        if not self.raw_requestline or not self.parse_request():
            self.close_connection = True
            return
        request = self._received()
        if request is None:
            self.close_connection = True
            return
        service = self.server.service
        trouble = service.trouble_for(request)
        if trouble is None:
            self._say(service.reply(request))
            return
        if trouble.is_done:
            reply = service.reply(request)
        else:
            service.received.append(request)
        if trouble.gate:
            trouble.gate.wait(60)
        if trouble.is_cut:
            self.close_connection = True
            _cut(self.connection)
        elif trouble.status:
            is_text = isinstance(trouble.body, str)
            self._answer(trouble.status, trouble.body, "text/plain" if is_text else "application/json", trouble.headers)
        else:
            self._say(reply)

    def _received(self) -> Received | None:
        """The request, or None where the client left in the middle of it."""
        length = int(self.headers.get("Content-Length") or 0)
        raw = self.rfile.read(length)
        if len(raw) < length:
            return None
        return read_request(self.command, self.path, dict(self.headers.items()), raw)

    def _say(self, reply: Reply | BrokenReply) -> None:
        if isinstance(reply, BrokenReply):
            self._answer(reply.status, reply.text, "application/json", reply.headers)
        else:
            self._answer(reply.status, reply.body, reply.content_type, {})

    def _answer(self, status: int, body: Any, content_type: str, headers: dict[str, str]) -> None:
        text = body if isinstance(body, str) else "" if body is None else json.dumps(body)
        sent = text.encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *_: Any) -> None:
        """Tests look at `received`."""
