"""Adding an entry to the chain, in the transaction of the deed that it tells of, and its anchor.

The anchor is a file outside the database with the chain's numbers and hashes, which only ever grows. An entry is
anchored as soon as it is committed, so the anchor may lag behind the chain and never leads it. What was committed in
the moment before a process was killed or the disk was full has no line of its own; the next entry's covers it, since
its hash is made of it. Until then it alone could be cut off unseen, and `verify` names it.
"""

import json
import logging
import os
import re
import time
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from django.conf import settings
from django.db import connection, models, transaction

from .attestation import digests
from .models import COLUMNS, FIRST_PREVIOUS_HASH, SUBJECT_LIMIT, TABLE, Actor, AuditAction, Entry, as_line, entry_hash

logger = logging.getLogger(__name__)

# The number is the key, so of two who take the same one only the first has it; the other waits for the first to end,
# and does nothing where it was committed. SQLite and PostgreSQL alike.
_INSERT = (
    f"INSERT INTO {TABLE} ({', '.join(COLUMNS)}) VALUES ({', '.join(['%s'] * len(COLUMNS))}) "  # noqa: S608  # our own
    "ON CONFLICT (number) DO NOTHING"
)
# Of fixed width, so that half a line, written as the disk became full, spoils none of those that follow it.
_LINE = "{:012d} {}\n"
_LINES = re.compile(r"(\d{12}) ([0-9a-f]{64})\n")

Anchored = dict[int, str]


class Account(Protocol):
    """An account, or a guest, who has none."""

    @property
    def pk(self) -> Any:
        """The account's number; None without one."""


class Subject(Protocol):
    """An application, as far as an entry names it."""

    pk: Any
    reference: Any


def append(
    deed: AuditAction,
    *,
    by: Account | None,
    application: Subject | None,
    subject: object = "",
    rows: Iterable[models.Model] = (),
    **detail: Any,
) -> None:
    """Add one entry: two queries, committed or rolled back with the deed. `by` is None where the portal does it, and
    `application` where it is about none.

    `detail` is small and holds no personal data; of the `rows` that the deed has written it gets a keyed digest each.
    From here to the end of the transaction other deeds wait, so this is the last thing that a deed does.
    """
    if attested := digests(rows):
        detail["rows"] = attested
    detail_text = json.dumps(detail, sort_keys=True, separators=(",", ":")) if detail else ""
    about = (application.pk, application.reference) if application else (0, "")
    values = (time.time_ns() // 1000, *_actor(by), deed.value, *about)
    with transaction.atomic(savepoint=False):
        number, hashed = _insert((*values, as_line(str(subject), SUBJECT_LIMIT), detail_text))
        transaction.on_commit(partial(write_anchor, ((number, hashed),)))


def _actor(by: Account | None) -> tuple[str, int]:
    if by is None:
        return Actor.PORTAL.value, 0
    if by.pk is None:
        return Actor.GUEST.value, 0
    return (Actor.AGENT if getattr(by, "is_agent", False) else Actor.CUSTOMER).value, by.pk


def _insert(values: tuple[Any, ...]) -> tuple[int, str]:
    """The number and the hash under which it was kept: after the newest that there is when nobody else adds one."""
    while True:
        newest, previous = Entry.objects.values_list("number", "hash").first() or (0, FIRST_PREVIOUS_HASH)
        content = (newest + 1, *values, previous)
        hashed = entry_hash(content)
        with connection.cursor() as cursor:
            cursor.execute(_INSERT, (*content, hashed))
            if cursor.rowcount == 1:
                return newest + 1, hashed


def anchor_path() -> Path:
    """Where the anchor is."""
    return Path(settings.AUDIT_ANCHOR)


def write_anchor(entries: Iterable[tuple[int, str]]) -> None:
    """Add the numbers and hashes in one piece, and wait for the disk. What can't be written is logged: the deed
    is committed, and must not fail by it."""
    lines = "".join(_LINE.format(number, hashed) for number, hashed in entries)
    try:
        file = os.open(anchor_path(), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(file, lines.encode())
            os.fsync(file)
        finally:
            os.close(file)
    except OSError as error:
        logger.error("Could not write the audit anchor: %s", error.strerror)


def read_anchor() -> tuple[Anchored, frozenset[int]]:
    """The hash that the anchor says of each number, as it was said first, and the numbers of which it says two."""
    try:
        content = anchor_path().read_text("ascii", errors="replace")
    except FileNotFoundError:
        return {}, frozenset()
    said = _LINES.findall(content)
    anchored = {int(number): hashed for number, hashed in reversed(said)}
    if len(anchored) == len(said):
        return anchored, frozenset()
    return anchored, frozenset(int(number) for number, hashed in said if anchored[int(number)] != hashed)
