"""Filter, describe and export the audit log. The URL has the filter, the CSV the rows as they are hashed; neither
contains a person's name."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime, time, timedelta
from itertools import groupby
from typing import Any

from django.db.models import QuerySet
from django.http import QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_date

from formation_portal.accounts.models import User
from formation_portal.applications.models import Application, Change
from formation_portal.audit.models import COLUMNS, AccessKind, Actor, AuditAction, Entry, moment_of
from formation_portal.contract import canonical
from formation_portal.core.integers import parse_integer
from formation_portal.relay.models import Decision
from formation_portal.ui.forms.controls import FilterControl, as_options
from formation_portal.ui.pagination import PageLink

from ..url_queries import query_string, read_choice

_A_PAGE = 50
_A_DAY = timedelta(days=1) // timedelta(microseconds=1)
# The number of CSV rows in memory at a time.
_CHUNK_SIZE = 2_000
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
# The sentence of each action, by the detail that names it (`_ACTION_NAMES`); "" stands for any other.
_TEXTS: dict[str, dict[str, str]] = {
    AuditAction.LOOK: {
        "": "Viewed document {subject}",
        AccessKind.FILE: "Downloaded document {subject}",
        AccessKind.PAGE: "Viewed page {page} of document {subject}",
        AccessKind.SMALL: "Viewed the thumbnail of document {subject}",
        AccessKind.SCREENING: "Downloaded the file of screening check {subject}",
    },
    AuditAction.RECORD: {"": "Downloaded the record as {kind}"},
    AuditAction.CLAIM: {
        "": "Claimed the case",
        "assign": "Assigned the case to {agent}",
        "give_back": "Assigned the case again to the agent who proposed the decision",
        "release": "Released the case",
        "take_over": "Took over the case",
    },
    AuditAction.REVEAL: {"": "Viewed numbers of {subject}: {fields}"},
    AuditAction.RIGHTS: {
        "": "Changed API key {key}",
        "make": "Made API key {key}: {scopes}",
        "revoke": "Revoked API key {key}",
        "replace": "Replaced the portal’s own API key by {key}",
    },
    AuditAction.EXPORT: {"": "Downloaded the data of {subject}"},
    AuditAction.ERASURE: {
        "": "Erased personal data",
        "account": "Deleted account {subject}",
        "copies": "Deleted copies of files that the formation service has",
        "hold": "Put the application on hold",
        "release": "Ended the hold on the application",
    },
    AuditAction.SECOND_FACTOR: {
        "": "Changed two-step sign-in",
        "totp_added": "Set up an authenticator app",
        "totp_removed": "Removed the authenticator app",
        "webauthn_added": "Added a passkey",
        "webauthn_removed": "Removed a passkey",
        "recovery_codes_added": "Made recovery codes",
        "recovery_codes_generated": "Made new recovery codes",
        "recovery_codes_removed": "Removed the recovery codes",
        "recovery_codes_shown": "Viewed the recovery codes",
        "recovery_code_used": "Used a recovery code",
    },
    AuditAction.REFUSAL: {"": "Rejected a file, because it contains malware"},
    AuditAction.ACCEPTANCE: {"": "Accepted {count} entries without a keyed digest, up to entry {last}"},
    AuditAction.DECISION: {
        "": "Decided on {subject}: as it was",
        **{kind: f"Decided on {{subject}}: {label}" for kind, label in Decision.Kind.choices},
    },
}
_ACTION_NAMES: dict[str, str] = {AuditAction.LOOK: "way", AuditAction.ERASURE: "reason", AuditAction.DECISION: "said"}


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """The filter of the log, with the names of the URL. `kind` is an action, `who` a kind of actor or an account
    number. Unreadable values become empty."""

    reference: str = ""
    kind: str = ""
    who: str = ""
    first: date | None = None
    last: date | None = None

    @classmethod
    def read(cls, query: QueryDict) -> "AuditFilter":
        who = query.get("who", "")
        return cls(
            reference=query.get("reference", "").replace("\x00", "").strip().upper()[:32],
            kind=read_choice(query.get("kind", ""), ("", *AuditAction.values)),
            who=who if who in Actor.values or number_in(who) else "",
            first=_day(query.get("first", "")),
            last=_day(query.get("last", "")),
        )

    @property
    def query(self) -> str:
        return query_string(asdict(self))

    def entries(self) -> QuerySet[Entry]:
        account = number_in(self.who)
        conditions: dict[str, Any] = {"reference": self.reference, "action": self.kind, "account": account}
        if not account:
            conditions["actor"] = self.who
        if self.first:
            conditions["moment__gte"] = _beginning(self.first)
        if self.last:
            conditions["moment__lt"] = _beginning(self.last) + _A_DAY
        conditions = {name: value for name, value in conditions.items() if value}
        return Entry.objects.filter(**conditions).order_by("-number")

    def controls(self) -> tuple[FilterControl, ...]:
        agents = User.objects.filter(is_agent=True).order_by("first_name", "last_name", "email")
        actions = (("", "Any"), *AuditAction.choices)
        people = [("", "Anyone"), *Actor.choices, *((str(agent.pk), agent.called) for agent in agents)]
        if self.who not in dict(people):
            people.append((self.who, f"Account {self.who}"))
        return (
            FilterControl("reference", "Reference", self.reference),
            FilterControl("kind", "Action", choices=as_options(actions, self.kind)),
            FilterControl("who", "Who", choices=as_options(people, self.who)),
            FilterControl("first", "From", str(self.first or ""), "date"),
            FilterControl("last", "To", str(self.last or ""), "date"),
        )


def number_in(text: str) -> int:
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
    """An entry in words. `has_name`: `who` is a person's name; `may_tell`: the application is submitted."""

    entry: Entry
    who: str
    what: str
    has_name: bool
    may_tell: bool


def describe(entries: Iterable[Entry]) -> list[EntryDescription]:
    """Describe the entries, with the names of agents, and of customers of submitted cases. Three SQL queries."""
    entries = list(entries)
    accounts: set[int] = set()
    applications = set()
    for entry in entries:
        accounts.update((entry.account, _account_named(entry)))
        applications.add(entry.application)
    people = User.objects.in_bulk(accounts)
    submitted = set(Application.objects.submitted().filter(pk__in=applications).values_list("pk", flat=True))
    numbers = set()
    for entry in entries:
        if entry.application in submitted:
            numbers.update(_changes(entry))
    changes = Change.objects.only("application", "row", "what").in_bulk(numbers)
    described = []
    for entry in entries:
        may_tell = entry.application in submitted
        has_name = entry.account in people and (entry.actor == Actor.AGENT or may_tell)
        who = entry.get_actor_display()
        if has_name:
            who = people[entry.account].called
        elif entry.account:
            who = f"{who} {entry.account}"
        what = _what(entry, people.get(_account_named(entry)), changes)
        described.append(EntryDescription(entry, who, what, has_name, may_tell))
    return described


def _what(entry: Entry, agent: User | None, changes: Mapping[int, Change]) -> str:
    """Say what was done, even if the detail was tampered with. `agent` is the account whose rights changed or who was
    assigned the case; `changes` are entries of the history by number."""
    detail = detail_of(entry)
    if entry.action == AuditAction.REVIEW:
        return _review_words(detail.get("did"))
    if entry.action == AuditAction.RIGHTS and "key" not in detail:
        return _rights_words(agent.called if agent else f"account {entry.subject}", detail)
    if entry.action == AuditAction.ERASURE and "erased" in detail:
        return f"Erased the details of {entry.subject}"
    if entry.action == AuditAction.ERASURE and detail.get("deleted"):
        return "Erased the application"
    if entry.action not in _TEXTS:
        sentences = [changes[number].what for number in _changes(entry) if number in changes]
        return "; ".join(sentences) or "Changed the application"
    values = defaultdict[str, str](str, {name: _joined(value) for name, value in detail.items()})
    values["subject"] = entry.subject
    values["agent"] = agent.called if agent else "a colleague"
    values["kind"] = values["kind"].upper()
    if entry.action == AuditAction.EXPORT and not entry.application:
        values["subject"] = f"account {entry.subject}"
    if entry.action == AuditAction.REVEAL:
        # A question is named by the last part: `person.passport_number` becomes "passport number".
        names = [canonical.property_of(name).replace("_", " ") for name in values["fields"].split(", ")]
        values["fields"] = ", ".join(names) or "unknown"
    texts = _TEXTS[entry.action]
    action = values[_ACTION_NAMES.get(entry.action, "did")]
    return texts.get(action, texts[""]).format_map(values)


def _rights_words(name: str, detail: Mapping[str, Any]) -> str:
    sentences = []
    if detail.get("given"):
        sentences.append(f"Gave {name} these rights: {_joined(detail['given'])}")
    if detail.get("taken"):
        sentences.append(f"Removed these rights from {name}: {_joined(detail['taken'])}")
    return "; ".join(sentences) or f"Changed the rights of {name}"


def _joined(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _account_named(entry: Entry) -> int:
    """Return the account whose rights the entry changes or that gets a case; 0 for any other entry."""
    if entry.action == AuditAction.CLAIM:
        return number_in(str(detail_of(entry).get("to", "")))
    if entry.action == AuditAction.RIGHTS:
        return number_in(entry.subject)
    return 0


def detail_of(entry: Entry) -> dict[str, Any]:
    """Return the entry's detail; {} if tampering made it unreadable."""
    try:
        detail = json.loads(entry.detail or "{}")
    except ValueError:
        return {}
    return detail if isinstance(detail, dict) else {}


def _review_words(keys_by_action: Any) -> str:
    if not isinstance(keys_by_action, dict):
        return "Reviewed the application"
    sentences = []
    for action, keys in keys_by_action.items():
        text = _REVIEWS.get(action, "Reviewed")
        if isinstance(keys, list) and len(keys) > 1:
            text += f" ({len(keys)})"
        sentences.append(text)
    return "; ".join(sentences) or "Reviewed the application"


def _changes(entry: Entry) -> list[int]:
    numbers = detail_of(entry).get("changes")
    if not isinstance(numbers, list):
        return []
    return [number for number in numbers if isinstance(number, int)]


def timeline(
    entry_filter: AuditFilter, *, before: int
) -> tuple[list[tuple[date, list[EntryDescription]]], list[PageLink]]:
    """Return the entries numbered below `before` (0: the newest), by day, and links to other pages."""
    entries = entry_filter.entries()
    if before:
        entries = entries.filter(number__lt=before)
    rows = list(entries[: _A_PAGE + 1])
    days = groupby(describe(rows[:_A_PAGE]), key=lambda row: timezone.localdate(row.entry.at))
    address = reverse("desk:audit")
    links = []
    if before:
        links.append(PageLink("Newest", address + entry_filter.query))
    if len(rows) > _A_PAGE:
        query = query_string({"before": rows[_A_PAGE - 1].number, **asdict(entry_filter)})
        links.append(PageLink("Older", address + query, "next"))
    return [(day, list(group)) for day, group in days], links


def csv_rows(entries: QuerySet[Entry]) -> Iterator[Sequence[Any]]:
    """Yield the rows of the CSV. `at` is an ISO 8601 time in UTC."""
    yield ("at", *COLUMNS)
    for entry in entries.iterator(chunk_size=_CHUNK_SIZE):
        yield (entry.at.isoformat(), *(getattr(entry, name) for name in COLUMNS))
