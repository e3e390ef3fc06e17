"""What narrows the audit's timeline. All of it stands in the address, and no person's name does."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from django.db.models import QuerySet
from django.http import QueryDict
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.http import urlencode

from formation_portal.accounts.models import User
from formation_portal.audit.models import Actor, Deed, Entry, moment_of
from formation_portal.whole_numbers import whole_number


@dataclass(frozen=True, slots=True)
class Choice:
    """One option of a list."""

    value: str
    label: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Control:
    """One control above the timeline, as components/filter.html draws it: a list, or an input of some type."""

    name: str
    label: str
    value: str = ""
    type: str = "search"
    choices: tuple[Choice, ...] = ()


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
            deed=deed if deed in Deed.values else "",
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

    def controls(self, agents: Iterable[User]) -> tuple[Control, ...]:
        """The controls, as they are set."""
        deeds = (("", "Any deed"), *Deed.choices)
        people = [("", "Anybody"), *Actor.choices, *((str(one.pk), one.get_full_name() or one.email) for one in agents)]
        if self.who not in dict(people):
            people.append((self.who, f"Account {self.who}"))
        return (
            Control("reference", "Reference", self.reference),
            Control("deed", "Deed", choices=_choices(deeds, self.deed)),
            Control("who", "Who", choices=_choices(people, self.who)),
            Control("first", "From", str(self.first or ""), "date"),
            Control("last", "To", str(self.last or ""), "date"),
        )


_A_DAY = timedelta(days=1) // timedelta(microseconds=1)


def number_in(text: str) -> int:
    """A positive number in an address; 0 for anything else."""
    return whole_number(text) or 0


def _choices(pairs: Iterable[tuple[str, str]], chosen: str) -> tuple[Choice, ...]:
    return tuple(Choice(value, label, value == chosen) for value, label in pairs)


def _day(text: str) -> date | None:
    try:
        return parse_date(text)
    except ValueError:
        return None


def _beginning(day: date) -> int:
    return moment_of(timezone.make_aware(datetime.combine(day, time.min)))
