"""Refuse a start without keys that all nodes share, and settings that are unsafe outside the demo or in public."""

import ipaddress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from formation_portal.documents.confinement import missing_layers

if TYPE_CHECKING:
    from formation_portal.environment import Environment

# As Django's own advice has it for a key.
_KEY_CHARACTERS = 50
_KEY_DIFFERENT = 5
# Of other secrets.
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
    """What must not be outside the demo, and in it where others can reach the portal: each a setting, why, and what to
    set instead."""
    is_strict = is_public or not environment.demo
    keys = environment.secret_key.split()
    events = environment.webhook_secret.split()
    missing = missing_layers()
    wrong = {
        "DEMO: everybody knows the passwords and the key of the demo, and HOST, PORTAL_URL or ALLOWED_HOSTS is for "
        "others. Set DEMO=false, or DEMO_ANYWHERE=true if you want that": (
            is_public and environment.demo and not environment.demo_anywhere
        ),
        "DEBUG: shows settings and code to everybody who can connect. Set DEBUG=false": is_strict and environment.debug,
        f"SECRET_KEY: can be guessed. Give at least {_KEY_CHARACTERS} random characters, or leave it out": (
            is_strict and any(_can_be_guessed(key, _KEY_CHARACTERS) for key in keys)
        ),
        f"AUDIT_KEY: can be guessed. Give at least {_TOKEN_CHARACTERS} random characters, or leave it out": (
            is_strict and any(_can_be_guessed(key, _TOKEN_CHARACTERS) for key in environment.audit_key.split())
        ),
        "SECRETS_KEY: can be guessed. Give what `openssl rand -base64 32` prints": (
            is_strict and any(_can_be_guessed(key, _TOKEN_CHARACTERS) for key in environment.secrets_key.split())
        ),
        "FIELD_KEYS: can be guessed. Give what `openssl rand -base64 32` prints, or leave it out": (
            is_strict and any(_can_be_guessed(key, _TOKEN_CHARACTERS) for key in environment.field_keys.split())
        ),
        f"WEBHOOK_SECRET: can be guessed. Agree on at least {_TOKEN_CHARACTERS} random characters with the service": (
            is_strict and any(_can_be_guessed(one.removeprefix("whsec_"), _TOKEN_CHARACTERS) for one in events)
        ),
        "METRICS_TOKEN: can be guessed. Give random characters": (
            is_strict and bool(environment.metrics_token) and _can_be_guessed(environment.metrics_token, 0)
        ),
        f"UPLOADS_UNCONFINED: this kernel has no {' and no '.join(missing)}, so a hostile upload could read the keys. "
        "Use Linux 5.13 or later with both, on x86-64 or ARM64, or set UPLOADS_UNCONFINED=true if you want that": (
            is_strict and bool(missing) and not environment.uploads_unconfined
        ),
        "SECURE_COOKIES: without them anybody on the way can take over a session. "
        "Serve HTTPS, and set SECURE_COOKIES=true": is_public and not environment.secure_cookies,
    }
    return [line for line, is_so in wrong.items() if is_so]


def _can_be_guessed(secret: str, characters: int) -> bool:
    """Whether it is short, or made of a few characters only."""
    return len(secret) < characters or len(set(secret)) < _KEY_DIFFERENT


def is_public(environment: "Environment") -> bool:
    """Whether others than this machine are meant to reach the portal."""
    names = [environment.host, urlsplit(environment.portal_url).hostname or "localhost"]
    names += [name.strip().strip("[]") for name in environment.allowed_hosts.split(",") if name.strip()]
    return not all(map(is_this_machine, names))


def is_this_machine(host: str) -> bool:
    """Whether a host is a loopback address, or its name."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
