"""Networks as settings list them (10.0.0.0/8, ::1/128), and the client's address behind trusted proxies.

`TrustedProxies` replaces the server's own answer (REMOTE_ADDR and the scheme), so that whatever reads them, allauth's
rate limits and Django's check for HTTPS included, needs to know nothing of proxies.
"""

import ipaddress
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

LOOPBACK = "127.0.0.0/8, ::1/128"
# What a server listens at that answers to "localhost": loopback, or every address.
_LOCALHOST = ("127.0.0.1", "::1", "0.0.0.0", "::")  # nosec B104  # noqa: S104  # compared only


def parse_networks(listed: str) -> tuple[Network, ...]:
    """The networks. Raises ValueError, without what was listed."""
    try:
        return tuple(ipaddress.ip_network(one.strip()) for one in listed.split(",") if one.strip())
    except ValueError:
        raise ValueError("should be networks like 10.0.0.0/8 or ::1/128, with commas between") from None


def local_origin(host: str, port: int) -> str:
    """How a browser on this machine reaches a server that listens at that address."""
    if host in _LOCALHOST:
        return f"http://localhost:{port}"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


_Address = ipaddress.IPv4Address | ipaddress.IPv6Address

# What proxies say. Whoever may not say it is not heard by anybody.
_PROXY_HEADERS = (
    "HTTP_X_FORWARDED_FOR",
    "HTTP_X_FORWARDED_PROTO",
    "HTTP_X_FORWARDED_HOST",
    "HTTP_X_FORWARDED_PORT",
    "HTTP_X_REAL_IP",
    "HTTP_FORWARDED",
)


class TrustedProxies:
    """Reads X-Forwarded-For and X-Forwarded-Proto of trusted proxies, and drops all such headers."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        said = {name: request.META.pop(name, "") for name in _PROXY_HEADERS}
        peer = _parse_address(request.META.get("REMOTE_ADDR", ""))
        if peer is not None and _is_trusted(peer):
            request.META["REMOTE_ADDR"] = str(_client_address(peer, said["HTTP_X_FORWARDED_FOR"]))
            # The nearest proxy's word stands last; what stands before it may be its client's.
            if (scheme := said["HTTP_X_FORWARDED_PROTO"].rpartition(",")[2].strip().lower()) in ("http", "https"):
                request.META["wsgi.url_scheme"] = scheme
        return self.get_response(request)


def _client_address(peer: _Address, forwarded: str) -> _Address:
    """The nearest address that is no trusted proxy's: each proxy adds whom it was asked by, and what stands before the
    first stranger is that stranger's say. Where something can't be read, the last that could be."""
    nearest = peer
    for said in reversed(forwarded.split(",")):
        if not _is_trusted(nearest) or (address := _parse_address(said)) is None:
            break
        nearest = address
    return nearest


def _is_trusted(address: _Address) -> bool:
    return any(address in network for network in settings.TRUSTED_PROXIES)


def _parse_address(said: str) -> _Address | None:
    """An address, as some proxies write it with a port (203.0.113.7:4711, [2001:db8::7]:4711)."""
    text = said.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    # An IPv4 client of a socket that also takes IPv6.
    return getattr(address, "ipv4_mapped", None) or address
