"""Ways to tamper with the table, from the clumsy to the careful: whoever writes to it can reckon hashes too."""

import random
import time
from collections.abc import Callable
from enum import Enum
from io import StringIO

from django.core.management import CommandError, call_command
from django.test import TestCase

from formation_portal.audit.models import COLUMNS, FIRST_PREVIOUS_HASH, Entry, entry_hash
from formation_portal.audit.verification import verify

Row = list[object]
MOMENT, REFERENCE, PREVIOUS, HASH = map(COLUMNS.index, ("moment", "reference", "previous", "hash"))
# Behind what is hashed.
STORED = (*COLUMNS, "keyed_digest")


class Care(Enum):
    """What the tamperer does about the hashes afterwards."""

    NONE = "none"
    OWN = "that of the row itself"
    ALL = "those of all that follow"


def findings() -> list[tuple[int, str]]:
    """What is found an hour later, when whatever was being written then has been anchored."""
    report = verify(now=(time.time_ns() + 3600 * 10**9) // 1000)
    return [(finding.number, finding.what) for finding in report.findings]


def stored() -> list[Row]:
    return [list(row) for row in Entry.objects.order_by("number").values_list(*STORED)]


def store(rows: list[Row]) -> None:
    Entry.objects.all().delete()
    Entry.objects.bulk_create(Entry(**dict(zip(STORED, row, strict=True))) for row in rows)


def edit(rows: list[Row], chance: random.Random) -> int:
    index = chance.randrange(len(rows))
    column = chance.randrange(1, len(COLUMNS) - 2)
    value = rows[index][column]
    rows[index][column] = value + 1 if isinstance(value, int) else f"{value}."[1:]
    return index


def delete(rows: list[Row], chance: random.Random) -> int:
    index = chance.randrange(len(rows) - 1)
    del rows[index]
    return index


def insert(rows: list[Row], chance: random.Random) -> int:
    index = chance.randrange(len(rows) + 1)
    rows.insert(index, list(rows[index - 1]))
    rows[index][REFERENCE] = "FP-0000-0000-0000"
    return index


def swap(rows: list[Row], chance: random.Random) -> int:
    index, other = sorted(chance.sample(range(len(rows)), 2))
    rows[index], rows[other] = rows[other], rows[index]
    return index


def cut(rows: list[Row], chance: random.Random) -> int:
    index = chance.randrange(1, len(rows))
    del rows[index:]
    return index


KINDS: tuple[Callable[[list[Row], random.Random], int], ...] = (edit, delete, insert, swap, cut)


def renumber(rows: list[Row]) -> None:
    for number, row in enumerate(rows, start=1):
        row[0] = number


def rehash(rows: list[Row], index: int, care: Care) -> None:
    for row_index in {Care.NONE: (), Care.OWN: (index,), Care.ALL: range(index, len(rows))}[care]:
        if row_index < len(rows):
            row = rows[row_index]
            row[PREVIOUS] = rows[row_index - 1][HASH] if row_index else FIRST_PREVIOUS_HASH
            row[HASH] = entry_hash(row[:HASH])


def rewritten(rows: list[Row], index: int) -> list[Row]:
    """The chain with another reference in one row, and all hashes computed again."""
    rows = [list(row) for row in rows]
    rows[index][REFERENCE] = "FP-0000-0000-0000"
    rehash(rows, index, Care.ALL)
    return rows


def run(*arguments: str) -> tuple[str, str]:
    """The output of the command, and its last words if it failed."""
    output = StringIO()
    try:
        with TestCase.captureOnCommitCallbacks(execute=True):
            call_command("audit", *arguments, stdout=output)
    except CommandError as error:
        return output.getvalue(), str(error)
    return output.getvalue(), ""
