"""The service that the settings name, and checks of those settings: the base URL and the key."""

import ipaddress
import re
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning

from formation_portal.core.nodes import secret_store
from formation_portal.core.nodes.secret_store import StoredSecret

from .calls import Limits
from .client import FormationService
from .errors import NotConfigured
from .transports import in_process
from .transports.network import NetworkAdapter, Timeouts

_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)", re.ASCII)
_NUMERIC = re.compile(r"(0x[0-9a-f]*|\d+)(\.(0x[0-9a-f]*|\d+))*\.?", re.ASCII)


def address_error(url: str) -> str:
    if " " in url or "\\" in url or not url.isprintable():
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
    return _host_error(parts.hostname or "")


def _host_error(host: str) -> str:
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


def is_unencrypted(url: str) -> bool:
    """Tell whether the key and the answers would cross a network unencrypted."""
    parts = urlsplit(url)
    if parts.scheme == "https" or parts.hostname == "localhost":
        return False
    try:
        return not ipaddress.ip_address(parts.hostname or "").is_loopback
    except ValueError:
        return True


def check_service(**_: Any) -> list[CheckMessage]:
    """Check FORMATION_SERVICE_URL and FORMATION_SERVICE_KEY, without calling the service."""
    url = settings.FORMATION_SERVICE_URL
    key = settings.FORMATION_SERVICE_KEY
    if not url:
        unused = "FORMATION_SERVICE_KEY is set without FORMATION_SERVICE_URL; the embedded service has its own key"
        return [Warning(unused, id="gateway.W001")] if key else []
    messages: list[CheckMessage] = []
    if fault := address_error(url):
        hint = "Set only the base address, like https://formation.example"
        messages.append(Error(f"FORMATION_SERVICE_URL {fault}", hint=hint, id="gateway.E001"))
    elif is_unencrypted(url):
        exposed = "FORMATION_SERVICE_URL is not https: the key and answers are sent unencrypted"
        messages.append(Warning(exposed, id="gateway.W002"))
    if not key:
        messages.append(Error("FORMATION_SERVICE_KEY is empty: the service needs a key", id="gateway.E002"))
    elif not (key.isascii() and key.isprintable()):
        messages.append(Error("FORMATION_SERVICE_KEY contains characters that a key cannot have", id="gateway.E003"))
    return messages


def service() -> FormationService:
    """Return the configured service, one per process. Raises NotConfigured for an unusable URL or key."""
    return _service(settings.FORMATION_SERVICE_URL, settings.FORMATION_SERVICE_KEY)


# Only tests, which change the settings, have more than one service.
@lru_cache(maxsize=4)
def _service(url: str, key: str) -> FormationService:
    env = settings.ENV
    limits = Limits(
        timeouts=Timeouts(env.connect_timeout, env.read_timeout, env.call_timeout),
        upload_timeouts=Timeouts(env.connect_timeout, env.upload_timeout, env.upload_timeout),
        catalog_bytes=env.catalog_limit_mib * 2**20,
        answer_bytes=env.answer_limit_mib * 2**20,
    )
    if not url:
        return FormationService(
            base_url=in_process.BASE_URL,
            # Read the key at each call, since it may be created after the portal has started.
            read_key=lambda: secret_store.read_once(StoredSecret.SERVICE_KEY),
            adapter=in_process.InProcessAdapter(),
            limits=limits,
        )
    if fault := address_error(url):
        raise NotConfigured(f"FORMATION_SERVICE_URL {fault}")
    if not (key.isascii() and key.isprintable()):
        raise NotConfigured("FORMATION_SERVICE_KEY contains characters that a key cannot have")
    return FormationService(base_url=url, read_key=lambda: key, adapter=NetworkAdapter(), limits=limits)


def forget() -> None:
    _service.cache_clear()
