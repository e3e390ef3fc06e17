"""The chain's numbers and hashes, stored apart, so that altering the chain alone is found. AUDIT_ANCHOR names a file,
which takes each entry right after its commit; without it, the anchor is a table. The file may lag behind the chain."""

import logging
import os
import re
from collections.abc import Iterable
from functools import partial
from itertools import starmap
from pathlib import Path

from django.conf import settings
from django.db import transaction

from formation_portal.core.storage import replace_secret

from .models import AnchorRow

logger = logging.getLogger(__name__)

# Of fixed width, so that half a line, written when the disk was full, does not spoil the lines after it.
_LINE = "{:012d} {}\n"
_LINES = re.compile(r"(\d{12}) ([0-9a-f]{64})\n")

Anchored = dict[int, str]


def anchor_entry(number: int, entry_hash: str) -> None:
    if settings.AUDIT_ANCHOR is None:
        AnchorRow.objects.create(number=number, hash=entry_hash)
    else:
        transaction.on_commit(partial(write_anchor, ((number, entry_hash),)))


def write_anchor(entries: Iterable[tuple[int, str]]) -> None:
    """Write entries to the anchor. Only log a failure: the chain's entries are committed."""
    if settings.AUDIT_ANCHOR is None:
        AnchorRow.objects.bulk_create(AnchorRow(number=number, hash=entry_hash) for number, entry_hash in entries)
        return
    lines = "".join(starmap(_LINE.format, entries))
    try:
        _append(settings.AUDIT_ANCHOR, lines)
    except OSError as error:
        logger.error("Could not write the audit anchor: %s", error.strerror)


def read_anchor() -> tuple[Anchored, frozenset[int]]:
    """Return the first anchored hash of each number, and the numbers that are anchored with two hashes."""
    entries = _read_entries()
    anchored = dict(reversed(entries))
    return anchored, frozenset(number for number, entry_hash in entries if anchored[number] != entry_hash)


def copy_anchor(newest: int) -> str:
    """Return the anchor file's lines up to a backup's newest entry; "" for an anchor table."""
    if settings.AUDIT_ANCHOR is None:
        return ""
    return "".join(_LINE.format(number, entry_hash) for number, entry_hash in _read_entries() if number <= newest)


def restore_anchor(lines: str) -> None:
    if settings.AUDIT_ANCHOR is not None:
        replace_secret(settings.AUDIT_ANCHOR, lines)


def _read_entries() -> list[tuple[int, str]]:
    """Return numbers and hashes in the order in which they were anchored."""
    if settings.AUDIT_ANCHOR is None:
        return list(AnchorRow.objects.values_list("number", "hash"))
    try:
        content = settings.AUDIT_ANCHOR.read_text("ascii", errors="replace")
    except FileNotFoundError:
        return []
    return [(int(number), entry_hash) for number, entry_hash in _LINES.findall(content)]


def _append(path: Path, lines: str) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(file, lines.encode())
        os.fsync(file)
    finally:
        os.close(file)
