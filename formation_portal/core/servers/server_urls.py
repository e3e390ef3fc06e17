"""Translate the URLs of the mail server, the cache and the malware scanner to settings.

No ValueError quotes a URL, which may hold a password.
"""

import re
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

_BACKENDS = "django.core.mail.backends"
# The default port and the encryption of each scheme.
_SMTP: dict[str, tuple[int, dict[str, bool]]] = {
    "smtp": (25, {}),
    "smtp+tls": (587, {"EMAIL_USE_TLS": True}),
    "smtps": (465, {"EMAIL_USE_SSL": True}),
}


def mail_settings(url: str) -> dict[str, Any]:
    """Return Django's settings for `smtp://`, `smtp+tls://`, `smtps://` or `file:///a/folder`. "" means no server."""
    if not url:
        return {"EMAIL_BACKEND": f"{_BACKENDS}.dummy.EmailBackend"}
    parts = urlsplit(url)
    if parts.scheme == "file" and PurePosixPath(parts.path).is_absolute():
        return {"EMAIL_BACKEND": f"{_BACKENDS}.filebased.EmailBackend", "EMAIL_FILE_PATH": unquote(parts.path)}
    if parts.scheme not in _SMTP or not parts.hostname:
        raise ValueError("should begin with smtp://, smtp+tls:// or smtps:// and name a host, or be file:///a/folder")
    port, encryption = _SMTP[parts.scheme]
    return {
        "EMAIL_BACKEND": f"{_BACKENDS}.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or port,
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        **encryption,
    }


_CACHE_SCHEMES = {"redis": "redis", "rediss": "rediss", "valkey": "redis", "valkeys": "rediss"}
# With the default number of entries, an attacker with many addresses could evict other people's counts.
_DATABASE_CACHE = {
    "BACKEND": "django.core.cache.backends.db.DatabaseCache",
    "LOCATION": "counted_attempts",
    "OPTIONS": {"MAX_ENTRIES": 20_000},
}


def cache_settings(url: str) -> dict[str, Any]:
    """Return CACHES for `redis://`, `rediss://` or `valkey://`. For "", return only the database's cache."""
    if not url:
        return {"default": _DATABASE_CACHE}
    try:
        parts = urlsplit(url)
        (parts.hostname or "").encode("idna")
        is_valid = parts.scheme in _CACHE_SCHEMES and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_valid = False
    if not is_valid or not re.fullmatch(r"/?|/[0-9]+", parts.path):
        raise ValueError("should begin with redis://, rediss:// or valkey://, name a host, and may end with a number")
    shared = {
        "BACKEND": "formation_portal.core.servers.shared_cache.SharedCache",
        # In a list, since Django would split a text at commas.
        "LOCATION": [parts._replace(scheme=_CACHE_SCHEMES[parts.scheme]).geturl()],
        "KEY_PREFIX": "formation-portal",
    }
    return {"default": shared, "database": _DATABASE_CACHE}


_CLAMD_PORT = 3310


def clamd_address(url: str) -> str | tuple[str, int]:
    """Return the path, or host and port, of `unix:///path` or `tcp://host:3310`. Raises ValueError."""
    parts = urlsplit(url)
    if parts.scheme == "unix" and not parts.netloc and len(parts.path) > 1:
        return parts.path
    if parts.scheme == "tcp" and parts.hostname and parts.path in ("", "/") and not (parts.query or parts.fragment):
        return parts.hostname, parts.port or _CLAMD_PORT
    raise ValueError("should be tcp://host:3310 or unix:///path/of/clamd.ctl")
