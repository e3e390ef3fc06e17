"""One POST to an address that was checked, under one deadline; of the answer only its status is read.

Events go to the public internet, and beyond it only where WEBHOOK_TARGETS lists it. A name is looked up once, every
address that it has is checked, and one of those is connected to. So a name that answers differently the next time
reaches nothing, and neither does one that has a private address among public ones.

Written on a socket: a client for HTTP would look the name up again, follow a redirect, or ask a proxy, and each of
these could lead to another target than the one that was checked.
"""

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
# A status line is short; whoever sends so much without one sends none.
_STATUS_LINE_LIMIT = 4_096
_STATUS_LINE = re.compile(rb"HTTP/1\.[01] (\d{3})[ \r\n]")

_LABEL = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
_NAME = rf"({_LABEL}\.){{0,8}}[a-z]([a-z0-9-]{{0,61}}[a-z0-9])?"
_PORT = "(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3})"
_REST = "(/[A-Za-z0-9._~!$&'()*+,;=:@%/?-]*)?"
# One spelling of each address: no credentials, no fragment, and of addresses in digits only those of this machine.
URL_PATTERN = rf"^https?://({_NAME}|127\.0\.0\.1|\[::1\])(:{_PORT})?{_REST}$"
URL_LIMIT = 2_000

# Networks in which one address stands for another, or for another network.
_TRANSLATED_NETWORKS = tuple(
    ipaddress.ip_network(text) for text in ("2002::/16", "2001::/32", "64:ff9b::/96", "64:ff9b:1::/48")
)


class TargetRefused(Exception):
    """The target is outside the public internet and not listed; or it is public and would be reached in the clear."""


def refuse_obvious(url: str) -> None:
    """Raises TargetRefused for an address that is wrong whatever its name is looked up to."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        host = "127.0.0.1"
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return
    _check([address], is_secret=url.startswith("https:"))


def checked_addresses(url: str) -> list[Address]:
    """The addresses of the target's host, all of which were checked. Raises TargetRefused, or OSError for no name."""
    parts = urlsplit(url)
    found = socket.getaddrinfo(parts.hostname, port_of(url), type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    addresses = [ipaddress.ip_address(str(place[0])) for *_, place in found]
    _check(addresses, is_secret=parts.scheme == "https")
    return list(dict.fromkeys(addresses))


def port_of(url: str) -> int:
    """The port that the address names or means."""
    parts = urlsplit(url)
    return parts.port or (443 if parts.scheme == "https" else 80)


def _check(addresses: Sequence[Address], *, is_secret: bool) -> None:
    if not addresses:
        raise TargetRefused
    for address in addresses:
        is_listed = any(
            address in network for network in settings.WEBHOOK_TARGETS if network.version == address.version
        )
        stands_for_another = isinstance(address, ipaddress.IPv6Address) and (
            address.ipv4_mapped or address.scope_id or any(address in network for network in _TRANSLATED_NETWORKS)
        )
        is_public = address.is_global and not (stands_for_another or address.is_multicast or address.is_reserved)
        if not (is_listed or (is_secret and is_public)):
            raise TargetRefused


def post(url: str, body: bytes, headers: Mapping[str, str]) -> tuple[str, int | None]:
    """Post the body: how that ended, in a stable word, and the answer's status where there was one.

    Whatever goes wrong is such a word too: only 2xx counts as delivered.
    """
    try:
        request, addresses = _request(url, body, headers), checked_addresses(url)
        until = time.monotonic() + POST_SECONDS
        with _connected(url, addresses, until) as connection:
            connection.settimeout(_left(until))
            connection.sendall(request)
            status = _read_status(connection, until)
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
    is_taken = HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES
    return DELIVERED if is_taken else "refused", status


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
    for place, address in enumerate(addresses, start=1):
        try:
            seconds = min(_CONNECT_SECONDS, _left(until))
            plain = socket.create_connection((str(address), port_of(url)), timeout=seconds)
            break
        except OSError:
            if place == len(addresses):
                raise
    if not url.startswith("https:"):
        return plain
    try:
        plain.settimeout(_left(until))
        return ssl.create_default_context().wrap_socket(plain, server_hostname=urlsplit(url).hostname)
    except BaseException:
        plain.close()
        raise


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
