"""The anchor: the chain's numbers and hashes in a file outside the database, which only ever grows.

An entry is anchored as soon as it is committed, so the anchor may lag behind the chain and never leads it. What was
committed in the moment before a process was killed or the disk was full has no line of its own; the next entry's
covers it, since its hash is made of it. Until then it alone could be cut off unseen, and `verify` names it.
"""

import logging
import os
import re
from collections.abc import Iterable
from pathlib import Path

from django.conf import settings

logger = logging.getLogger(__name__)

# Of fixed width, so that half a line, written as the disk became full, spoils none of those that follow it.
_LINE = "{:012d} {}\n"
_LINES = re.compile(r"(\d{12}) ([0-9a-f]{64})\n")

Anchored = dict[int, str]


def path() -> Path:
    """Where it is."""
    return Path(settings.AUDIT_ANCHOR)


def write(entries: Iterable[tuple[int, str]]) -> None:
    """Add the numbers and hashes in one piece, and wait for the disk. What can't be written is logged: the deed
    is committed, and must not fail by it."""
    lines = "".join(_LINE.format(number, hashed) for number, hashed in entries)
    try:
        file = os.open(path(), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(file, lines.encode())
            os.fsync(file)
        finally:
            os.close(file)
    except OSError as error:
        logger.error("Could not write the audit anchor: %s", error.strerror)


def read() -> tuple[Anchored, frozenset[int]]:
    """What it says: the hash of each number, as it was said first, and the numbers of which it says two things."""
    try:
        content = path().read_text("ascii", errors="replace")
    except FileNotFoundError:
        return {}, frozenset()
    said = _LINES.findall(content)
    anchored = {int(number): hashed for number, hashed in reversed(said)}
    if len(anchored) == len(said):
        return anchored, frozenset()
    return anchored, frozenset(int(number) for number, hashed in said if anchored[int(number)] != hashed)
