"""Prepare a process: refuse databases of another version, open the secrets, and refuse those that differ between nodes.

A start compares slow, shortened digests of a secret's keys, so that nobody guesses a key. One common key is enough.
"""

import hashlib
from collections.abc import Iterator

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import CommandError, OutputWrapper
from django.db import connection, transaction

from .. import encryption
from ..background import wait_until_migrated
from ..key_rotation import check_keys
from ..monitoring.checks import CheckResult, fault, look, ok
from ..private_files import keep_files_private
from . import secret_store
from .models import Installation
from .secret_store import StoredSecret
from .versions import refuse_other_databases

_CONSEQUENCES = {
    StoredSecret.SECRET_KEY: "sessions and links of one node are none to another",
    StoredSecret.AUDIT_KEY: "each node finds altered what another has attested",
    StoredSecret.FIELD_KEYS: "no node can read what another has encrypted",
    StoredSecret.SIGNING_KEY: "events of the embedded service are signed in two ways",
    StoredSecret.WEBHOOK_SECRET: "one of the nodes refuses events of the formation service",
}
_REMEDY = "Set SECRETS_KEY on all nodes, or give all of them the same (deploy/README.md, “Secrets”)."


def prepare_worker(stdout: OutputWrapper) -> None:
    keep_files_private(stdout)
    wait_until_migrated()
    refuse_other_databases()
    open_secrets(stdout)
    refuse_other_secrets()


def open_secrets(stdout: OutputWrapper) -> None:
    """Read the secrets. Raises CommandError if SECRETS_KEY or FIELD_KEYS doesn't decrypt the database's content."""
    try:
        secret_store.open_secrets(stdout)
        check_keys()
    except ImproperlyConfigured as error:
        raise CommandError(str(error)) from None


def refuse_other_secrets() -> None:
    """Raise CommandError if a secret differs from the other nodes' secret; else record this node's digests."""
    if not _has_other_nodes():
        return
    own = _digests()
    with transaction.atomic():
        row, _ = Installation.objects.select_for_update().get_or_create(pk=1)
        for name in _differing(own, row.digests):
            raise CommandError(f"{name}: is not the one of the other nodes: {_CONSEQUENCES[name]}. {_REMEDY}")
        row.digests |= own
        row.save(update_fields=["digests"])


def check_secrets() -> Iterator[CheckResult]:
    """Report secrets that differ from the other nodes' secrets, and files of secrets that are no longer read."""
    if files := secret_store.unused_files():
        finding = f"{', '.join(files)} in DATA_DIR are not read any more: the database has them"
        yield look("Secrets", finding, "Remove these files, when all nodes have started with SECRETS_KEY.")
    if not _has_other_nodes():
        yield ok("Secrets", "of one node: the database is SQLite")
        return
    try:
        secret_store.check_secrets()
    except ImproperlyConfigured as error:
        name, _, rest = str(error).partition(": ")
        finding, _, remedy = rest.partition(". ")
        yield fault("Secrets", f"{name} {finding}", remedy)
        return
    recorded = Installation.objects.values_list("digests", flat=True).first()
    differing = _differing(_digests(), recorded or {})
    for name in differing:
        yield fault("Secrets", f"{name} is not the one of the other nodes: {_CONSEQUENCES[name]}", _REMEDY)
    if not differing:
        yield ok("Secrets", "as on the other nodes")


def _has_other_nodes() -> bool:
    return connection.vendor == "postgresql"


def _differing(own: dict[StoredSecret, list[str]], recorded: dict[str, list[str]]) -> list[StoredSecret]:
    """List the secrets for which the database has only other digests."""
    return [name for name in own if name in recorded and set(own[name]).isdisjoint(recorded[name])]


def _digests() -> dict[StoredSecret, list[str]]:
    """Map each secret of this node to digests, one for each key. A secret without keys is left out."""
    secrets = {
        StoredSecret.SECRET_KEY: [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS],
        StoredSecret.AUDIT_KEY: secret_store.audit_key().split(),
        StoredSecret.FIELD_KEYS: encryption.key_ring().text.split(),
        StoredSecret.SIGNING_KEY: secret_store.read(StoredSecret.SIGNING_KEY).split(),
        StoredSecret.WEBHOOK_SECRET: secret_store.read(StoredSecret.WEBHOOK_SECRET).split(),
    }
    return {name: [_slow_digest(name, key) for key in keys] for name, keys in secrets.items() if keys}


def _slow_digest(name: str, key: str) -> str:
    salt = f"formation-portal {name}".encode()
    return hashlib.scrypt(key.encode(), salt=salt, n=2**13, r=8, p=1, dklen=8).hex()
