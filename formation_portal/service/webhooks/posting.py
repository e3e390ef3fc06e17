"""Post a body to a checked IP address under a deadline, and read only the answer's status. The host name is looked up
once: an HTTP client would repeat the look-up, follow redirects or ask a proxy, and so reach another target."""

import ipaddress
import re
import socket
import ssl
import time
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from urllib.parse import urlsplit

from django.conf import settings

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

POST_SECONDS = 15.0
DELIVERED = "delivered"
_CONNECT_SECONDS = 5.0
# The most bytes that are read for a status line.
_STATUS_LINE_LIMIT = 4_096
_STATUS_LINE = re.compile(rb"HTTP/1\.[01] (\d{3})[ \r\n]")

_LABEL = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
_NAME = rf"({_LABEL}\.){{0,8}}[a-z]([a-z0-9-]{{0,61}}[a-z0-9])?"
_PORT = "(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3})"
_REST = "(/[A-Za-z0-9._~!$&'()*+,;=:@%/?-]*)?"
# Allows a single spelling of each URL: no credentials, no fragment, and no IP addresses but this machine's.
URL_PATTERN = rf"^https?://({_NAME}|127\.0\.0\.1|\[::1\])(:{_PORT})?{_REST}$"
URL_LIMIT = 2_000

# Networks whose IP addresses are translated to other addresses.
_TRANSLATED_NETWORKS = tuple(map(ipaddress.ip_network, ("2002::/16", "2001::/32", "64:ff9b::/96", "64:ff9b:1::/48")))


class TargetRefused(Exception):
    """A target that is neither public nor in WEBHOOK_TARGETS, or is public but without TLS."""


def refuse_obvious(url: str) -> None:
    """Raise TargetRefused if the URL has an IP address that is not allowed. Host names are not looked up."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        host = "127.0.0.1"
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return
    _check([address], is_secret=url.startswith("https:"))


def checked_addresses(url: str) -> list[Address]:
    """Look up the target's addresses and check all of them. Raises TargetRefused or OSError."""
    parts = urlsplit(url)
    results = socket.getaddrinfo(parts.hostname, port_of(url), type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    addresses = [ipaddress.ip_address(str(socket_address[0])) for *_, socket_address in results]
    _check(addresses, is_secret=parts.scheme == "https")
    return list(dict.fromkeys(addresses))


def port_of(url: str) -> int:
    parts = urlsplit(url)
    return parts.port or {"http": 80, "https": 443}[parts.scheme]


def _check(addresses: Sequence[Address], *, is_secret: bool) -> None:
    if not addresses:
        raise TargetRefused
    for address in addresses:
        is_listed = any(address in network for network in settings.WEBHOOK_TARGETS)
        if not is_listed and not (is_secret and _is_public(address)):
            raise TargetRefused


def _is_public(address: Address) -> bool:
    if not address.is_global or address.is_multicast or address.is_reserved:
        return False
    if isinstance(address, ipaddress.IPv6Address) and (address.ipv4_mapped or address.scope_id):
        return False
    return not any(address in network for network in _TRANSLATED_NETWORKS)


def post(url: str, body: bytes, headers: Mapping[str, str]) -> tuple[str, int | None]:
    """Post the body. Return the outcome as a fixed word, and the answer's status if any. Only 2xx means delivered."""
    try:
        request = _request(url, body, headers)
        addresses = checked_addresses(url)
        deadline = time.monotonic() + POST_SECONDS
        with _connect(url, addresses, deadline) as connection:
            connection.settimeout(_seconds_left(deadline))
            connection.sendall(request)
            status = _read_status(connection, deadline)
    except TargetRefused:
        return "target_refused", None
    except socket.gaierror:
        return "no_such_name", None
    except TimeoutError:
        return "timed_out", None
    except ssl.SSLError:
        return "tls_failed", None
    except OSError:
        return "not_reached", None
    if status is None:
        return "no_answer", None
    is_accepted = HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES
    return DELIVERED if is_accepted else "refused", status


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


def _connect(url: str, addresses: list[Address], deadline: float) -> socket.socket:
    """Connect to the first address that accepts the connection, with TLS for https."""
    for number, address in enumerate(addresses, start=1):
        try:
            timeout = min(_CONNECT_SECONDS, _seconds_left(deadline))
            connection = socket.create_connection((str(address), port_of(url)), timeout=timeout)
            break
        except OSError:
            if number == len(addresses):
                raise
    if not url.startswith("https:"):
        return connection
    try:
        connection.settimeout(_seconds_left(deadline))
        return ssl.create_default_context().wrap_socket(connection, server_hostname=urlsplit(url).hostname)
    except BaseException:
        connection.close()
        raise


def _read_status(connection: socket.socket, deadline: float) -> int | None:
    answer = b""
    while b"\n" not in answer and len(answer) < _STATUS_LINE_LIMIT:
        connection.settimeout(_seconds_left(deadline))
        chunk = connection.recv(_STATUS_LINE_LIMIT)
        if not chunk:
            break
        answer += chunk
    match = _STATUS_LINE.match(answer)
    return int(match[1]) if match else None


def _seconds_left(deadline: float) -> float:
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds
