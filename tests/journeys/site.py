"""The portal on a port, for browsers: threads with connections of their own, and static files as in production."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from wsgiref.simple_server import WSGIRequestHandler

from django.conf import settings
from django.core.management import call_command
from django.core.servers.basehttp import ThreadedWSGIServer
from django.core.wsgi import get_wsgi_application
from django.db import connections
from django.test import override_settings


class _Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Tests read pages, not logs."""


def with_static_files(root: Path) -> override_settings:
    """The settings under which the folder has the static files: style sheets are bundled and hashed."""
    bundled = {"BACKEND": "formation_portal.core.static_files.BundledStaticFilesStorage"}
    return override_settings(STORAGES=settings.STORAGES | {"staticfiles": bundled}, STATIC_ROOT=root)


@contextmanager
def served(collected: Path | None = None) -> Iterator[str]:
    """Serve the portal on a free loopback port; gives its address. Collects static files where no folder has them."""
    with with_static_files(collected or settings.STATIC_ROOT):
        if collected is None:
            call_command("collectstatic", interactive=False, verbosity=0)
        server = ThreadedWSGIServer(("127.0.0.1", 0), _Quiet)
        server.set_app(get_wsgi_application())
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
            server.server_close()
            connections.close_all()
