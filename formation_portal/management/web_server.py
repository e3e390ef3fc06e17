"""Serve the portal with Waitress, in processes that share a listening socket."""

import select
import signal
import socket
import sys
import tempfile
import time
from functools import partial
from typing import Any

from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from waitress import create_server, wasyncore

from formation_portal.core.databases import limit_statements
from formation_portal.core.middleware import Health, largest_body

from .supervision import freeze_loaded_objects

# The seconds allowed for requests that are being received or answered when the server is told to end.
SHUTDOWN_SECONDS = 10.0
# The seconds without traffic after which a connection is idle.
_IDLE_SECONDS = 1.0
_OPTIONS = {
    "threads": 8,
    "connection_limit": 500,
    # Even the longest URL of the desk's queue together with all cookies is shorter.
    "max_request_header_size": 32_768,
    # The portal itself decides which proxies to trust.
    "clear_untrusted_proxy_headers": False,
    "ident": None,
    "log_socket_errors": False,
}


def listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=1024, dualstack_ipv6=family == socket.AF_INET6)


def serve(application: WSGIHandler, listening: socket.socket) -> None:
    """Serve until SIGTERM, and for DRAIN_SECONDS more while `/readyz` reports the end. Then finish current requests."""
    signal.signal(signal.SIGTERM, _start_ending)
    limit_statements()
    tempfile.tempdir = str(settings.FILE_UPLOAD_TEMP_DIR)
    # The thread that reads and sends waits this long for its turn. Python's default, 5 ms, costs a fifth of throughput.
    sys.setswitchinterval(0.0005)
    freeze_loaded_objects()
    channels: dict[int, Any] = {}
    # Waitress refuses bodies that reach its limit, not only larger ones.
    limit = largest_body() + 1
    server = create_server(application, channels, sockets=[listening], max_request_body_size=limit, **_OPTIONS)
    poll = partial(wasyncore.loop, timeout=0.2, use_poll=True, map=channels, count=1)
    while not Health.is_ending:
        poll()
    deadline = time.monotonic() + settings.DRAIN_SECONDS
    while time.monotonic() < deadline:
        poll()
    # Accepts the connections that still wait, which would otherwise be cut off.
    while select.select([listening], [], [], 0)[0]:
        server.handle_accept()
    server.del_channel()
    listening.close()
    deadline = time.monotonic() + SHUTDOWN_SECONDS
    while time.monotonic() < deadline and any(map(_is_in_use, server.active_channels.values())):
        poll()


def _start_ending(*_: object) -> None:
    Health.is_ending = True


def _is_in_use(channel: Any) -> bool:
    if channel.request or channel.requests or channel.total_outbufs_len:
        return True
    is_active: bool = time.time() - channel.last_activity < _IDLE_SECONDS
    return is_active
