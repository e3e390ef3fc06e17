"""Where events may be posted to: the public internet, and beyond it only what WEBHOOK_TARGETS lists.

A name is looked up once, every address that it has is checked, and one of those is connected to. So a name that answers
differently the next time reaches nothing, and neither does one that has a private address among public ones.
"""

import ipaddress
import socket
from collections.abc import Sequence
from urllib.parse import urlsplit

from django.conf import settings

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

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
        listed = [network for network in settings.WEBHOOK_TARGETS if network.version == address.version]
        is_listed = any(address in network for network in listed)
        if not (is_listed or (is_secret and _is_public(address))):
            raise TargetRefused


def _is_public(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address) and (
        address.ipv4_mapped or address.scope_id or any(address in network for network in _TRANSLATED_NETWORKS)
    ):
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved
