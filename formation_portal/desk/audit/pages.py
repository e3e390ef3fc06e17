"""The audit log: what narrows its timeline, a page of it, its entries in words, and its rows as CSV: as they are
hashed, and so without a name. All that narrows it stands in the address, and no person's name does.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from formation_portal.applications.models import Application, Change
from formation_portal.audit.models import COLUMNS, AccessKind, Actor, AuditAction, Entry, moment_of
from formation_portal.contract import canonical
from formation_portal.core.integers import parse_integer
from formation_portal.relay.models import Decision
from formation_portal.ui.forms.controls import FilterControl, as_options
from formation_portal.ui.pagination import PageLink, keyset_links, keyset_page

_A_PAGE = 50
_A_DAY = timedelta(days=1) // timedelta(microseconds=1)
# So many rows of the CSV are in memory at a time.
_AT_ONCE = 2_000
_LOOKS: dict[str, str] = {
    AccessKind.FILE: "Downloaded document {subject}",
    AccessKind.PAGE: "Viewed page {page} of document {subject}",
    AccessKind.SMALL: "Viewed the thumbnail of document {subject}",
    AccessKind.SCREENING: "Downloaded the file of screening check {subject}",
}
_REVIEWS: dict[str, str] = {
    "accept": "Accepted a fact",
    "reopen": "Undid an acceptance",
    "ask": "Drafted a query",
    "drop": "Deleted a draft query",
    "send": "Sent a query",
    "settle": "Resolved a query",
    "note": "Wrote a note",
    "remove_note": "Removed a note",
    "prove": "Noted what a document says",
    "unprove": "Removed what a document says",
    "screen": "Recorded a screening check",
    "remove_screening": "Removed a screening check",
    "propose": "Proposed a decision",
    "decide": "Decided",
    "confirm": "Confirmed a decision",
    "refuse": "Did not confirm a decision",
    "take_back": "Withdrew a proposed decision",
    "overtake": "Replaced a proposed decision",
    "undo": "Undid a decision",
    "stop": "Stopped a decision before it took effect",
    "take_effect": "Decision took effect",
    "reply": "Answered a query",
}
_CLAIMS: dict[str, str] = {
    "claim": "Claimed the case",
    "give_back": "Assigned the case again to the agent who proposed the decision",
    "release": "Released the case",
    "take_over": "Took over the case",
}
_SECOND_FACTORS: dict[str, str] = {
    "totp_added": "Set up an authenticator app",
    "totp_removed": "Removed the authenticator app",
    "webauthn_added": "Added a passkey",
    "webauthn_removed": "Removed a passkey",
    "recovery_codes_added": "Made recovery codes",
    "recovery_codes_generated": "Made new recovery codes",
    "recovery_codes_removed": "Removed the recovery codes",
    "recovery_codes_shown": "Viewed the recovery codes",
    "recovery_code_used": "Used a recovery code",
}
_KEYS: dict[str, str] = {
    "make": "Made API key {key}",
    "revoke": "Revoked API key {key}",
    "replace": "Replaced the portal’s own API key by {key}",
}
_DECISIONS: dict[str, str] = dict(Decision.Kind.choices)


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
        actions = (("", "Any"), *AuditAction.choices)
        people = [("", "Anyone"), *Actor.choices, *((str(one.pk), one.called) for one in agents)]
        if self.who not in dict(people):
            people.append((self.who, f"Account {self.who}"))
        return (
            FilterControl("reference", "Reference", self.reference),
            FilterControl("deed", "Action", choices=as_options(actions, self.deed)),
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


@dataclass(frozen=True, slots=True)
class EntryDescription:
    """One entry in words. `has_name` where `who` is a person's name; `may_tell` where agents may read more of it than
    that it happened: what was submitted is theirs to look at."""

    entry: Entry
    who: str
    what: str
    has_name: bool
    may_tell: bool


def describe(entries: Iterable[Entry]) -> list[EntryDescription]:
    """Each of the entries: three queries, however many there are. Agents are called by their names, customers by theirs
    where their case is on the desk."""
    found = list(entries)
    people = User.objects.in_bulk({one.account for one in found} | set(map(_account_named, found)))
    about = {one.application for one in found}
    submitted = set(Application.objects.submitted().filter(pk__in=about).values_list("pk", flat=True))
    numbers = {number for one in found if one.application in submitted for number in _changes(one)}
    rows = Change.objects.filter(pk__in=numbers).only("application", "row", "what")
    changes = {row.pk: row.what for row in rows}
    described = []
    for one in found:
        may_tell = one.application in submitted
        has_name = one.account in people and (one.actor == Actor.AGENT or may_tell)
        who = dict(Actor.choices).get(one.actor, one.actor)
        if has_name:
            who = people[one.account].called
        elif one.account:
            who = f"{who} {one.account}"
        what = _what(one, people.get(_account_named(one)), changes)
        described.append(EntryDescription(one, who, what, has_name, may_tell))
    return described


def _what(entry: Entry, agent: User | None, changes: Mapping[int, str]) -> str:
    """What was done; `agent` is whose rights were changed, or who was given the case; `changes` what the history
    says."""
    said = detail_of(entry)
    match entry.deed:
        case AuditAction.LOOK:
            words = _LOOKS.get(str(said.get("way")), "Viewed document {subject}")
            return words.format(subject=entry.subject, page=said.get("page"))
        case AuditAction.RECORD:
            return f"Downloaded the record as {str(said.get('kind', 'file')).upper()}"
        case AuditAction.REVIEW:
            return _reviewed(said.get("did"))
        case AuditAction.CLAIM if said.get("did") == "assign":
            return f"Assigned the case to {agent.called if agent else 'a colleague'}"
        case AuditAction.CLAIM:
            return _CLAIMS.get(str(said.get("did")), "Claimed the case")
        case AuditAction.REVEAL:
            return f"Viewed numbers of {entry.subject}: {_fields(said) or 'unknown'}"
        case AuditAction.RIGHTS if "key" in said:
            scopes = said.get("scopes")
            able = f": {', '.join(map(str, scopes))}" if isinstance(scopes, list) else ""
            return _KEYS.get(str(said.get("did")), "Changed API key {key}").format(key=said["key"]) + able
        case AuditAction.RIGHTS:
            name = agent.called if agent else f"account {entry.subject}"
            rights = (
                (f"Gave {name} these rights:", said.get("given")),
                (f"Removed these rights from {name}:", said.get("taken")),
            )
            lines = [f"{words} {', '.join(map(str, some))}" for words, some in rights if some]
            return "; ".join(lines) or f"Changed the rights of {name}"
        case AuditAction.EXPORT:
            whose = entry.subject if entry.application else f"account {entry.subject}"
            return f"Downloaded the data of {whose}"
        case AuditAction.ERASURE:
            return _erased(entry, said)
        case AuditAction.SECOND_FACTOR:
            return _SECOND_FACTORS.get(str(said.get("did")), "Changed two-step sign-in")
        case AuditAction.REFUSAL:
            return "Rejected a file, because it contains malware"
        case AuditAction.ACCEPTANCE:
            return f"Accepted {said.get('count')} entries without a keyed digest, up to entry {said.get('last')}"
        case AuditAction.DECISION:
            return f"Decided on {entry.subject}: {_DECISIONS.get(str(said.get('said')), 'as it was')}"
    lines = [changes[number] for number in _changes(entry) if number in changes]
    return "; ".join(lines) or "Changed the application"


_ERASURES = {
    "account": "Deleted account {subject}",
    "copies": "Deleted copies of files that the formation service has",
    "hold": "Put the application on hold",
    "release": "Ended the hold on the application",
}


def _erased(entry: Entry, said: Mapping[str, Any]) -> str:
    """What was erased: a person or company, or the whole application, or what the reason says."""
    if "erased" in said:
        return f"Erased the details of {entry.subject}"
    is_whole = bool(said.get("deleted"))
    words = "Erased the application" if is_whole else _ERASURES.get(str(said.get("reason")), "Erased personal data")
    return words.format(subject=entry.subject)


def _account_named(entry: Entry) -> int:
    """The account whose rights an entry tells of, or that a case was assigned to; 0 where it tells of something
    else."""
    if entry.deed == AuditAction.CLAIM:
        return number_in(str(detail_of(entry).get("to", "")))
    return number_in(entry.subject) if entry.deed == AuditAction.RIGHTS else 0


def detail_of(entry: Entry) -> dict[str, Any]:
    """What the entry says beside its columns; nothing where somebody has made it unreadable."""
    try:
        said = json.loads(entry.detail or "{}")
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _reviewed(did: Any) -> str:
    """What was done in a review: each kind of change, and how often where more than once."""
    rows = did.items() if isinstance(did, dict) else ()
    counts = [(what, len(pks) if isinstance(pks, list) else 1) for what, pks in rows]
    lines = [_REVIEWS.get(what, "Reviewed") + (f" ({count})" if count > 1 else "") for what, count in counts]
    return "; ".join(lines) or "Reviewed the application"


def _fields(said: Mapping[str, Any]) -> str:
    """The questions by the ends of their names: `person.passport_number` is the passport number."""
    names = said.get("fields")
    known = names if isinstance(names, list) else ()
    return ", ".join(canonical.property_of(str(name)).replace("_", " ") for name in known)


def _changes(entry: Entry) -> list[int]:
    numbers = detail_of(entry).get("changes")
    return [one for one in numbers if isinstance(one, int)] if isinstance(numbers, list) else []


def timeline(
    asked: AuditFilter, *, before: int
) -> tuple[list[tuple[date, list[EntryDescription]]], tuple[PageLink, ...]]:
    """The entries with numbers below `before`, by day, and the links to other pages; 0 begins at the newest. Four
    queries."""
    found = asked.entries().filter(number__lt=before) if before else asked.entries()
    page = keyset_page(list(found[: _A_PAGE + 1]), lambda entry: entry.number, length=_A_PAGE, is_first=not before)
    days = groupby(describe(page.rows), key=lambda one: timezone.localdate(one.entry.at))
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
