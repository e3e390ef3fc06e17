"""Secrets that the portal makes itself, once: files in DATA_DIR, or with SECRETS_KEY rows of the database.

All nodes share the rows. Each is encrypted by the first key of SECRETS_KEY, and read by any of them, so that a new
one can take its place (deploy/README.md, "Secrets"). What lies in a file when SECRETS_KEY is set for the first time is
taken over.

Settings hold what the environment or a file says, and never ask the database. With SECRETS_KEY the start puts
SECRET_KEY there, since Django reads it from the settings (`open_secrets`, and `load_secret_key` for other commands).
"""

import base64
import binascii
import json
import secrets
from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.apps import apps
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import Error, transaction
from django.utils import timezone

from ..storage import read_or_create_secret, replace_secret

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet

_KEY_BYTES, _SECRET_BYTES = 32, 48

Say = Callable[[str], object]


class StoredSecret(StrEnum):
    """The name of each, which is also its file's."""

    SECRET_KEY = "secret-key"  # noqa: S105  # names, here and below
    AUDIT_KEY = "audit-key"
    # With which the embedded service signs events.
    SIGNING_KEY = "webhook-signing-key"
    # That came when we subscribed to a service's events.
    WEBHOOK_SECRET = "portal-webhook-secret"  # noqa: S105
    # The portal's own key to the embedded service.
    SERVICE_KEY = "portal-service-key"
    # What encrypts personal data, where FIELD_KEYS is not set (`core/encryption.py`).
    FIELD_KEYS = "field-keys"


# Secrets of the database that this process has read. An operator who replaces one starts all processes anew.
_memory: dict[tuple[str, ...], str] = {}


def parse_keys(text: str) -> list[str]:
    """Return the keys of SECRETS_KEY as Fernet takes them. Raises ValueError, which names none of them."""
    keys = [key.replace("+", "-").replace("/", "_") for key in text.split()]
    for key in keys:
        try:
            is_right = len(base64.b64decode(key, altchars=b"-_", validate=True)) == _KEY_BYTES
        except (binascii.Error, ValueError):
            is_right = False
        if not is_right:
            raise ValueError("should be 32 random bytes in base64, as `openssl rand -base64 32` prints them")
    return keys


def new_secret() -> str:
    """Make a secret that nobody can guess."""
    return secrets.token_urlsafe(_SECRET_BYTES)


def audit_key() -> str:
    """Return AUDIT_KEY of the settings, or the one that was made here."""
    return str(settings.AUDIT_KEY) or read_or_create(StoredSecret.AUDIT_KEY, new_secret)


def load_secret_key() -> None:
    """Put the database's SECRET_KEY into the settings, for a command. If the database is away, has no secret yet or
    another key has encrypted it, leave SECRET_KEY empty: signing fails then, and nothing else."""
    if not _is_secret_key_stored():
        return
    with suppress(Error, ImproperlyConfigured):
        settings.SECRET_KEY = read(StoredSecret.SECRET_KEY)


def read_or_create(name: StoredSecret, make: Callable[[], str]) -> str:
    """Return a secret, which is made on the first call. If several nodes make it at once, all get the one that stays.

    Raises ImproperlyConfigured if SECRETS_KEY doesn't open it.
    """
    if not settings.SECRETS_KEY:
        return read_or_create_secret(_file(name), make)
    place = (name, *settings.SECRETS_KEY)
    if place not in _memory:
        _memory[place] = _from_database(name) or _keep(name, _from_file(name) or make())
    return _memory[place]


def read(name: StoredSecret) -> str:
    """Return a secret as it is now, or "" if it was never made."""
    return (_from_database(name) if settings.SECRETS_KEY else "") or _from_file(name)


def read_once(name: StoredSecret) -> str:
    """Return a secret as `read` does, and remember what the database has: no call waits for one that is away."""
    if not settings.SECRETS_KEY:
        return read(name)
    place = (name, *settings.SECRETS_KEY)
    if place not in _memory and (secret := read(name)):
        _memory[place] = secret
    return _memory.get(place, "")


def replace(name: StoredSecret, secret: str) -> None:
    """Put a secret into the place of the one before."""
    _forget_digest(name)
    if settings.SECRETS_KEY:
        _rows().update_or_create(name=name, defaults={"sealed": _seal(name, secret), "made_at": timezone.now()})
        _memory.clear()
    else:
        replace_secret(_file(name), secret)


def changed_at(name: StoredSecret) -> float:
    """Return when a secret was made or replaced, in seconds since 1970; 0 if there is none."""
    if settings.SECRETS_KEY:
        moment = _rows().filter(name=name).values_list("made_at", flat=True).first()
        return float(moment.timestamp()) if moment else 0.0
    return _file(name).stat().st_mtime if _file(name).exists() else 0.0


def forget(name: StoredSecret) -> None:
    """Read a secret again at the next call, since another process may have replaced it."""
    _memory.pop((name, *settings.SECRETS_KEY), None)


def delete(name: StoredSecret) -> bool:
    """Remove a secret, and tell if there was one. The next start makes another, or takes another from the settings."""
    was_there = _forget_digest(name) | bool(_rows().filter(name=name).delete()[0]) | _file(name).exists()
    _file(name).unlink(missing_ok=True)
    _memory.clear()
    return was_there


def check_secrets() -> None:
    """Raise ImproperlyConfigured if SECRETS_KEY is missing or doesn't open what the database has."""
    for name, sealed in _rows().values_list("name", "sealed"):
        if not settings.SECRETS_KEY:
            raise ImproperlyConfigured(
                "SECRETS_KEY: is not set, and the database holds the portal's secrets. Set it as on the other nodes."
            )
        _open(name, sealed)


def open_secrets(say: Say) -> None:
    """At the start of each process, once its databases are set up: take over what lies in files, encrypt anew what an
    earlier key has encrypted, and read what pages need, so that none waits for it. Raises what `check_secrets` raises.
    """
    check_secrets()
    if not settings.SECRETS_KEY:
        return
    for name in StoredSecret:
        if (secret := _from_file(name)) and not _rows().filter(name=name).exists():
            _keep(name, secret)
            say(f"Moved {name} from DATA_DIR into the database; the file may be removed")
    for row in _rows():
        if (renewed := _renewed(row.sealed)) is not None:
            _rows().filter(name=row.name, sealed=row.sealed).update(sealed=renewed)
            say(f"Encrypted {row.name} with the first key of SECRETS_KEY")
    if _is_secret_key_stored():
        settings.SECRET_KEY = read_or_create(StoredSecret.SECRET_KEY, new_secret)
    audit_key()
    if not settings.FIELD_KEYS:
        read_once(StoredSecret.FIELD_KEYS)
    read_once(StoredSecret.SERVICE_KEY)


def unused_files() -> list[str]:
    """Return the names of files in DATA_DIR whose secrets the database has."""
    if not settings.SECRETS_KEY:
        return []
    return [name for name in _rows().order_by("name").values_list("name", flat=True) if _from_file(name)]


def _is_secret_key_stored() -> bool:
    return bool(settings.SECRETS_KEY) and not settings.ENV.secret_key


def _forget_digest(name: StoredSecret) -> bool:
    """Let the next start record the digest of another secret (`startup.py`). Tell if there was a digest."""
    with transaction.atomic():
        row = apps.get_model("nodes", "Installation").objects.select_for_update().first()
        if row is None or name not in row.digests:
            return False
        del row.digests[name]
        row.save(update_fields=["digests"])
    return True


def _rows() -> Any:
    """Query the table of secrets. Its model can't be imported here, since the settings import this module."""
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


def _keep(name: str, secret: str) -> str:
    """Store a secret, and return the one that stays: this, or the one that another node has stored first."""
    row, _ = _rows().get_or_create(name=name, defaults={"sealed": _seal(name, secret)})
    return _open(name, row.sealed)


# The secret goes with its name, so that rows can't be exchanged for one another.
def _seal(name: str, secret: str) -> str:
    return _cipher(tuple(settings.SECRETS_KEY)).encrypt(json.dumps([name, secret]).encode()).decode()


def _open(name: str, sealed: str) -> str:
    from cryptography.fernet import InvalidToken

    try:
        sealed_name, secret = json.loads(_cipher(tuple(settings.SECRETS_KEY)).decrypt(sealed.encode()))
    except InvalidToken:
        sealed_name, secret = "", ""
    if sealed_name != name:
        raise ImproperlyConfigured(
            f"SECRETS_KEY: does not open {name} in the database, which another key has encrypted. "
            "Set it as on the other nodes."
        )
    return str(secret)


def _renewed(sealed: str) -> str | None:
    """Encrypt a sealed secret by the first key. Return None if that key has encrypted it."""
    from cryptography.fernet import InvalidToken

    first, *others = settings.SECRETS_KEY
    try:
        if others:
            _cipher((first,)).decrypt(sealed.encode())
        return None
    except InvalidToken:
        return _cipher((first, *others)).rotate(sealed.encode()).decode()


@lru_cache(maxsize=4)
def _cipher(keys: tuple[str, ...]) -> "MultiFernet":
    # Loaded only where SECRETS_KEY is set.
    from cryptography.fernet import Fernet, MultiFernet

    return MultiFernet([Fernet(key) for key in keys])
