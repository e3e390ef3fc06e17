"""Summarise the history of a case, and list what changed since the last return or check."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from itertools import groupby
from typing import Any

from django.db.models import Q
from django.utils.timezone import localdate

from formation_portal.accounts.models import User
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application, Change
from formation_portal.applications.ownership_stakes import OWNER_PREFIX
from formation_portal.applications.parties import PartyRow
from formation_portal.applications.readback import answer_in_words
from formation_portal.applications.services import ROLES
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.lifecycle import State
from formation_portal.reviews.checklist import HolderChecklist
from formation_portal.reviews.decision_rules import HISTORY_MESSAGES
from formation_portal.reviews.models import Query
from formation_portal.reviews.targets import Target, TargetKind
from formation_portal.ui.documents import file_facts
from formation_portal.ui.roles import role_words

from ..models import Case
from ..wording import if_any, numbered, together

# How many of the newest changes are read, beside all moves.
_NEWEST = 60
# Prefix of the history entry of a new party or share class.
_ADDED = "Added "
NOT_ANSWERED = "Not answered"


def history_of(application: Application) -> tuple[Change, ...]:
    """Return changes since the last return, all changes of state, all decisions, and the newest others; newest first.
    One SQL query."""
    changes = application.changes.order_by("-pk")
    returns = changes.filter(moved_to=State.RETURNED_FOR_CHANGES)
    is_new = Q(pk__gt=returns.values("pk")[:1]) | Q(pk__in=changes.values("pk")[:_NEWEST])
    has_own_line = ~Q(moved_to="") | Q(message__in=HISTORY_MESSAGES)
    return tuple(application.changes.filter(is_new | has_own_line).select_related("who"))


def history_lines(
    application: Application, history: Iterable[Change], queries: Iterable[Query]
) -> list[tuple[datetime, str, str]]:
    """Return lines of time, author ("" for the portal) and text, newest first: one for each change of state, decision
    and claim, one for all of a person's other changes in a row on one day. No SQL query if `case` is loaded."""
    sent_in_round = Counter(query.round for query in queries)
    submissions = 0
    lines = []
    oldest_first = sorted(history, key=lambda change: change.pk)
    for _, group in groupby(oldest_first, key=_line_of):
        changes = list(group)
        last = changes[-1]
        text = last.what
        if not last.moved_to and len(changes) > 1:
            text = "Changed answers or documents"
        if last.moved_to == State.SUBMITTED_FOR_REVIEW:
            submissions += 1
        if last.moved_to == State.RETURNED_FOR_CHANGES and sent_in_round[submissions]:
            text += f", with {numbered(sent_in_round[submissions], 'query', 'queries')}"
        lines.append((last.at, last.who.called if last.who else "", text))
    case: Case = application.case
    if case.is_claimed and case.claimed_by is not None and case.claimed_at is not None:
        if case.assigned_by:
            text = f"Assigned the case to {case.claimed_by.called}"
            lines.append((case.claimed_at, case.assigned_by.called, text))
        else:
            text = ": ".join(filter(None, ("Claimed the case", case.takeover_reason)))
            lines.append((case.claimed_at, case.claimed_by.called, text))
    return sorted(lines, key=lambda line: line[0], reverse=True)


def _line_of(change: Change) -> tuple[int | None, User | None, date]:
    """Return the key of the line that a change belongs to: a change of state or a decision has its own line."""
    pk = None
    if change.moved_to or change.message in HISTORY_MESSAGES:
        pk = change.pk
    return pk, change.who, localdate(change.at)


@dataclass(frozen=True, slots=True)
class Difference:
    """A changed answer, document or number of shares. `holder` is the token of a party or class, for shares the key of
    their section, "" for the application. `before` or `after` is "" for no value."""

    holder: str
    name: str
    label: str
    before: str
    after: str
    is_document: bool = False


@dataclass(frozen=True)
class Differences:
    """The changes since the last return to the customer, whose history entry is `move` (None before any return).

    `added` has the tokens of new parties and classes, `removed` the names of removed ones.
    """

    move: Change | None = None
    changes: tuple[Difference, ...] = ()
    added: frozenset[str] = frozenset()
    removed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changes or self.added or self.removed)

    @cached_property
    def _by_place(self) -> Mapping[tuple[str, str], Difference]:
        return {(change.holder, change.name): change for change in self.changes}

    def at(self, holder: str, name: str) -> Difference | None:
        return self._by_place.get((holder, name))

    def of(self, holder: str) -> tuple[Difference, ...]:
        return tuple(change for change in self.changes if change.holder == holder)


def changed_words(changes: Sequence[Difference]) -> str:
    """Return "2 answers and 1 document changed"; "" for none."""
    if not changes:
        return ""
    documents = sum(change.is_document for change in changes)
    return f"{together(if_any(len(changes) - documents, 'answer'), if_any(documents, 'document'))} changed"


def differences(draft: Draft, history: Sequence[Change]) -> Differences:
    """Compare the draft with its state at the last return. `history` is newest first. No SQL query."""
    move = next((change for change in history if change.moved_to == State.RETURNED_FOR_CHANGES), None)
    if move is None:
        return Differences()
    present = {row.token for row in (*draft.parties, *draft.share_classes)}
    first_changes: dict[str, Change] = {}
    added: set[str] = set()
    removed: dict[str, None] = {}
    since = []
    for change in reversed(history):
        if change.pk <= move.pk:
            continue
        holder = _holder(draft, change)
        # A new holder's first change is its addition.
        if first_changes.setdefault(holder, change).what.startswith(_ADDED):
            added.add(holder)
        # The holder of holdings is a section.
        if not holder or draft.schema.section(holder) is not None:
            since.append((holder, change))
        elif holder in added:
            continue
        elif holder in present:
            since.append((holder, change))
        elif change.named.get("name"):
            removed[str(change.named["name"])] = None
    changes = tuple(_compare(draft, since))
    return Differences(move, changes, added=frozenset(added & present), removed=tuple(removed))


def _holder(draft: Draft, change: Change) -> str:
    """Return the holder of a change; "" for an answer of the entity, which two sections may share."""
    section = draft.schema.section(change.holder)
    if section is not None and section.is_entity:
        return ""
    return change.holder


def _compare(draft: Draft, since: Iterable[tuple[str, Change]]) -> Iterator[Difference]:
    """Yield the difference of each changed value, in the order of first changes; skip values changed back."""
    before: dict[tuple[str, str], Any] = {}
    after: dict[tuple[str, str], Any] = {}
    labels: dict[tuple[str, str], str] = {}
    for holder, change in since:
        for entry in change.changes:
            place = (holder, str(entry["field"]))
            before.setdefault(place, entry["before"])
            after[place] = entry["after"]
            labels[place] = str(entry["label"])
    for place, old in before.items():
        new = after[place]
        holder, name = place
        spec = _spec(draft, holder, name)
        old_text = _words(draft, spec, name, old)
        new_text = _words(draft, spec, name, new)
        is_document = _is_file(old) or _is_file(new)
        if old != new and (old_text != new_text or is_document):
            label = spec.label if spec else labels[place]
            if spec is None and name.startswith(OWNER_PREFIX):
                label = f"Part of {label}"
            yield Difference(holder, name, label, old_text, new_text, is_document=is_document)


def _words(draft: Draft, spec: FieldSpec | None, name: str, raw: Any) -> str:
    if _is_file(raw):
        return str(raw.get("name", ""))
    if name == ROLES:
        return role_words(raw or ())
    if spec is not None:
        return answer_in_words(spec, raw, draft.share_class_choices)
    if raw is None or isinstance(raw, str):
        return raw or ""
    return ", ".join(map(str, raw))


def _spec(draft: Draft, holder: str, name: str) -> FieldSpec | None:
    fields: Iterable[FieldSpec] = draft.schema.entity_fields
    if (party := draft.party(holder)) is not None:
        fields = draft.schema.fields_of(party.kind, party.roles)
    elif draft.share_class(holder) is not None:
        fields = draft.schema.share_class_fields
    elif holder:
        fields = ()
    return next((spec for spec in fields if spec.name == name), None)


def _is_file(value: Any) -> bool:
    return isinstance(value, Mapping) and "sha256" in value


def values_before(draft: Draft, party: PartyRow, checklist: HolderChecklist) -> Mapping[Target, str]:
    """Return the earlier value of each changed fact of a party as text. One SQL query, none without changes."""
    since: dict[Target, datetime] = {}
    for fact in checklist.facts:
        # When an agent last accepted the earlier value, or sent a query.
        if fact.check is not None and fact.check.digest:
            if fact.check.digest != fact.digest:
                since[fact.target] = fact.check.at
        elif fact.query is not None and fact.query.sent_at:
            since[fact.target] = fact.query.sent_at
    if not since:
        return {}
    earlier: dict[Target, str] = {}
    # Newest first, so that the value before the oldest change stays.
    for change in draft.application.changes.filter(holder=party.token, at__gte=min(since.values())):
        for entry in change.changes:
            name = entry["field"]
            target = Target.of_field(party.token, name)
            if name == ROLES:
                target = Target(TargetKind.PARTY, party.token)
            if target in since and change.at >= since[target]:
                spec = _spec(draft, party.token, name)
                earlier[target] = _words(draft, spec, name, entry["before"])
                if name != ROLES:
                    earlier[target] = earlier[target] or NOT_ANSWERED
    for fact in checklist.facts:
        if fact.document is not None and fact.target in since:
            for replaced in draft.replaced_in(party, fact.document.slot):
                if replaced.replaced_at and replaced.uploaded_at <= since[fact.target] < replaced.replaced_at:
                    earlier[fact.target] = f"{replaced.name} ({file_facts(replaced)})"
                    break
    for fact in checklist.facts:
        if earlier.get(fact.target) == fact.value:
            del earlier[fact.target]
    return earlier
