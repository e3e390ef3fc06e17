"""The whole site over HTTP, with the embedded service in it: a small threaded server that starts at once."""

import socketserver
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from django.db import connections


class _SiteServer(socketserver.ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 100

    def server_bind(self) -> None:
        # Without asking for the machine's name, which may take seconds.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]
        self.setup_environ()

    def close_request(self, request: Any) -> None:
        connections.close_all()
        super().close_request(request)


class _Handler(WSGIRequestHandler):
    def address_string(self) -> str:
        return str(self.client_address[0])

    def log_message(self, *_: Any) -> None:
        """The site logs by itself."""


def serve_site(port: int) -> None:
    """Serve the whole site, with the embedded service in it, until the process ends."""
    from formation_portal.wsgi import application

    server = _SiteServer(("127.0.0.1", port), _Handler)
    server.set_app(application)
    server.serve_forever(poll_interval=0.05)
