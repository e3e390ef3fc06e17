"""Refuse a start without keys that all nodes share, and settings that are unsafe outside the demo or in public."""

import ipaddress
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from formation_portal.documents.confinement import missing_layers

if TYPE_CHECKING:
    from formation_portal.environment import Environment

# The same bounds as in Django's own check of SECRET_KEY.
_KEY_CHARACTERS = 50
_KEY_DIFFERENT = 5
_TOKEN_CHARACTERS = 20


def missing_keys(environment: "Environment") -> list[str]:
    """Return one line if the portal would make keys in DATA_DIR for a database or a bucket that other nodes use."""
    urls = (environment.database_url, environment.service_database_url, environment.storage_url)
    is_shared = any(url.startswith(("postgres", "s3://")) for url in urls)
    has_own_keys = environment.secret_key and environment.audit_key and environment.field_keys
    if not is_shared or environment.secrets_key or has_own_keys:
        return []
    return [
        "SECRETS_KEY: is not set, and with PostgreSQL or STORAGE_URL no key may be in DATA_DIR alone. Give all nodes "
        "the same, which `openssl rand -base64 32` prints, or set SECRET_KEY, AUDIT_KEY and FIELD_KEYS"
    ]


def unsafe_settings(environment: "Environment", *, is_public: bool) -> list[str]:
    """Return a line for each setting that is unsafe outside the demo, or in it if others can reach the portal."""
    lines = []
    if is_public and environment.demo and not environment.demo_anywhere:
        lines.append(
            "DEMO: everybody knows the passwords and the key of the demo, and HOST, PORTAL_URL or ALLOWED_HOSTS is for "
            "others. Set DEMO=false, or DEMO_ANYWHERE=true if you want that"
        )
    if is_public or not environment.demo:
        if environment.debug:
            lines.append("DEBUG: shows settings and code to everybody who can connect. Set DEBUG=false")
        lines += _secrets_that_can_be_guessed(environment)
        if (missing := missing_layers()) and not environment.uploads_unconfined:
            lines.append(
                f"UPLOADS_UNCONFINED: this kernel has no {' and no '.join(missing)}, so a hostile upload could read "
                "the keys. Use Linux 5.13 or later with both, on x86-64 or ARM64, or set UPLOADS_UNCONFINED=true if "
                "you want that"
            )
    if is_public and not environment.secure_cookies:
        lines.append(
            "SECURE_COOKIES: without them anybody on the way can take over a session. "
            "Serve HTTPS, and set SECURE_COOKIES=true"
        )
    return lines


def _secrets_that_can_be_guessed(environment: "Environment") -> Iterator[str]:
    random_key = "Give what `openssl rand -base64 32` prints"
    for name, characters, advice in (
        ("SECRET_KEY", _KEY_CHARACTERS, f"Give at least {_KEY_CHARACTERS} random characters, or leave it out"),
        ("AUDIT_KEY", _TOKEN_CHARACTERS, f"Give at least {_TOKEN_CHARACTERS} random characters, or leave it out"),
        ("SECRETS_KEY", _TOKEN_CHARACTERS, random_key),
        ("FIELD_KEYS", _TOKEN_CHARACTERS, f"{random_key}, or leave it out"),
        (
            "WEBHOOK_SECRET",
            _TOKEN_CHARACTERS,
            f"Agree on at least {_TOKEN_CHARACTERS} random characters with the service",
        ),
        ("METRICS_TOKEN", 0, "Give random characters"),
    ):
        for secret in getattr(environment, name.lower()).split():
            key = secret.removeprefix("whsec_")
            if len(key) < characters or len(set(key)) < _KEY_DIFFERENT:
                yield f"{name}: can be guessed. {advice}"
                break


def is_public(environment: "Environment") -> bool:
    """Tell whether other machines are meant to reach the portal."""
    names = [environment.host, urlsplit(environment.portal_url).hostname or "localhost"]
    names += [name.strip().strip("[]") for name in environment.allowed_hosts.split(",") if name.strip()]
    return not all(map(is_this_machine, names))


def is_this_machine(host: str) -> bool:
    """Tell whether the host is a loopback address or "localhost"."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
