"""What a file says once it is read: headings and filled rows as texts, whatever made it. And why one isn't taken."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from formation_portal.contract.language import figure, say, say_count

# More is another sheet: each row is judged and shown on one page, and all are taken over in one transaction.
ROWS_AT_MOST = 200
COLUMNS_AT_MOST = 1_000
BYTES_AT_MOST = 5_000_000
# What one cell may hold; a quote that is never closed would else swallow the rest of a file.
CELL_AT_MOST = 40_000
# Of all cells together: a workbook keeps a text once, however many cells hold it.
CHARACTERS_AT_MOST = 2_000_000

# Whether a text is the heading of a column that the form knows.
IsHeading = Callable[[str], bool]


class SheetRefused(Exception):
    """The file can't be taken; the message says what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(frozen=True, slots=True)
class GridRow:
    """One filled row by its number in the sheet; `formulas` are the places of cells that are worked out."""

    number: int
    cells: tuple[str, ...]
    formulas: frozenset[int] = frozenset()

    @property
    def is_filled(self) -> bool:
        """Whether anything stands in it."""
        return bool(self.formulas) or any(cell.strip() for cell in self.cells)


@dataclass(frozen=True, slots=True)
class Grid:
    """The headings and the filled rows below. `remarks` are what is to be known of the file: a word, and its detail."""

    headings: tuple[str, ...]
    rows: tuple[GridRow, ...]
    remarks: tuple[tuple[str, str], ...] = ()


def grid_of(rows: Iterable[GridRow], remarks: Iterable[tuple[str, str]] = ()) -> Grid:
    """The first filled row is the headings. Raises SheetRefused without rows below it, or with too many."""
    filled = (row for row in within_bounds(rows) if row.is_filled)
    first = next(filled, None)
    if first is None:
        raise SheetRefused(say("Upload a sheet that is filled in; this one is empty"))
    kept: list[GridRow] = []
    count = 0
    for row in filled:
        count += 1
        if count <= ROWS_AT_MOST:
            kept.append(row)
    if count > ROWS_AT_MOST:
        raise SheetRefused(too_many(count))
    if not kept:
        raise SheetRefused(say("Fill in at least one row below the headings"))
    return Grid(first.cells, tuple(kept), tuple(remarks))


def within_bounds(rows: Iterable[GridRow]) -> Iterator[GridRow]:
    """The rows as they are read, as long as they say no more than is taken. Raises SheetRefused."""
    left = CHARACTERS_AT_MOST
    for row in rows:
        left -= sum(map(len, row.cells))
        if left < 0:
            raise SheetRefused(too_many())
        yield row


def too_many(count: int | None = None) -> str:
    """What to do with a sheet that is longer than can be taken at once; without a count nobody has counted."""
    most = figure(ROWS_AT_MOST)
    if count is None:
        return say("Upload at most {most} rows at once; this sheet holds far more", most=most)
    return say_count(
        "Upload at most {most} rows at once; this sheet has {count}",
        "Upload at most {most} rows at once; this sheet has {count}",
        count,
        most=most,
    )
