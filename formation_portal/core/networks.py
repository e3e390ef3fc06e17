"""Parse networks in settings (10.0.0.0/8, ::1/128), and find the client's IP address behind trusted proxies."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest
from django.utils.deprecation import MiddlewareMixin

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_Address = ipaddress.IPv4Address | ipaddress.IPv6Address

LOOPBACK = "127.0.0.0/8, ::1/128"
# The addresses of a server that is reached as "localhost": loopback, or every address.
_LOCALHOST = ("127.0.0.1", "::1", "0.0.0.0", "::")  # nosec B104  # noqa: S104  # compared only


def parse_networks(listed: str) -> tuple[Network, ...]:
    """Parse networks separated by commas. The ValueError does not quote the networks."""
    try:
        return tuple(ipaddress.ip_network(network.strip()) for network in listed.split(",") if network.strip())
    except ValueError:
        raise ValueError("should be networks like 10.0.0.0/8 or ::1/128, with commas between") from None


def local_origin(host: str, port: int) -> str:
    """Return the origin by which a browser on this machine reaches a server."""
    if host in _LOCALHOST:
        return f"http://localhost:{port}"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


# Only trusted proxies may set these headers.
_PROXY_HEADERS = (
    "HTTP_X_FORWARDED_FOR",
    "HTTP_X_FORWARDED_PROTO",
    "HTTP_X_FORWARDED_HOST",
    "HTTP_X_FORWARDED_PORT",
    "HTTP_X_REAL_IP",
    "HTTP_FORWARDED",
)


class TrustedProxies(MiddlewareMixin):
    """Set REMOTE_ADDR and the scheme to the values that trusted proxies report, and remove the proxies' headers."""

    def process_request(self, request: HttpRequest) -> None:
        headers = {name: request.META.pop(name, "") for name in _PROXY_HEADERS}
        peer = _parse_address(request.META.get("REMOTE_ADDR", ""))
        if peer is None or not _is_trusted(peer):
            return
        request.META["REMOTE_ADDR"] = str(_client_address(peer, headers["HTTP_X_FORWARDED_FOR"]))
        # The nearest proxy adds the last value. Earlier values may come from its client.
        scheme = headers["HTTP_X_FORWARDED_PROTO"].rpartition(",")[2].strip().lower()
        if scheme in ("http", "https"):
            request.META["wsgi.url_scheme"] = scheme


def _client_address(peer: _Address, forwarded: str) -> _Address:
    """Follow X-Forwarded-For from its end past trusted proxies. Stops before an address that can't be read."""
    nearest = peer
    for text in reversed(forwarded.split(",")):
        address = _parse_address(text)
        if address is None or not _is_trusted(nearest):
            break
        nearest = address
    return nearest


def _is_trusted(address: _Address) -> bool:
    return any(address in network for network in settings.TRUSTED_PROXIES)


def _parse_address(text: str) -> _Address | None:
    """Parse an IP address, perhaps with a port (203.0.113.7:4711, [2001:db8::7]:4711). Return None for other texts."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    # A socket for both IPv4 and IPv6 shows an IPv4 client in this form.
    return getattr(address, "ipv4_mapped", None) or address
