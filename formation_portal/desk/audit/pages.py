"""The audit log: what narrows its timeline, a page of it, one entry, and its rows as CSV: as they are hashed, and so
without a name. All that narrows it stands in the address, and no person's name does.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import groupby
from typing import Any

from django.db.models import QuerySet
from django.http import QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.http import urlencode

from formation_portal.accounts.models import User
from formation_portal.audit.models import COLUMNS, Actor, AuditAction, Entry, moment_of
from formation_portal.core.integers import parse_integer
from formation_portal.ui.forms.controls import FilterControl, as_options
from formation_portal.ui.pagination import PageLink, keyset_links, keyset_page

from .descriptions import EntryDescription, describe

_A_PAGE = 50
_A_DAY = timedelta(days=1) // timedelta(microseconds=1)
# So many rows of the CSV are in memory at a time.
_AT_ONCE = 2_000


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """What was asked for. `who` is a kind of actor or the number of an account; what can't be read is empty."""

    reference: str = ""
    deed: str = ""
    who: str = ""
    first: date | None = None
    last: date | None = None

    @classmethod
    def read(cls, query: QueryDict) -> "AuditFilter":
        """From an address."""
        deed, who = query.get("deed", ""), query.get("who", "")
        return cls(
            reference=query.get("reference", "").replace("\x00", "").strip().upper()[:32],
            deed=deed if deed in AuditAction.values else "",
            who=who if who in Actor.values or number_in(who) else "",
            first=_day(query.get("first", "")),
            last=_day(query.get("last", "")),
        )

    @property
    def query(self) -> str:
        """As an address has it; empty where nothing is asked for."""
        said = {"reference": self.reference, "deed": self.deed, "who": self.who, "first": self.first, "last": self.last}
        return urlencode({name: str(value) for name, value in said.items() if value})

    def entries(self) -> QuerySet[Entry]:
        """The newest first."""
        found = Entry.objects.order_by("-number")
        if self.reference:
            found = found.filter(reference=self.reference)
        if self.deed:
            found = found.filter(deed=self.deed)
        if self.who:
            account = number_in(self.who)
            found = found.filter(account=account) if account else found.filter(actor=self.who)
        if self.first:
            found = found.filter(moment__gte=_beginning(self.first))
        if self.last:
            found = found.filter(moment__lt=_beginning(self.last) + _A_DAY)
        return found

    def controls(self) -> tuple[FilterControl, ...]:
        """The controls, as they are set. One query."""
        agents = User.objects.filter(is_agent=True).order_by("first_name", "last_name", "email")
        deeds = (("", "Any"), *AuditAction.choices)
        people = [("", "Anyone"), *Actor.choices, *((str(one.pk), one.called) for one in agents)]
        if self.who not in dict(people):
            people.append((self.who, f"Account {self.who}"))
        return (
            FilterControl("reference", "Reference", self.reference),
            FilterControl("deed", "Action", choices=as_options(deeds, self.deed)),
            FilterControl("who", "Who", choices=as_options(people, self.who)),
            FilterControl("first", "From", str(self.first or ""), "date"),
            FilterControl("last", "To", str(self.last or ""), "date"),
        )


def number_in(text: str) -> int:
    """A positive number in an address; 0 for anything else."""
    return parse_integer(text) or 0


def _day(text: str) -> date | None:
    try:
        return parse_date(text)
    except ValueError:
        return None


def _beginning(day: date) -> int:
    return moment_of(timezone.make_aware(datetime.combine(day, time.min)))


def timeline(
    asked: AuditFilter, *, before: int
) -> tuple[list[tuple[date, list[EntryDescription]]], tuple[PageLink, ...]]:
    """The entries with numbers below `before`, by day, and the links to other pages; 0 begins at the newest. Four
    queries."""
    found = asked.entries().filter(number__lt=before) if before else asked.entries()
    page = keyset_page(list(found[: _A_PAGE + 1]), lambda entry: entry.number, length=_A_PAGE, is_first=not before)
    days = groupby(describe(page.rows), key=lambda one: timezone.localtime(one.entry.at).date())
    address, more = reverse("desk:audit"), f"&{asked.query}" if asked.query else ""
    newest = f"{address}?{asked.query}" if asked.query else address
    links = keyset_links(
        PageLink("Newest", newest if before else ""),
        PageLink("Older", f"{address}?before={page.after}{more}" if page.after else "", "next"),
    )
    return [(day, list(group)) for day, group in days], links


def csv_rows(entries: QuerySet[Entry]) -> Iterator[Sequence[Any]]:
    """One by one. `at` is the moment as people write it, in UTC."""
    yield ("at", *COLUMNS)
    for entry in entries.iterator(chunk_size=_AT_ONCE):
        yield (entry.at.isoformat(), *(getattr(entry, name) for name in COLUMNS))
