"""The anchor: the chain's numbers and hashes, kept where whoever alters the chain can't alter them, one for all nodes.

AUDIT_ANCHOR says where. A file takes each entry right after its commit. The table takes it in the same transaction, and
on PostgreSQL a trigger lets nobody change or delete a row. A bucket would keep pages waiting, so each minute the newest
entry becomes an object of its own, `<number>-<hash>`, which is never overwritten: since a hash is made of the one
before it, that covers all earlier entries, and what was missed while the bucket was away.

The anchor may lag behind the chain and never leads it. What was committed in the moment before a process was killed or
the disk was full has no line of its own; the next entry's covers it. Until then it alone could be cut off unseen, and
`verify` names it.
"""

import logging
import os
import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import transaction

from formation_portal.core.background import MINUTE_SECONDS, minute_task
from formation_portal.core.storage import ANCHOR_FILES, replace_secret

from .models import AnchorRow, Entry

logger = logging.getLogger(__name__)

BUCKET, TABLE = "bucket", "table"
# Of fixed width, so that half a line, written as the disk became full, spoils none of those that follow it.
_LINE = "{:012d} {}\n"
_LINES = re.compile(r"(\d{12}) ([0-9a-f]{64})\n")
_OBJECT_NAME = "{:012d}-{}"
_OBJECT = re.compile(r"(\d{12})-([0-9a-f]{64})")
# An entry that is being written while the chain is verified may be anchored a moment later.
_IN_FLIGHT_SECONDS = 60.0

Anchored = dict[int, str]

# The newest entry that this process has put into the bucket.
_newest_in_bucket: tuple[int, str] | None = None


def anchor_path() -> Path:
    """Where the anchor is, if it is a file."""
    return Path(settings.AUDIT_ANCHOR)


def covers_earlier() -> bool:
    """Whether an anchored number stands for all before it, so that not each of them is anchored."""
    return bool(settings.AUDIT_ANCHOR == BUCKET)


def lag_seconds() -> float:
    """How long an entry may be without an anchor, and nothing is wrong."""
    return _IN_FLIGHT_SECONDS + (2 * MINUTE_SECONDS if settings.AUDIT_ANCHOR == BUCKET else 0)


def anchor_entry(number: int, hashed: str) -> None:
    """In the transaction that has written the entry."""
    if settings.AUDIT_ANCHOR == TABLE:
        AnchorRow.objects.create(number=number, hash=hashed)
    elif settings.AUDIT_ANCHOR != BUCKET:
        transaction.on_commit(partial(write_anchor, ((number, hashed),)))


@minute_task
def anchor_newest() -> None:
    """Put the newest entry into the bucket, if that is where the anchor is. Two who do so write the same object."""
    global _newest_in_bucket
    if settings.AUDIT_ANCHOR != BUCKET:
        return
    newest = Entry.objects.values_list("number", "hash").first()
    if newest is not None and newest != _newest_in_bucket and write_anchor([newest]):
        _newest_in_bucket = newest


def write_anchor(entries: Iterable[tuple[int, str]]) -> bool:
    """Add the numbers and hashes, and wait for the disk or the bucket. What can't be written is logged: the deed is
    committed, and must not fail by it. Whether it was written."""
    entries = tuple(entries)
    try:
        if settings.AUDIT_ANCHOR == TABLE:
            AnchorRow.objects.bulk_create(AnchorRow(number=number, hash=hashed) for number, hashed in entries)
        elif settings.AUDIT_ANCHOR == BUCKET:
            for number, hashed in entries[-1:]:
                _bucket().save(_OBJECT_NAME.format(number, hashed), ContentFile(b""))
        else:
            _append_to_file("".join(_LINE.format(number, hashed) for number, hashed in entries))
    except OSError as error:
        logger.error("Could not write the audit anchor: %s", error.strerror)
        return False
    return True


def read_anchor() -> tuple[Anchored, frozenset[int]]:
    """The hash that the anchor says of each number, as it was said first, and the numbers of which it says two.

    Raises OSError where a bucket is away.
    """
    said = _read_all()
    anchored = dict(reversed(said))
    if len(anchored) == len(said):
        return anchored, frozenset()
    return anchored, frozenset(number for number, hashed in said if anchored[number] != hashed)


def copy_anchor(newest: int) -> str:
    """Its lines, for a backup that has the entries up to this number: of later ones it would say that they were cut
    off. Of the table none, which is copied with the database. Raises OSError where a bucket is away."""
    if settings.AUDIT_ANCHOR == TABLE:
        return ""
    return "".join(_LINE.format(number, hashed) for number, hashed in _read_all() if number <= newest)


def restore_anchor(lines: str) -> None:
    """Put copied lines where the anchor is; objects that a bucket still has stay. Raises OSError."""
    if settings.AUDIT_ANCHOR == BUCKET:
        names = [_OBJECT_NAME.format(int(number), hashed) for number, hashed in _LINES.findall(lines)]
        for name in names:
            if not _bucket().exists(name):
                _bucket().save(name, ContentFile(b""))
    elif settings.AUDIT_ANCHOR != TABLE:
        replace_secret(anchor_path(), lines)


def move_file(say: Callable[[str], object]) -> None:
    """At the start: what this node has in the file that was the anchor before goes where the anchor is now."""
    path = Path(settings.DATA_DIR) / "audit-anchor"
    if settings.AUDIT_ANCHOR not in (TABLE, BUCKET) or not path.exists():
        return
    said = sorted(_read_file(path))
    if said and not write_anchor(said):
        return
    path.rename(path.with_name("audit-anchor-moved"))
    say(f"Moved {len(said)} anchors of the audit from DATA_DIR into the {settings.AUDIT_ANCHOR}")


def _bucket() -> Any:
    return storages[ANCHOR_FILES]


def _read_all() -> list[tuple[int, str]]:
    """As it was said, the first first."""
    if settings.AUDIT_ANCHOR == TABLE:
        return list(AnchorRow.objects.values_list("number", "hash"))
    if settings.AUDIT_ANCHOR == BUCKET:
        names = _bucket().stored_before(datetime.max.replace(tzinfo=UTC))
        return [(int(found[1]), found[2]) for name in names if (found := _OBJECT.fullmatch(name))]
    return _read_file(anchor_path())


def _append_to_file(lines: str) -> None:
    file = os.open(anchor_path(), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(file, lines.encode())
        os.fsync(file)
    finally:
        os.close(file)


def _read_file(path: Path) -> list[tuple[int, str]]:
    try:
        content = path.read_text("ascii", errors="replace")
    except FileNotFoundError:
        return []
    return [(int(number), hashed) for number, hashed in _LINES.findall(content)]
