"""Secrets that the portal makes itself, once: files in DATA_DIR, or with SECRETS_KEY rows of the database for all
nodes.

Each row is encrypted by the first key of SECRETS_KEY, and read by any of them, so that a new one can take its place
(deploy/README.md, "Secrets"). What lies in a file when SECRETS_KEY is set for the first time is taken over.
"""

import base64
import binascii
import json
from collections.abc import Callable
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import transaction
from django.utils import timezone
from django.utils.functional import lazy

from ..storage import read_or_create_secret, replace_secret

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet

_KEY_BYTES = 32

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


# What the database has said: rows are replaced in another process only by an operator, who starts all of them anew.
_known: dict[tuple[str, ...], str] = {}


def parse_keys(text: str) -> list[str]:
    """The keys of SECRETS_KEY as Fernet takes them. Raises ValueError, without any of them."""
    keys = [key.replace("+", "-").replace("/", "_") for key in text.split()]
    for key in keys:
        try:
            is_right = len(base64.b64decode(key, altchars=b"-_", validate=True)) == _KEY_BYTES
        except (binascii.Error, ValueError):
            is_right = False
        if not is_right:
            raise ValueError("should be 32 random bytes in base64, as `openssl rand -base64 32` prints them")
    return keys


def stored_in_settings(name: StoredSecret, make: Callable[[], str], *, data_dir: Path, is_shared: bool) -> Any:
    """For the settings, which no database can be asked for: what the file says, or a text that is read when it is
    needed."""
    if is_shared:
        return lazy(lambda: read_or_create(name, make), str)()
    return read_or_create_secret(data_dir / name, make)


def read_or_create(name: StoredSecret, make: Callable[[], str]) -> str:
    """It is made on the first call; of several nodes that make it at once, all get the one that stays.

    Raises ImproperlyConfigured where SECRETS_KEY doesn't open it.
    """
    if not settings.SECRETS_KEY:
        return read_or_create_secret(_file(name), make)
    place = (name, *settings.SECRETS_KEY)
    if place not in _known:
        _known[place] = _from_database(name) or _keep(name, _from_file(name) or make())
    return _known[place]


def read(name: StoredSecret) -> str:
    """As it is now; empty where there is none."""
    return (_from_database(name) if settings.SECRETS_KEY else "") or _from_file(name)


def read_once(name: StoredSecret) -> str:
    """As `read`, but what the database has said holds until the process ends: no call waits for a database that is
    away."""
    if not settings.SECRETS_KEY:
        return read(name)
    place = (name, *settings.SECRETS_KEY)
    if place not in _known and (found := read(name)):
        _known[place] = found
    return _known.get(place, "")


def replace(name: StoredSecret, secret: str) -> None:
    """Take the place of the one before."""
    _forget_digest(name)
    if not settings.SECRETS_KEY:
        replace_secret(_file(name), secret)
        return
    from .models import Secret

    Secret.objects.update_or_create(name=name, defaults={"sealed": _seal(name, secret), "made_at": timezone.now()})
    _known.clear()


def changed_at(name: StoredSecret) -> float:
    """When it was put there last, in seconds since 1970; 0 where there is none."""
    from .models import Secret

    if settings.SECRETS_KEY:
        at = Secret.objects.filter(name=name).values_list("made_at", flat=True).first()
        return at.timestamp() if at else 0.0
    return _file(name).stat().st_mtime if _file(name).exists() else 0.0


def forget(name: StoredSecret) -> None:
    """Ask the database again, since another process may have replaced it."""
    _known.pop((name, *settings.SECRETS_KEY), None)


def delete(name: StoredSecret) -> bool:
    """Remove a secret, and tell if there was one. The next start makes another, or takes another from the settings."""
    from .models import Secret

    was_there = _forget_digest(name) | bool(Secret.objects.filter(name=name).delete()[0]) | _file(name).exists()
    _file(name).unlink(missing_ok=True)
    _known.clear()
    return was_there


def check_secrets() -> None:
    """Raises ImproperlyConfigured where SECRETS_KEY is missing or doesn't open what the database has."""
    from .models import Secret

    for name, sealed in Secret.objects.values_list("name", "sealed"):
        if not settings.SECRETS_KEY:
            raise ImproperlyConfigured(
                "SECRETS_KEY: is not set, and the database holds the portal's secrets. Set it as on the other nodes."
            )
        _open(name, sealed)


def open_secrets(say: Say) -> None:
    """At the start of each process, once its databases are set up: read what it will need, take over what lies in
    files, and encrypt anew what an earlier key has encrypted. Raises what `check_secrets` raises."""
    from .models import Secret

    check_secrets()
    if not settings.SECRETS_KEY:
        return
    for name in StoredSecret:
        if (found := _from_file(name)) and not Secret.objects.filter(name=name).exists():
            _keep(name, found)
            say(f"Moved {name} from DATA_DIR into the database; the file may be removed")
    for row in Secret.objects.all():
        if (renewed := _renewed(row.sealed)) is not None:
            Secret.objects.filter(name=row.name, sealed=row.sealed).update(sealed=renewed)
            say(f"Encrypted {row.name} with the first key of SECRETS_KEY")
    # Read now, so that no page needs a query for them.
    assert len(settings.SECRET_KEY)
    assert len(settings.AUDIT_KEY)
    if not settings.FIELD_KEYS:
        read_once(StoredSecret.FIELD_KEYS)
    read_once(StoredSecret.SERVICE_KEY)


def unused_files() -> list[str]:
    """Return the names of files in DATA_DIR whose secrets the database has."""
    from .models import Secret

    if not settings.SECRETS_KEY:
        return []
    return [name for name in Secret.objects.order_by("name").values_list("name", flat=True) if _from_file(name)]


def _forget_digest(name: StoredSecret) -> bool:
    """Let the next start record the digest of another secret (`startup.py`). Tell if there was a digest."""
    from .models import Installation

    with transaction.atomic():
        row = Installation.objects.select_for_update().first()
        if row is None or name not in row.digests:
            return False
        del row.digests[name]
        row.save(update_fields=["digests"])
    return True


def _file(name: str) -> Path:
    return Path(settings.DATA_DIR) / name


def _from_file(name: str) -> str:
    try:
        return _file(name).read_text().strip()
    except FileNotFoundError:
        return ""


def _from_database(name: str) -> str:
    from .models import Secret

    sealed = Secret.objects.filter(name=name).values_list("sealed", flat=True).first()
    return _open(name, sealed) if sealed else ""


def _keep(name: str, secret: str) -> str:
    """The one that stays: this, or what another node has kept first."""
    from .models import Secret

    row, _ = Secret.objects.get_or_create(name=name, defaults={"sealed": _seal(name, secret)})
    return _open(name, row.sealed)


# The secret goes with its name, so that rows can't be exchanged for one another.
def _seal(name: str, secret: str) -> str:
    return _cipher(tuple(settings.SECRETS_KEY)).encrypt(json.dumps([name, secret]).encode()).decode()


def _open(name: str, sealed: str) -> str:
    from cryptography.fernet import InvalidToken

    try:
        said, secret = json.loads(_cipher(tuple(settings.SECRETS_KEY)).decrypt(sealed.encode()))
    except InvalidToken:
        said, secret = "", ""
    if said != name:
        raise ImproperlyConfigured(
            f"SECRETS_KEY: does not open {name} in the database, which another key has encrypted. "
            "Set it as on the other nodes."
        )
    return str(secret)


def _renewed(sealed: str) -> str | None:
    """The same, encrypted by the first key; None where it is already."""
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
