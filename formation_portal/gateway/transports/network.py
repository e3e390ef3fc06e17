"""The network transport: a `requests` adapter whose calls end when their time is over.

With a read time-out alone, which starts again with each byte, a slow server could hold a call for ever. No call is
tried twice, and no redirect is followed.
"""

from __future__ import annotations

import http.client
import io
import os
import socket
import time
from contextvars import ContextVar
from typing import Any, NamedTuple

import urllib3
from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import SSLError

from ..errors import HandshakeFailed

_CHUNK = 65_536
# A server may close an idle connection just when a request is sent, which looks as if the answer was lost. So a write
# always gets a new connection, and a read a connection that was idle for at most these seconds.
_IDLE_LIMIT = 1.0


class Timeouts(NamedTuple):
    """Time-outs in seconds: to connect, between two bytes of the answer, and for the whole call."""

    connect: float
    read: float
    whole: float


class _Deadline:
    def __init__(self, timeouts: Timeouts) -> None:
        self._end = time.monotonic() + timeouts.whole
        self.read = timeouts.read

    def left(self) -> float:
        seconds = self._end - time.monotonic()
        if seconds <= 0:
            raise TimeoutError("The call timed out")
        return seconds


_deadline: ContextVar[_Deadline] = ContextVar("deadline")


class _TimedReader(io.RawIOBase):
    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._raw = sock.makefile("rb", buffering=0)
        self._deadline = _deadline.get()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._sock.settimeout(min(self._deadline.read, self._deadline.left()))
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _TimedResponse(http.client.HTTPResponse):
    def __init__(self, sock: socket.socket, *args: Any, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        self.fp.close()
        self.fp = io.BufferedReader(_TimedReader(sock))


class _TimedConnection(HTTPConnection):
    response_class = _TimedResponse
    _used_at = 0.0

    def request(self, method: str, url: str, *args: Any, **kwargs: Any) -> None:
        if self.sock is not None and (method != "GET" or time.monotonic() - self._used_at > _IDLE_LIMIT):
            self.close()
        super().request(method, url, *args, **kwargs)

    def send(self, data: Any) -> None:
        if self.sock is None:
            self.connect()
        if not isinstance(data, bytes):
            super().send(data)
            return
        for start in range(0, len(data), _CHUNK):
            self.sock.settimeout(_deadline.get().left())
            super().send(data[start : start + _CHUNK])

    def getresponse(self) -> Any:
        response = super().getresponse()
        self._used_at = time.monotonic()
        return response


class _TimedTlsConnection(_TimedConnection, HTTPSConnection):
    def connect(self) -> None:
        try:
            super().connect()
        except (SSLError, OSError) as error:
            raise HandshakeFailed(error) from error


class _Pool(urllib3.HTTPConnectionPool):
    ConnectionCls = _TimedConnection


class _TlsPool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _TimedTlsConnection


class NetworkAdapter(HTTPAdapter):
    """A transport over the network, within the `Timeouts` that the session passes as `timeout`."""

    def __init__(self) -> None:
        super().__init__(pool_connections=1, pool_maxsize=16, max_retries=0)
        self._process = os.getpid()

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _TlsPool}

    def send(self, request: PreparedRequest, *_: Any, **kwargs: Any) -> Response:
        if self._process != os.getpid():
            # After a fork, the parent process still uses these connections.
            self._process = os.getpid()
            self.poolmanager.clear()
        limits = Timeouts(*kwargs.pop("timeout"))
        token = _deadline.set(_Deadline(limits))
        try:
            return super().send(request, timeout=(limits.connect, limits.read), **kwargs)
        finally:
            _deadline.reset(token)
