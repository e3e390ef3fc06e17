"""The marks of two entries: that at which keyed digests begin, and the chain's last. So the loss of the last entries is
found, since nobody can make the mark of a shorter chain without the key."""

import logging
from collections.abc import Sequence
from typing import Any

from formation_portal.core.background import hourly_task

from .keyed_digests import entry_digests, mark_digests
from .models import FIRST_PREVIOUS_HASH, ChainMark, Entry

logger = logging.getLogger(__name__)

BEGINNING = "beginning"
END = "end"
_BATCH_SIZE = 500
# The end that this process has logged last.
_logged_end: tuple[int, str] | None = None


def make_marks(entry_model: Any = Entry, mark_model: Any = ChainMark) -> None:
    """Write both marks at the newest entry. The first migration calls this."""
    newest = entry_model.objects.order_by("-number").values_list("number", "hash").first()
    number, entry_hash = newest or (0, FIRST_PREVIOUS_HASH)
    for name in (BEGINNING, END):
        digest = mark_digests(name, number, entry_hash)[0]
        mark_model.objects.create(name=name, number=number, hash=entry_hash, digest=digest)


def read_mark(name: str) -> ChainMark | None:
    """Return a mark; None if it is missing or its keyed digest is wrong."""
    mark = ChainMark.objects.filter(name=name).first()
    if mark is None or mark.digest not in mark_digests(name, mark.number, mark.hash):
        return None
    return mark


def move_end(before: tuple[int, str], after: tuple[int, str]) -> None:
    """Move the end mark from one entry to the next. An altered mark, or one at another entry, stays as evidence."""
    number, entry_hash = after
    current = ChainMark.objects.filter(name=END, digest__in=mark_digests(END, *before))
    current.update(number=number, hash=entry_hash, digest=mark_digests(END, *after)[0])


def are_marks_current() -> bool:
    """Tell whether every unaltered mark has a digest of the first key."""
    for mark in (read_mark(BEGINNING), read_mark(END)):
        if mark is not None and mark.digest != _digest_of_mark(mark):
            return False
    return True


def renew_digests(entries: Sequence[tuple[int, str]]) -> None:
    for start in range(0, len(entries), _BATCH_SIZE):
        batch = entries[start : start + _BATCH_SIZE]
        rows = [Entry(number=number, keyed_digest=entry_digests(entry_hash)[0]) for number, entry_hash in batch]
        Entry.objects.bulk_update(rows, ["keyed_digest"])


def renew_marks() -> None:
    """Give both marks a digest of the first key, and move the end to the newest entry.

    Altered marks, and an end mark whose entry is not in the chain, stay as evidence.
    """
    end = read_mark(END)
    if end is not None and (end.number == 0 or has_entry(end.number, end.hash)):
        end.number, end.hash = Entry.objects.values_list("number", "hash")[0]
        end.digest = _digest_of_mark(end)
        end.save()
    beginning = read_mark(BEGINNING)
    if beginning is not None:
        beginning.digest = _digest_of_mark(beginning)
        beginning.save()


def _digest_of_mark(mark: ChainMark) -> str:
    return mark_digests(mark.name, mark.number, mark.hash)[0]


@hourly_task
def log_end() -> None:
    """Log the newest entry, and an error if the chain lacks the one logged an hour ago.

    The logs are stored elsewhere, so they reveal that an earlier database was restored.
    """
    global _logged_end
    if _logged_end is not None and not has_entry(*_logged_end):
        logger.error("The audit log no longer has entry %d with hash %s: it was cut or rewritten", *_logged_end)
    end = Entry.objects.values_list("number", "hash").first()
    if end is not None:
        logger.info("The audit log ends with entry %d, hash %s", *end)
        _logged_end = end


def has_entry(number: int, entry_hash: str) -> bool:
    return Entry.objects.filter(number=number, hash=entry_hash).exists()
