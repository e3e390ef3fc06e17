"""Whom a request comes from where proxies stand before the portal: only those that TRUSTED_PROXIES names are believed.

It takes the place of the server's own answer (REMOTE_ADDR and the scheme), so that everything behind it, allauth's
limits and Django's idea of HTTPS included, asks as always, whichever web server runs.
"""

import ipaddress
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address

# What proxies say. Whoever may not say it is not heard by anybody.
_SAID_BY_PROXIES = (
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
        said = {name: request.META.pop(name, "") for name in _SAID_BY_PROXIES}
        peer = _read(request.META.get("REMOTE_ADDR", ""))
        if peer is not None and _is_trusted(peer):
            request.META["REMOTE_ADDR"] = str(_client(peer, said["HTTP_X_FORWARDED_FOR"]))
            # The nearest proxy's word stands last; what stands before it may be its client's.
            if (scheme := said["HTTP_X_FORWARDED_PROTO"].rpartition(",")[2].strip().lower()) in ("http", "https"):
                request.META["wsgi.url_scheme"] = scheme
        return self.get_response(request)


def _client(peer: _Address, forwarded: str) -> _Address:
    """The nearest address that is no trusted proxy's: each proxy adds whom it was asked by, and what stands before the
    first stranger is that stranger's say. Where something can't be read, the last that could be."""
    nearest = peer
    for said in reversed(forwarded.split(",")):
        if not _is_trusted(nearest) or (address := _read(said)) is None:
            break
        nearest = address
    return nearest


def _is_trusted(address: _Address) -> bool:
    return any(address in network for network in settings.TRUSTED_PROXIES)


def _read(said: str) -> _Address | None:
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
