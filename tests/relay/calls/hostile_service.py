"""A service behind a bare socket that answers some calls as no service should, and every other as the other make."""

import json
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from tests import factories
from tests.gateway.raw_server import Line, RawServer
from tests.other_service import KEY, OtherService
from tests.other_service.messages import Received, read_request

HUGE = 50_000_000
_PIECE = b" " * 100_000

Reply = Callable[["Hostile", Line], None]


@dataclass
class Hostile:
    """Which call ("POST .*/parties$") is answered how. `sent` counts the bytes that went out in that answer."""

    replies: dict[str, Reply] = field(default_factory=dict)
    makes: OtherService = field(default_factory=lambda: OtherService(catalog=[factories.ITEM]))
    sent: int = 0
    # What every healthy answer carries besides, each line with its end.
    headers: str = ""

    def __post_init__(self) -> None:
        self.server = RawServer(self._answer)
        self.key = KEY

    @property
    def url(self) -> str:
        """Where it listens."""
        return self.server.url

    def answers(self, pattern: str, reply: Reply) -> None:
        """From now on."""
        self.replies[pattern] = reply

    def close(self) -> None:
        """Stop listening."""
        self.server.close()

    def push(self, line: Line, data: bytes) -> None:
        """Send, and count."""
        line.send(data)
        self.sent += len(data)

    def _answer(self, line: Line) -> None:
        request = _read(line.request)
        called = f"{request.method} {request.path}"
        for pattern, reply in self.replies.items():
            if re.search(pattern, called):
                reply(self, line)
                return
        healthy = self.makes.do(request)
        body = healthy.body if isinstance(healthy.body, str) else json.dumps(healthy.body)
        line.send(_head(f"{healthy.status} So", len(body.encode()), self.headers) + body.encode())


def saying(body: Any, *, status: str = "201 Created", headers: str = "") -> Reply:
    """This body, a text as it is and anything else as JSON."""
    text = body if isinstance(body, str) else json.dumps(body)
    return lambda service, line: service.push(line, _head(status, len(text.encode()), headers) + text.encode())


def lost(service: Hostile, line: Line) -> None:
    """Nothing is said, and the line is cut."""


def huge(body: Any) -> Reply:
    """The body, with 50 MB of blanks before it that JSON allows."""

    def reply(service: Hostile, line: Line) -> None:
        text = json.dumps(body).encode()
        service.push(line, _head("201 Created", HUGE + len(text)))
        for _ in range(HUGE // len(_PIECE)):
            service.push(line, _PIECE)
        service.push(line, text)

    return reply


def bomb(body: Any) -> Reply:
    """The same, packed into 50 kB that nobody asked to be packed."""

    def reply(service: Hostile, line: Line) -> None:
        packed = _packed(json.dumps(body))
        service.push(line, _head("201 Created", len(packed), "Content-Encoding: gzip\r\n") + packed)

    return reply


@cache
def _packed(text: str) -> bytes:
    """In pieces: the test measures the memory of this process."""
    packer = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    blanks = b"".join(packer.compress(_PIECE) for _ in range(HUGE // len(_PIECE)))
    return blanks + packer.compress(text.encode()) + packer.flush()


def _head(status: str, length: int, headers: str = "") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n".encode()


def _read(raw: bytes) -> Received:
    head, _, body = raw.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    method, target, _ = first.split(" ")
    return read_request(method, target, dict(line.split(": ", 1) for line in lines), body)
