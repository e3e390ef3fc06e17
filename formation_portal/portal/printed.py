"""What a printed record is made of: plain words in their order, for the page setter to lay out.

Everything is text. Nothing here is mark-up of any kind, and nothing of it is ever read as such.
"""

from dataclasses import asdict, dataclass, field, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class PrintedRow:
    """One question with its answer in words; without a value it was not answered. `is_schemas`: its term is."""

    term: str
    value: str = ""
    note: str = ""
    is_name: bool = False
    is_schemas: bool = False


@dataclass(frozen=True, slots=True)
class PrintedTable:
    """Figures: the first column names the row, every other one is a number."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    total: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PrintedEntry:
    """One row of the register: a heading in the margin, and beside it rows, sentences or figures."""

    title: str
    note: str = ""
    is_name: bool = False
    # Whether its title is the schema's word.
    is_schemas: bool = False
    paragraphs: tuple[str, ...] = ()
    rows: tuple[PrintedRow, ...] = ()
    # What stands above the two columns of the rows.
    columns: tuple[str, ...] = ()
    tables: tuple[PrintedTable, ...] = ()


@dataclass(frozen=True, slots=True)
class PrintedRecord:
    """The whole of it. `words` are the setter's own, in the reader's language."""

    language: str
    # Where the schema speaks another.
    schema_language: str
    title: str
    reference: str
    name: str
    caption: str
    lead: str
    words: dict[str, str]
    entries: tuple[PrintedEntry, ...]
    # What could not be printed as it is.
    warning: tuple[str, ...] = field(default=())

    def as_json(self) -> dict[str, Any]:
        """For the setter."""
        return asdict(self)

    def with_codes(self, lost: frozenset[str], *, warning: str) -> "PrintedRecord":
        """The same where no font has the characters `lost`: beside each text that holds one stand their codes."""
        entries = tuple(_entry_with_codes(entry, lost) for entry in self.entries)
        named = dict.fromkeys(
            f"{one.term}: {codes}" for entry in self.entries for one in entry.rows if (codes := _codes(one.value, lost))
        )
        return replace(self, entries=entries, warning=(warning, *named))


def _entry_with_codes(entry: PrintedEntry, lost: frozenset[str]) -> PrintedEntry:
    rows = tuple(replace(row, note=_joined(row.note, _codes(f"{row.term}{row.value}", lost))) for row in entry.rows)
    return replace(entry, note=_joined(entry.note, _codes(entry.title, lost)), rows=rows)


def _joined(note: str, codes: str) -> str:
    return ". ".join(part for part in (note.removesuffix("."), codes) if part) if codes else note


def _codes(text: str, lost: frozenset[str]) -> str:
    return " ".join(f"U+{ord(one):04X}" for one in text if one in lost)
