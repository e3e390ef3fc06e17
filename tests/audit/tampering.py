"""Ways to tamper with the table, from the clumsy to the careful: whoever writes to it can reckon hashes too."""

import random
from collections.abc import Callable
from enum import Enum

from formation_portal.audit.models import COLUMNS, FIRST_PREVIOUS_HASH, Entry, entry_hash

Row = list[object]
MOMENT, REFERENCE = COLUMNS.index("moment"), COLUMNS.index("reference")


class Care(Enum):
    """What the tamperer does about the hashes afterwards."""

    NONE = "none"
    OWN = "that of the row itself"
    ALL = "those of all that follow"


def stored() -> list[Row]:
    return [list(row) for row in Entry.objects.order_by("number").values_list(*COLUMNS)]


def store(rows: list[Row]) -> None:
    Entry.objects.all().delete()
    Entry.objects.bulk_create(Entry(**dict(zip(COLUMNS, row, strict=True))) for row in rows)


def edit(rows: list[Row], chance: random.Random) -> int:
    place = chance.randrange(len(rows))
    column = chance.randrange(1, len(COLUMNS) - 2)
    value = rows[place][column]
    rows[place][column] = value + 1 if isinstance(value, int) else f"{value}."[1:]
    return place


def delete(rows: list[Row], chance: random.Random) -> int:
    place = chance.randrange(len(rows) - 1)
    del rows[place]
    return place


def insert(rows: list[Row], chance: random.Random) -> int:
    place = chance.randrange(len(rows) + 1)
    rows.insert(place, list(rows[place - 1]))
    rows[place][REFERENCE] = "FP-0000-0000-0000"
    return place


def swap(rows: list[Row], chance: random.Random) -> int:
    place, other = sorted(chance.sample(range(len(rows)), 2))
    rows[place], rows[other] = rows[other], rows[place]
    return place


def cut(rows: list[Row], chance: random.Random) -> int:
    place = chance.randrange(1, len(rows))
    del rows[place:]
    return place


KINDS: tuple[Callable[[list[Row], random.Random], int], ...] = (edit, delete, insert, swap, cut)


def renumber(rows: list[Row]) -> None:
    for number, row in enumerate(rows, start=1):
        row[0] = number


def rehash(rows: list[Row], place: int, care: Care) -> None:
    for row_place in {Care.NONE: (), Care.OWN: (place,), Care.ALL: range(place, len(rows))}[care]:
        if row_place < len(rows):
            row = rows[row_place]
            row[-2] = rows[row_place - 1][-1] if row_place else FIRST_PREVIOUS_HASH
            row[-1] = entry_hash(row[:-1])
