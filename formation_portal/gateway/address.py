"""What may stand in FORMATION_SERVICE_URL: one base address over HTTP, with nothing hidden in it."""

import ipaddress
import re
from urllib.parse import urlsplit

_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)", re.ASCII)
_NUMERIC = re.compile(r"(0x[0-9a-f]*|\d+)(\.(0x[0-9a-f]*|\d+))*\.?", re.ASCII)


def fault_of(url: str) -> str:
    """Why the address can't be used, as the rest of a sentence; empty where it can."""
    if any(character.isspace() or not character.isprintable() for character in url) or "\\" in url:
        return "contains a space, a control character or a backslash"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "is not an address"
    if parts.scheme not in ("http", "https"):
        return "must begin with https:// or http://"
    if "@" in parts.netloc:
        return "contains credentials; set the key in FORMATION_SERVICE_KEY"
    if "?" in url or "#" in url:
        return "contains a query or a fragment"
    if port == 0 or parts.netloc.endswith(":"):
        return "has no usable port"
    if re.search(r"/api(/v1)?/*$", parts.path):
        return "must not end in /api/v1; the portal adds it"
    if "//" in parts.path or "%" in parts.path or any(step in (".", "..") for step in parts.path.split("/")):
        return "has a path with unusual characters"
    return _fault_of_host(parts.hostname or "")


def _fault_of_host(host: str) -> str:
    if not host:
        return "names no host"
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        if _NUMERIC.fullmatch(host):
            return "has a host written as an ambiguous number"
        labels = host.split(".")
        return "" if all(map(_LABEL.fullmatch, labels)) and len(host) <= 253 else "has no usable host name"
    if ip.is_link_local or ip.is_multicast or ip.is_unspecified or (ip.is_reserved and not ip.is_loopback):
        return "names an address that cannot be a service"
    if isinstance(ip, ipaddress.IPv6Address) and (ip.ipv4_mapped or ip.sixtofour or ip.teredo or ip.scope_id):
        return "hides one address in another"
    return ""


def is_exposed(url: str) -> bool:
    """Whether the key and the answers would cross a network unencrypted."""
    parts = urlsplit(url)
    if parts.scheme == "https" or parts.hostname == "localhost":
        return False
    try:
        return not ipaddress.ip_address(parts.hostname or "").is_loopback
    except ValueError:
        return True
