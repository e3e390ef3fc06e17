"""One POST to an address that was checked, under one deadline; of the answer only its status is read.

Written on a socket: a client for HTTP would look the name up again, follow a redirect, or ask a proxy, and each of
these could lead to another target than the one that was checked.
"""

import re
import socket
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urlsplit

from formation_portal.service.webhooks.targets import Address, TargetRefused, checked_addresses, port_of

POST_SECONDS = 15.0
_CONNECT_SECONDS = 5.0
# A status line is short; whoever sends so much without one sends none.
_STATUS_LINE_LIMIT = 4_096
_STATUS_LINE = re.compile(rb"HTTP/1\.[01] (\d{3})[ \r\n]")


@dataclass(frozen=True, slots=True)
class PostResult:
    """How a try ended: a stable word, and the answer's status where there was one."""

    word: str
    status: int | None = None

    @property
    def is_delivered(self) -> bool:
        """Whether the receiver has taken it."""
        return self.word == "delivered"


def post(url: str, body: bytes, headers: Mapping[str, str]) -> PostResult:
    """Post the body. Whatever goes wrong is an outcome: only 2xx counts as delivered."""
    try:
        request, addresses = _request(url, body, headers), checked_addresses(url)
        until = time.monotonic() + POST_SECONDS
        with _connected(url, addresses, until) as connection:
            connection.settimeout(_left(until))
            connection.sendall(request)
            status = _read_status(connection, until)
    except TargetRefused:
        return PostResult("target_refused")
    except socket.gaierror:
        return PostResult("no_such_name")
    except TimeoutError:
        return PostResult("timed_out")
    except ssl.SSLError:
        return PostResult("tls_failed")
    except OSError:
        return PostResult("not_reached")
    if status is None:
        return PostResult("no_answer")
    is_taken = HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES
    return PostResult("delivered" if is_taken else "refused", status)


def _request(url: str, body: bytes, headers: Mapping[str, str]) -> bytes:
    parts = urlsplit(url)
    lines = {
        "Host": parts.netloc,
        "User-Agent": "formation-service",
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Connection": "close",
        **headers,
    }
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"POST {target} HTTP/1.1\r\n{head}\r\n".encode("ascii") + body


def _connected(url: str, addresses: list[Address], until: float) -> socket.socket:
    """A connection to the first of the addresses that takes one, with TLS where the target has it."""
    plain = _first_that_answers(addresses, port_of(url), until)
    if not url.startswith("https:"):
        return plain
    try:
        plain.settimeout(_left(until))
        return ssl.create_default_context().wrap_socket(plain, server_hostname=urlsplit(url).hostname)
    except BaseException:
        plain.close()
        raise


def _first_that_answers(addresses: list[Address], port: int, until: float) -> socket.socket:
    for place, address in enumerate(addresses, start=1):
        try:
            return socket.create_connection((str(address), port), timeout=min(_CONNECT_SECONDS, _left(until)))
        except OSError:
            if place == len(addresses):
                raise
    raise TargetRefused


def _read_status(connection: socket.socket, until: float) -> int | None:
    """The answer's status; None where none came that can be read."""
    said = b""
    while b"\n" not in said and len(said) < _STATUS_LINE_LIMIT:
        connection.settimeout(_left(until))
        if not (more := connection.recv(_STATUS_LINE_LIMIT)):
            break
        said += more
    found = _STATUS_LINE.match(said)
    return int(found[1]) if found else None


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
