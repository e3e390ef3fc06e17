"""The audit log as a timeline, one entry of it, and its rows as CSV: as they are hashed, and so without a name."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from formation_portal.accounts.models import User
from formation_portal.audit.models import COLUMNS, Entry, entry_hash
from formation_portal.ui.forms.controls import FilterControl
from formation_portal.ui.pagination import PageLink, keyset_links, keyset_page

from .descriptions import EntryDescriptions
from .filters import AuditFilter

_A_PAGE = 50


@dataclass(frozen=True, slots=True)
class EntryRow:
    """One line. `who_url` and `about_url` narrow the timeline to that account, to that application."""

    number: int
    url: str
    at: datetime
    who: str
    is_name: bool
    who_url: str
    what: str
    reference: str
    about_url: str


@dataclass(frozen=True, slots=True)
class Day:
    """What happened on one day."""

    date: date
    rows: tuple[EntryRow, ...]


@dataclass(frozen=True, slots=True)
class AuditPage:
    """One page of the timeline, and the links to others."""

    days: tuple[Day, ...]
    controls: tuple[FilterControl, ...]
    is_narrowed: bool
    links: tuple[PageLink, ...]
    table_url: str


@dataclass(frozen=True, slots=True)
class EntryPage:
    """One entry, whole. `is_sound` says whether its hash is that of its content."""

    entry: Entry
    row: EntryRow
    case_url: str
    before_url: str
    place_url: str
    is_sound: bool


def audit_page(asked: AuditFilter, *, before: int) -> AuditPage:
    """The entries with numbers below `before`; 0 begins at the newest. Five queries."""
    found = asked.entries().filter(number__lt=before) if before else asked.entries()
    page = keyset_page(list(found[: _A_PAGE + 1]), lambda entry: entry.number, length=_A_PAGE, is_first=not before)
    rows, address = _rows(page.rows, EntryDescriptions(page.rows)), reverse("desk:audit")
    more = f"&{asked.query}" if asked.query else ""
    agents = User.objects.filter(is_agent=True).order_by("first_name", "last_name", "email")
    return AuditPage(
        days=tuple(Day(day, tuple(group)) for day, group in groupby(rows, key=lambda row: row.at.date())),
        controls=asked.controls(agents),
        is_narrowed=bool(asked.query),
        links=keyset_links(
            PageLink("Newest", _with(address, asked.query) if before else ""),
            PageLink("Older", f"{address}?before={page.after}{more}" if page.after else "", "next"),
        ),
        table_url=_with(reverse("desk:audit_table"), asked.query),
    )


def entry_page(entry: Entry) -> EntryPage:
    """One entry with everything that it says, and the ways to its case and to its place in the timeline."""
    words, number = EntryDescriptions([entry]), entry.number
    [row] = _rows([entry], words)
    content = [getattr(entry, name) for name in COLUMNS]
    return EntryPage(
        entry=entry,
        row=row,
        case_url=reverse("desk:case", args=[entry.reference]) if words.may_tell(entry) else "",
        before_url=reverse("desk:audit_entry", args=[number - 1]) if number > 1 else "",
        place_url=f"{reverse('desk:audit')}?before={number + 1}",
        is_sound=entry_hash(content[:-1]) == content[-1],
    )


def _rows(entries: Iterable[Entry], words: EntryDescriptions) -> list[EntryRow]:
    address = reverse("desk:audit")
    return [
        EntryRow(
            number=one.number,
            url=reverse("desk:audit_entry", args=[one.number]),
            at=timezone.localtime(one.at),
            who=words.who(one),
            is_name=words.has_name(one),
            who_url=f"{address}?who={one.account or one.actor}",
            what=words.what(one),
            reference=one.reference,
            about_url=f"{address}?reference={one.reference}",
        )
        for one in entries
    ]


def _with(address: str, query: str) -> str:
    return f"{address}?{query}" if query else address


_AT_ONCE = 2_000


def csv_rows(entries: QuerySet[Entry]) -> Iterator[Sequence[Any]]:
    """One by one, some thousands in memory at a time. `at` is the moment as people write it, in UTC."""
    yield ("at", *COLUMNS)
    for entry in entries.iterator(chunk_size=_AT_ONCE):
        yield (entry.at.isoformat(), *(getattr(entry, name) for name in COLUMNS))
