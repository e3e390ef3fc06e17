"""Store the secrets that the portal makes: in files of DATA_DIR, or, with SECRETS_KEY, in rows that all nodes share.

The first key of SECRETS_KEY encrypts, all its keys decrypt. When SECRETS_KEY is first set, secrets move from files to
rows. The settings never query the database: at the start `open_secrets` puts SECRET_KEY into the settings.
"""

import base64
import json
import secrets
from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.apps import apps
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import OutputWrapper
from django.db import Error, transaction
from django.utils import timezone

from ..storage import read_or_create_secret, replace_secret

_KEY_BYTES = 32
_SECRET_BYTES = 48


class StoredSecret(StrEnum):
    """The names of the secrets, which are also their files' names."""

    SECRET_KEY = "secret-key"  # noqa: S105  # names, here and below
    AUDIT_KEY = "audit-key"
    # Signs the embedded service's events.
    SIGNING_KEY = "webhook-signing-key"
    # The secret that the formation service sent when we subscribed to its events.
    WEBHOOK_SECRET = "portal-webhook-secret"  # noqa: S105
    # The portal's own key to the embedded service.
    SERVICE_KEY = "portal-service-key"
    # The keys that encrypt personal data if FIELD_KEYS is not set (`core/encryption.py`).
    FIELD_KEYS = "field-keys"


# The database's secrets that this process has read. After replacing a secret, an operator restarts all processes.
_memory: dict[tuple[str, ...], str] = {}


def parse_keys(text: str) -> list[str]:
    """Return the keys of SECRETS_KEY in Fernet's form. Raises a ValueError that does not quote them."""
    keys = text.replace("+", "-").replace("/", "_").split()
    for key in keys:
        try:
            length = len(base64.b64decode(key, altchars=b"-_", validate=True))
        except ValueError:
            length = 0
        if length != _KEY_BYTES:
            raise ValueError("should be 32 random bytes in base64, as `openssl rand -base64 32` prints them")
    return keys


def new_secret() -> str:
    return secrets.token_urlsafe(_SECRET_BYTES)


def audit_key() -> str:
    """Return AUDIT_KEY from the settings, or else the key that the portal has made."""
    return str(settings.AUDIT_KEY) or read_or_create(StoredSecret.AUDIT_KEY, new_secret)


def load_secret_key() -> None:
    """Put the database's SECRET_KEY into the settings, for a command.

    Leaves SECRET_KEY empty if the database is away, has no such secret or only one of another SECRETS_KEY: then only
    signing fails.
    """
    if _is_secret_key_stored():
        with suppress(Error, ImproperlyConfigured):
            settings.SECRET_KEY = read(StoredSecret.SECRET_KEY)


def read_or_create(name: StoredSecret, make: Callable[[], str]) -> str:
    """Return a secret, made on the first call. If several nodes make it at once, all nodes get the one that is stored.

    Raises ImproperlyConfigured if SECRETS_KEY doesn't open it.
    """
    if not settings.SECRETS_KEY:
        return read_or_create_secret(_file(name), make)
    memory_key = (name, *settings.SECRETS_KEY)
    if memory_key not in _memory:
        _memory[memory_key] = _from_database(name) or _store(name, _from_file(name) or make())
    return _memory[memory_key]


def read(name: StoredSecret) -> str:
    """Return the current secret, or "" if none was made."""
    if settings.SECRETS_KEY and (secret := _from_database(name)):
        return secret
    return _from_file(name)


def read_once(name: StoredSecret) -> str:
    """Return a secret like `read`, but query the database only once."""
    if not settings.SECRETS_KEY:
        return read(name)
    memory_key = (name, *settings.SECRETS_KEY)
    if memory_key not in _memory and (secret := read(name)):
        _memory[memory_key] = secret
    return _memory.get(memory_key, "")


def replace(name: StoredSecret, secret: str) -> None:
    _forget_digest(name)
    if settings.SECRETS_KEY:
        _rows().update_or_create(name=name, defaults={"sealed": _seal(name, secret), "made_at": timezone.now()})
        _memory.clear()
    else:
        replace_secret(_file(name), secret)


def changed_at(name: StoredSecret) -> float:
    """Return the time when an existing secret was made or replaced, in seconds since 1970."""
    if settings.SECRETS_KEY:
        return float(_rows().get(name=name).made_at.timestamp())
    return _file(name).stat().st_mtime


def forget(name: StoredSecret) -> None:
    """Let the next call read the secret again, since another process may have replaced it."""
    _memory.pop((name, *settings.SECRETS_KEY), None)


def delete(name: StoredSecret) -> bool:
    """Delete a secret. Return False if there is none."""
    had_digest = _forget_digest(name)
    number_of_rows, _ = _rows().filter(name=name).delete()
    had_file = _file(name).exists()
    _file(name).unlink(missing_ok=True)
    _memory.clear()
    return had_digest or had_file or number_of_rows > 0


def check_secrets() -> None:
    """Raise ImproperlyConfigured if SECRETS_KEY is missing or doesn't decrypt the database's secrets."""
    for name, sealed in _rows().values_list("name", "sealed"):
        if not settings.SECRETS_KEY:
            raise ImproperlyConfigured(
                "SECRETS_KEY: is not set, and the database holds the portal's secrets. Set it as on the other nodes."
            )
        _open(name, sealed)


def open_secrets(stdout: OutputWrapper) -> None:
    """Move secrets from files into the database, reencrypt secrets of an earlier key, and read those that pages need.

    Each process calls this at its start. Raises ImproperlyConfigured.
    """
    check_secrets()
    if not settings.SECRETS_KEY:
        return
    for name in StoredSecret:
        if (secret := _from_file(name)) and not _rows().filter(name=name).exists():
            _store(name, secret)
            stdout.write(f"Moved {name} from DATA_DIR into the database; the file may be removed")
    for row in _rows():
        if (sealed := _reencrypted(row.sealed)) is not None:
            _rows().filter(name=row.name, sealed=row.sealed).update(sealed=sealed)
            stdout.write(f"Encrypted {row.name} with the first key of SECRETS_KEY")
    if _is_secret_key_stored():
        settings.SECRET_KEY = read_or_create(StoredSecret.SECRET_KEY, new_secret)
    audit_key()
    if not settings.FIELD_KEYS:
        read_once(StoredSecret.FIELD_KEYS)
    read_once(StoredSecret.SERVICE_KEY)


def unused_files() -> list[str]:
    """Return the names of files in DATA_DIR whose secrets are in the database."""
    if not settings.SECRETS_KEY:
        return []
    return [name for name in _rows().order_by("name").values_list("name", flat=True) if _from_file(name)]


def _is_secret_key_stored() -> bool:
    return bool(settings.SECRETS_KEY) and not settings.ENV.secret_key


def _forget_digest(name: StoredSecret) -> bool:
    """Delete a secret's digest, so that the next start records another. Return False if there is no digest."""
    with transaction.atomic():
        row = apps.get_model("nodes", "Installation").objects.select_for_update().first()
        if row is None or name not in row.digests:
            return False
        del row.digests[name]
        row.save(update_fields=["digests"])
    return True


def _rows() -> Any:
    """Return all rows of secrets. Their model can't be imported here, since the settings import this module."""
    return apps.get_model("nodes", "Secret").objects.all()


def _file(name: str) -> Path:
    return Path(settings.DATA_DIR) / name


def _from_file(name: str) -> str:
    try:
        return _file(name).read_text().strip()
    except FileNotFoundError:
        return ""


def _from_database(name: str) -> str:
    sealed = _rows().filter(name=name).values_list("sealed", flat=True).first()
    return _open(name, sealed) if sealed else ""


def _store(name: str, secret: str) -> str:
    """Store a secret and return it, or return the secret that another node has stored first."""
    row, _ = _rows().get_or_create(name=name, defaults={"sealed": _seal(name, secret)})
    return _open(name, row.sealed)


def _seal(name: str, secret: str) -> str:
    """Encrypt a secret together with its name, so that rows can't be swapped."""
    return _cipher(tuple(settings.SECRETS_KEY)).encrypt(json.dumps([name, secret]).encode()).decode()


def _open(name: str, sealed: str) -> str:
    sealed_name = ""
    secret = ""
    with suppress(InvalidToken):
        sealed_name, secret = json.loads(_cipher(tuple(settings.SECRETS_KEY)).decrypt(sealed.encode()))
    if sealed_name != name:
        raise ImproperlyConfigured(
            f"SECRETS_KEY: does not open {name} in the database, which another key has encrypted. "
            "Set it as on the other nodes."
        )
    return str(secret)


def _reencrypted(sealed: str) -> str | None:
    """Return a sealed secret encrypted with the first key, or None if that key has encrypted it already."""
    first, *others = settings.SECRETS_KEY
    try:
        if others:
            _cipher((first,)).decrypt(sealed.encode())
        return None
    except InvalidToken:
        return _cipher((first, *others)).rotate(sealed.encode()).decode()


@lru_cache(maxsize=4)
def _cipher(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet(map(Fernet, keys))
