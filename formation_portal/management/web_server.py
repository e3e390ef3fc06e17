"""The web server that `manage.py serve` and `web` start: Waitress, in one process or several that share a listening
socket.

One thread of a process reads what arrives and sends what leaves, for all connections; eight threads draw pages. A
request comes to them when it is here whole, so that slow clients keep nobody waiting, without a proxy before it.
"""

import contextlib
import copy
import logging
import mmap
import resource
import select
import signal
import socket
import struct
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.utils import translation
from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import TcpWSGIServer
from waitress.task import ErrorTask, Task, WSGITask
from waitress.utilities import BadRequest, Error, RequestEntityTooLarge

from formation_portal.core.databases import limit_statements
from formation_portal.core.middleware import Health, body_limit
from formation_portal.core.nodes.registry import beating
from formation_portal.gateway.catalog import catalog
from formation_portal.gateway.errors import GatewayError

from .supervision import freeze_loaded_objects

THREADS = 8
CONNECTIONS = 2000
# A connection, the file of its body, and that of its answer.
_FILES = 3 * CONNECTIONS + 500
_BACKLOG = 1024
# More than the longest address of the desk's queue with all cookies; Waitress joins pieces of a head anew each time.
_HEADER_BYTES = 32_768
# Of a chunked body: between its chunks, and after the last one.
_CHUNK_LINE_BYTES = 1024
# What is larger waits on the disk.
_BODY_BYTES_IN_MEMORY = 65_536
# Of all bodies that have not been read yet, in one process; looked at whenever one has grown by so much.
_ALL_BODIES_BYTES = 1_000_000_000
_CHECK_EVERY_BYTES = 1_000_000
# A head that takes longer is no browser's; an upload may come over a slow line.
_HEADER_SECONDS = 30
_BODY_SECONDS = 1800
_CLEANUP_SECONDS = 10
# The thread that reads and sends waits this long for its turn among those that draw; Python's 5 ms would cost a fifth
# of the requests in a second.
_SWITCH_SECONDS = 0.0005
# Requests that are being received or answered when the server is to end.
SHUTDOWN_SECONDS = 10.0
# Of a connection that was just made: its request is on the way.
_FIRST_REQUEST_SECONDS = 1.0
# A process that has more connections than another leaves a new one to that one for so long, unless nobody takes it.
_LEAVE_SECONDS = 0.02
# A client that is cut off still reads the answer, if what it goes on sending is taken in for a moment.
_LINGER_SECONDS = 2.0
_LINGER_BYTES = 10_000_000

log = logging.getLogger(__name__)


def bind(host: str, port: int) -> socket.socket:
    """A socket for `WebServer`, which has the address, and refuses who connects until `listen`. Raises OSError where
    the address can't be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6 and socket.has_dualstack_ipv6():
            bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        bound.bind((host, port))
    except BaseException:
        bound.close()
        raise
    return bound


def listen(bound: socket.socket) -> socket.socket:
    """From now on whoever connects waits for an answer; the same socket. Raises OSError where another came first."""
    bound.listen(_BACKLOG)
    return bound


class OpenConnections:
    """How many connections each of the processes that share a socket has: memory that they have in common.

    It is made before they are forked. A number that is not right at the moment costs nobody more than _LEAVE_SECONDS.
    """

    _ONE = struct.Struct("i")

    def __init__(self, processes: int) -> None:
        self._memory = mmap.mmap(-1, self._ONE.size * processes)

    def __getitem__(self, process: int) -> int:
        return int(self._ONE.unpack_from(self._memory, self._ONE.size * process)[0])

    def __setitem__(self, process: int, connections: int) -> None:
        self._ONE.pack_into(self._memory, self._ONE.size * process, connections)

    def least(self) -> int:
        """Of the process that has the fewest."""
        return min(int(one) for (one,) in self._ONE.iter_unpack(self._memory))


class WebServer:
    """Serves the portal at a listening socket until SIGTERM or SIGINT; so many processes may share the socket."""

    def __init__(self, listening: socket.socket, *, processes: int = 1) -> None:
        # Loading the application reads the names of the static files, which must have been collected by then.
        from formation_portal.wsgi import application

        self._application = application
        self._listening = listening
        self._connections = OpenConnections(processes)

    def run(self, process: int = 0) -> None:
        """Serve, as the process with this number; after the signal for DRAIN_SECONDS more, while `/readyz` says that
        others should be asked; then finish what is being received or answered."""
        _raise_file_limit()
        limit_statements()
        tempfile.tempdir = str(settings.FILE_UPLOAD_TEMP_DIR)
        freeze_loaded_objects()
        sys.setswitchinterval(_SWITCH_SECONDS)
        server = _Server(self._application, self._listening, self._connections, process)
        # Before the first visitor asks for it, and without keeping anybody waiting.
        threading.Thread(target=_read_catalog, daemon=True).start()
        # No lock that the handler could wait for: it may have interrupted whoever holds it.
        is_stopping = False

        def stop(*_: object) -> None:
            nonlocal is_stopping
            is_stopping = True
            server.pull_trigger()

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, stop)
        with beating():
            server.loop_while(lambda: not is_stopping)
        Health.is_ending = server.is_ending = True
        until = time.monotonic() + settings.DRAIN_SECONDS
        server.loop_while(lambda: time.monotonic() < until)
        server.shut_down()


class _NoRoom(Error):  # type: ignore[misc]  # of an untyped package
    code = 503
    reason = "Service Unavailable"


class _Request(HTTPRequestParser):  # type: ignore[misc]  # of an untyped package
    """What of a request has arrived. Its body ends where its address takes no more, or the disk has no room."""

    def __init__(self, adjustments: Adjustments, *, has_room: Callable[[], bool]) -> None:
        super().__init__(adjustments)
        self.adj: Adjustments = adjustments
        self.began = time.time()
        self._has_room = has_room

    def received(self, data: bytes) -> int:
        before = self.body_bytes_received
        try:
            consumed = int(super().received(data))
        except ValueError:
            # Addresses and lengths that Python's own readers refuse.
            return self._refused(BadRequest("The request can't be read."), data)
        except OSError as error:
            log.error("A request's body can't be kept while it arrives: %s", error.strerror)
            return self._refused(_NoRoom("Try again in a few minutes."), data)
        if self.completed:
            return consumed
        if self.chunked and max(len(self.body_rcv.control_line), len(self.body_rcv.trailer)) > _CHUNK_LINE_BYTES:
            return self._refused(BadRequest("A chunk's head is too long."), data)
        if self.body_bytes_received // _CHECK_EVERY_BYTES > before // _CHECK_EVERY_BYTES and not self._has_room():
            log.error("Too much is being uploaded at once; a request was turned away")
            return self._refused(_NoRoom("Try again in a few minutes."), data)
        return consumed

    def _refused(self, error: Error, data: bytes) -> int:
        self.error, self.completed = error, True
        return len(data)

    def parse_header(self, header_plus: bytes) -> None:
        super().parse_header(header_plus)
        if self.body_rcv is not None:
            self.adj = copy.copy(self.adj)
            # Waitress refuses what reaches its limit.
            self.adj.max_request_body_size = body_limit(self.path) + 1

    def is_too_slow(self, now: float) -> bool:
        """Whether it should have been here whole by now, a time in seconds."""
        return now - self.began > (_BODY_SECONDS if self.headers_finished else _HEADER_SECONDS)


class _Task(WSGITask):  # type: ignore[misc]  # of an untyped package
    """An answer; the last one of its connection when the server is to end."""

    def build_response_header(self) -> bytes:
        if self.channel.server.is_ending:
            self.request.headers["CONNECTION"] = "close"
        return bytes(super().build_response_header())


def _error_task(channel: HTTPChannel, request: _Request) -> Task:
    """What is too large is answered by the portal, which sees its length and nothing of its body; the rest by Waitress,
    in a line."""
    if not isinstance(request.error, RequestEntityTooLarge):
        return ErrorTask(channel, request)
    request.close()
    request.body_rcv = None
    request.headers |= {"CONTENT_LENGTH": str(request.content_length or request.body_bytes_received)}
    request.headers["CONNECTION"] = "close"
    channel.lingers = True
    return _Task(channel, request)


class _Channel(HTTPChannel):  # type: ignore[misc]  # of an untyped package
    """A connection. One that is cut off lingers for a moment: closed at once, it would take its answer along."""

    task_class = _Task
    error_task_class = staticmethod(_error_task)
    lingers = False
    _has_asked = False
    _drains_until = 0.0
    _drained = 0

    def parser_class(self, adjustments: Adjustments) -> _Request:
        self._has_asked = True
        return _Request(adjustments, has_room=self.server.has_room)

    def readable(self) -> bool:
        return bool(self._drains_until and not self.will_close) or bool(super().readable())

    def handle_read(self) -> None:
        if not self._drains_until:
            super().handle_read()
            return
        dropped = len(self.recv(self.adj.recv_bytes))
        self._drained += dropped
        is_over = self._drained > _LINGER_BYTES or time.monotonic() > self._drains_until
        self.will_close = is_over or not dropped

    def handle_write(self) -> None:
        if self.lingers and self.close_when_flushed and not self.total_outbufs_len:
            self._linger()
        else:
            super().handle_write()

    def _linger(self) -> None:
        self.lingers = self.close_when_flushed = False
        self._drains_until = time.monotonic() + _LINGER_SECONDS
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_WR)

    def is_busy(self) -> bool:
        """Whether a request is on the way here, or an answer on the way back."""
        is_new = not self._has_asked and time.time() - self.creation_time < _FIRST_REQUEST_SECONDS
        return is_new or bool(self.request or self.requests or self.total_outbufs_len)

    def is_overdue(self, now: float) -> bool:
        """Whether it keeps us waiting for too long for a request, or for its own end."""
        is_late = self.request is not None and not self.requests and self.request.is_too_slow(now)
        return is_late or bool(self._drains_until and time.monotonic() > self._drains_until)

    def handle_close(self) -> None:
        if self.request is not None:
            self.request.close()
        super().handle_close()


class _Server(TcpWSGIServer):  # type: ignore[misc]  # of an untyped package
    """Waitress at a socket that others may share."""

    channel_class = _Channel
    is_ending = False
    # Of a connection that was left to others: whether it still may be there, and until when it is theirs.
    _has_left_one = False
    _theirs_until = 0.0

    def __init__(
        self, application: Callable[..., Any], listening: socket.socket, connections: OpenConnections, process: int
    ) -> None:
        self._connections, self._process = connections, process
        adjustments = Adjustments(
            threads=THREADS,
            connection_limit=CONNECTIONS,
            backlog=_BACKLOG,
            recv_bytes=65_536,
            inbuf_overflow=_BODY_BYTES_IN_MEMORY,
            max_request_header_size=_HEADER_BYTES,
            cleanup_interval=_CLEANUP_SECONDS,
            # A connection's number may go beyond what select() can name.
            asyncore_use_poll=True,
            # Whose word about the client counts is for the portal to say.
            clear_untrusted_proxy_headers=False,
            ident=None,
            log_socket_errors=False,
            sockets=[listening],
        )
        where = (listening.family, listening.type, listening.proto, listening.getsockname())
        super().__init__(
            application, map={}, _sock=listening, dispatcher=None, adj=adjustments, sockinfo=where, bind_socket=False
        )

    def maintenance(self, now: float) -> None:
        super().maintenance(now)
        for channel in self.active_channels.values():
            if channel.is_overdue(now):
                channel.will_close = True

    def has_room(self) -> bool:
        """Whether more of a body may be kept until somebody reads it."""
        channels = self.active_channels.values()
        waiting = (one for channel in channels for one in (channel.request, *channel.requests) if one is not None)
        return bool(sum(one.body_bytes_received for one in waiting) < _ALL_BODIES_BYTES)

    def readable(self) -> bool:
        self._connections[self._process] = len(self.active_channels)
        return bool(super().readable()) and time.monotonic() >= self._theirs_until

    def handle_accept(self) -> None:
        if not self._leaves_it_to_others():
            super().handle_accept()
            self._connections[self._process] = len(self.active_channels)

    def _leaves_it_to_others(self) -> bool:
        """Whether another process has fewer connections, and may have this one: a browser keeps it, so that whoever
        was quicker by chance would have all the work. What is still there afterwards was left by all."""
        self._has_left_one = not self._has_left_one and len(self.active_channels) > self._connections.least()
        if self._has_left_one:
            self._theirs_until = time.monotonic() + _LEAVE_SECONDS
        return self._has_left_one

    def loop_while(self, holds: Callable[[], bool]) -> None:
        """Read, hand over and send, for as long as it holds."""
        while holds():
            is_leaving = time.monotonic() < self._theirs_until
            had_left_one = self._has_left_one and not is_leaving
            wasyncore.loop(timeout=_LEAVE_SECONDS if is_leaving else 1, use_poll=True, map=self._map, count=1)
            if had_left_one and self._has_left_one:
                # It was looked for, and somebody has it.
                self._has_left_one = False

    def shut_down(self) -> None:
        """Accept nobody any more, and let requests and answers that are under way arrive."""
        # Whoever has connected and is not accepted yet would be cut off.
        while select.select([self.socket], [], [], 0)[0]:
            super().handle_accept()
        wasyncore.dispatcher.close(self)
        until = time.monotonic() + SHUTDOWN_SECONDS
        self.loop_while(lambda: self._is_busy() and time.monotonic() < until)
        self.task_dispatcher.shutdown(timeout=1)

    def _is_busy(self) -> bool:
        return any(channel.is_busy() for channel in self.active_channels.values())


def _raise_file_limit() -> None:
    """As many open files as the connections may need, as far as the system lets us."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _read_catalog() -> None:
    """In every language of the pages, so that the first reader of each has the service's words for it."""
    try:
        for code, _ in settings.LANGUAGES:
            with translation.override(code):
                catalog()
    except GatewayError as error:
        log.warning("No catalog yet: %s", error)
