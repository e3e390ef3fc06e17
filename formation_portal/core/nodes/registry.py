"""What each node is, kept in the database while it runs, so that each can tell where others are not as itself.

A node is a machine with a DATA_DIR. On SQLite there is one, and nothing is kept. Of secrets only digests are kept, made
by a function that is slow to try (scrypt), and of addresses only those without their passwords.
"""

import hashlib
import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from functools import cache, lru_cache
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.models.functions import Now

from .. import encryption
from ..background import BackgroundWorker
from ..key_rotation import check_keys
from ..monitoring.checks import CheckResult, fault, look, ok
from . import secret_store
from .models import Node
from .secret_store import StoredSecret
from .versions import code_version, refuse_newer_databases

Say = Callable[[str], object]

BEAT_SECONDS = 60.0
# Whoever said nothing for longer has ended; and is forgotten after a day.
_ALIVE, _REMEMBERED = timedelta(minutes=3), timedelta(days=1)
# Leases and retries are reckoned by each node's clock.
MAX_CLOCK_DIFFERENCE = 1.0

_SECRETS = {
    "SECRET_KEY": "sessions and links of one are none to the other",
    "AUDIT_KEY": "each finds what the other has attested altered",
    StoredSecret.FIELD_KEYS: "neither can read what the other has encrypted",
    StoredSecret.SIGNING_KEY: "events of the embedded service are signed in two ways",
    StoredSecret.WEBHOOK_SECRET: "events of the formation service are refused by one",
}
# Those of a machine or a process alone. Keys that were made here are among the secrets above.
_OWN_SETTINGS = frozenset(
    {
        *("data_dir", "host", "port", "web_processes", "drain_seconds", "debug", "log_level", "log_format"),
        *("metrics_token", "pdf_fonts", "operator_logo", "operator_texts", "audit_anchor"),
        *("secret_key", "audit_key", "secrets_key", "field_keys", "database_url"),
    }
)
_SECRET_SETTINGS = frozenset({"formation_service_key", "webhook_secret"})
# With another one, files or deliveries are somewhere else.
_GRAVE_SETTINGS = frozenset({"STORAGE_URL", "SERVICE_DATABASE_URL", "FORMATION_SERVICE_URL"})
_CREDENTIALS = re.compile(r"//[^/@]*@")
_DIGEST_CHARACTERS = 16


def has_others() -> bool:
    """Whether there may be nodes beside this one."""
    return connection.vendor == "postgresql"


def describe() -> Node:
    """This node, as it is now."""
    digests = {name: _slow_digest(secret) for name, secret in _secrets().items()}
    for name in sorted(set(type(settings.ENV).model_fields) - _OWN_SETTINGS):
        value = str(getattr(settings.ENV, name))
        is_secret = name in _SECRET_SETTINGS
        digests[name.upper()] = _slow_digest(value) if is_secret else _digest(_CREDENTIALS.sub("//", value))
    name = f"{socket.gethostname()}:{settings.DATA_DIR}"
    return Node(
        name=name, version=code_version(), schema=_schema(), digests=digests, clock_ahead=seconds_ahead_of_database()
    )


def register() -> Node:
    """Keep what this node is now, and forget those that ended long ago."""
    node = describe()
    values = {one: getattr(node, one) for one in ("version", "schema", "digests", "clock_ahead")}
    Node.objects.update_or_create(name=node.name, defaults={**values, "seen_at": Now()})
    Node.objects.filter(seen_at__lt=Now() - _REMEMBERED).delete()
    return node


def join(say: Say) -> None:
    """At the start of a process that sets nothing up itself. Raises CommandError."""
    refuse_newer_databases()
    open_secrets(say)
    introduce(say)


def open_secrets(say: Say) -> None:
    """Read what the database has. Raises CommandError where SECRETS_KEY or FIELD_KEYS doesn't open it."""
    try:
        secret_store.open_secrets(say)
        check_keys()
    except ImproperlyConfigured as error:
        raise CommandError(str(error)) from None


def introduce(say: Say) -> None:
    """Register this node, once its secrets are made, and say where others that run disagree with it."""
    if has_others():
        for result in disagreements(register()):
            say(f"Warning: {result.found}. {result.remedy}")


def beating() -> AbstractContextManager[None]:
    """Registers the node each minute meanwhile, in a thread beside the process's work."""
    if not has_others():
        return nullcontext()
    return BackgroundWorker(
        name="node", log_name="The node's register", work=_beat, stop_timeout=1, poll_seconds=BEAT_SECONDS
    ).running()


def _beat(**_: Any) -> None:
    register()


def check_nodes() -> Iterator[CheckResult]:
    """For the doctor: where this node, with the settings that the doctor sees, is not as those that run."""
    if files := secret_store.unused_files():
        found = f"{', '.join(files)} in DATA_DIR are not read any more: the database has them"
        yield look("Secrets", found, "Remove these files, when all nodes have started with SECRETS_KEY.")
    if not has_others():
        yield ok("Nodes", "one: the database is SQLite")
        return
    try:
        secret_store.check_secrets()
    except ImproperlyConfigured as error:
        name, _, rest = str(error).partition(": ")
        found, _, remedy = rest.partition(". ")
        yield fault("Secrets", f"{name} {found}", remedy)
        return
    node = describe()
    results = list(disagreements(node))
    yield from results
    if not results:
        others = _others(node)
        yield ok("Nodes", f"{len(others)} beside this one, and they agree" if others else "none beside this one")


def disagreements(node: Node) -> Iterator[CheckResult]:
    """Where others that run are not as this one is."""
    if abs(node.clock_ahead) > MAX_CLOCK_DIFFERENCE:
        found = f"this node's clock is {_aside(node.clock_ahead)} the database's"
        yield look("Nodes", found, "Set both clocks by NTP.")
    for other in _others(node):
        yield from _compared(node, other)


def _others(node: Node) -> list[Node]:
    return list(Node.objects.filter(seen_at__gt=Now() - _ALIVE).exclude(pk=node.pk).order_by("pk"))


def _compared(node: Node, other: Node) -> Iterator[CheckResult]:
    of_other = f"the node {other.name}"
    unlike = [name for name, digest in node.digests.items() if other.digests.get(name, digest) != digest]
    for name in unlike:
        is_missing = not node.digests[name] or not other.digests[name]
        if name in _SECRETS and is_missing and settings.SECRETS_KEY:
            # All nodes share the row of a secret: the other one registered just before it was made.
            continue
        if name in _SECRETS:
            remedy = f"Set SECRETS_KEY on all nodes, or give all of them the same {name}."
            yield fault("Nodes", f"{of_other} has another {name}: {_SECRETS[name]}", remedy)
        else:
            result = fault if name in _GRAVE_SETTINGS else look
            yield result("Nodes", f"{of_other} has another {name}", f"Give all nodes the same {name}.")
    if other.schema != node.schema:
        found = f"{of_other} has a version of the portal with other migrations"
        yield look("Nodes", found, "End the old version there, and start this one, when the upgrade is through.")
    elif other.version != node.version:
        found = f"{of_other} has another version of the portal ({other.version}; this one has {node.version})"
        yield look("Nodes", found, "End the old version there, and start the new one.")
    ahead = other.clock_ahead - node.clock_ahead
    if abs(ahead) > MAX_CLOCK_DIFFERENCE:
        found = f"{of_other} has a clock that is {_aside(ahead)} this one's"
        yield look("Nodes", found, "Set all clocks by NTP.")


def _aside(ahead: float) -> str:
    return f"{abs(ahead):.1f} s {'ahead of' if ahead > 0 else 'behind'}"


def seconds_ahead_of_database() -> float:
    """By how much this node's clock is ahead of the database's (negative: behind)."""
    if not has_others():
        return 0.0
    with connection.cursor() as cursor:
        before = time.time()
        cursor.execute("SELECT extract(epoch FROM clock_timestamp())")
        after = time.time()
        [(seconds,)] = cursor.fetchall()
    return (before + after) / 2 - float(seconds)


def _secrets() -> dict[str, str]:
    """Those that have to be the same everywhere; one that was never made is none."""
    return {
        "SECRET_KEY": " ".join(map(str, (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS))),
        "AUDIT_KEY": str(settings.AUDIT_KEY),
        StoredSecret.FIELD_KEYS: encryption.key_ring().text,
        StoredSecret.SIGNING_KEY: secret_store.read(StoredSecret.SIGNING_KEY),
        StoredSecret.WEBHOOK_SECRET: secret_store.read(StoredSecret.WEBHOOK_SECRET),
    }


@lru_cache(maxsize=64)
def _slow_digest(secret: str) -> str:
    if not secret:
        return ""
    made = hashlib.scrypt(secret.encode(), salt=b"formation-portal node", n=2**13, r=8, p=1, dklen=32)
    return made.hex()[:_DIGEST_CHARACTERS]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_CHARACTERS]


@cache
def _schema() -> str:
    leaves = MigrationLoader(None, ignore_no_migrations=True).graph.leaf_nodes()
    return _digest(repr(sorted(leaves)))
