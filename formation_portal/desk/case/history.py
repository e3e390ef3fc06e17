"""What happened to a case, in a few lines, and what is different now: in the application since it was returned, and of
a fact since an agent last looked at it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Any

from django.db.models import Q
from django.utils.timezone import localdate

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application, Change
from formation_portal.applications.ownership_stakes import OWNER_PREFIX
from formation_portal.applications.parties import PartyRow
from formation_portal.applications.readback import answer_in_words
from formation_portal.applications.services import ROLES
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.lifecycle import State
from formation_portal.reviews.checklist import Fact, HolderChecklist
from formation_portal.reviews.models import Query
from formation_portal.reviews.targets import Target, TargetKind
from formation_portal.ui.documents import file_facts
from formation_portal.ui.roles import role_words

from ..models import Case
from ..wording import if_any, together

# Of everything else than moves so much is read.
_NEWEST = 60
# How the history begins to tell of somebody, or of a class, who was not there before.
_ADDED = "Added "
# What stood there where nothing was answered.
NOT_ANSWERED = "Not answered"


def history_of(application: Application) -> tuple[Change, ...]:
    """All moves, everything since the last return, and the newest of the rest, the newest first. One query."""
    changes = application.changes.order_by("-pk")
    returns = changes.filter(moved_to=State.RETURNED_FOR_CHANGES)
    is_new = Q(pk__gt=returns.values("pk")[:1]) | Q(pk__in=changes.values("pk")[:_NEWEST])
    return tuple(application.changes.filter(is_new | ~Q(moved_to="")).select_related("who"))


def history_lines(
    application: Application, history: Iterable[Change], queries: Iterable[Query]
) -> list[tuple[datetime, str, str]]:
    """When, who (empty for the portal itself) and what, the newest first: every move; what one person changed between
    two moves, a line a day; and the claim. No query where the case was read with its application."""
    sent, lines, rounds = Counter(query.round for query in queries), [], 0
    oldest_first = sorted(history, key=lambda change: change.pk)
    by_move_and_day = groupby(oldest_first, key=lambda one: (one.moved_to and one.pk, one.who, localdate(one.at)))
    for (move, who, _), some in by_move_and_day:
        group = list(some)
        last = group[-1]
        rounds += last.moved_to == State.SUBMITTED_FOR_REVIEW
        said = last.what if move or len(group) == 1 else "Changed answers or documents"
        asked = sent[rounds] if last.moved_to == State.RETURNED_FOR_CHANGES else 0
        more = f", with {if_any(asked, 'query', 'queries')}" if asked else ""
        lines.append((last.at, who.called if who else "", said + more))
    case: Case | None = getattr(application, "case", None)
    if case is not None and case.is_claimed and case.claimed_by is not None and case.claimed_at is not None:
        word, by = f": {case.word}" if case.word else "", case.assigned_by
        said = f"Assigned the case to {case.claimed_by.called}" if by else f"Claimed the case{word}"
        lines.append((case.claimed_at, (by or case.claimed_by).called, said))
    return sorted(lines, key=lambda line: line[0], reverse=True)


@dataclass(frozen=True, slots=True)
class Difference:
    """One answer, document or number that is another now. `holder` is a party's or class's token, a section's key for
    holdings, empty for the application's own; without words there was, or is, nothing."""

    holder: str
    name: str
    label: str
    before: str
    after: str
    is_document: bool = False


@dataclass(frozen=True, slots=True)
class Differences:
    """Everything that is another now; `move` is the return since which, None before the first one.

    `added` are the tokens of parties and classes that are new, `removed` the names of those that are gone.
    """

    move: Change | None = None
    found: tuple[Difference, ...] = ()
    added: frozenset[str] = frozenset()
    removed: tuple[str, ...] = ()
    _by_place: Mapping[tuple[str, str], Difference] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.found or self.added or self.removed)

    def at(self, holder: str, name: str) -> Difference | None:
        """What changed there."""
        return self._by_place.get((holder, name))

    def of(self, holder: str) -> tuple[Difference, ...]:
        """Everything that changed of a party, a class, or the application itself."""
        return tuple(one for one in self.found if one.holder == holder)


def changed_words(found: Sequence[Difference]) -> str:
    """2 answers and 1 document changed; nothing for none."""
    documents = sum(one.is_document for one in found)
    said = together(if_any(len(found) - documents, "answer"), if_any(documents, "document"))
    return f"{said} changed" if said else ""


def differences(draft: Draft, history: Iterable[Change]) -> Differences:
    """From all changes since the last return, the newest first; a longer history does no harm. No query."""
    newest = list(history)
    move = next((one for one in newest if one.moved_to == State.RETURNED_FOR_CHANGES), None)
    if move is None:
        return Differences()
    since = [(_holder(draft, one), one) for one in reversed(newest) if one.pk > move.pk]
    first: dict[str, Change] = {}
    for holder, change in since:
        first.setdefault(holder, change)
    there = {row.token for row in draft.parties} | {row.token for row in draft.share_classes}
    added = {holder for holder, change in first.items() if change.what.startswith(_ADDED)}
    # Holdings are changed in their section.
    named = [(holder, change) for holder, change in since if holder and draft.schema.section(holder) is None]
    gone = [
        change.named["name"] for holder, change in named if holder not in added | there and change.named.get("name")
    ]
    left_out = {holder for holder, _ in named} - (there - added)
    found = tuple(_differences(draft, [(holder, change) for holder, change in since if holder not in left_out]))
    return Differences(
        move=move,
        found=found,
        added=frozenset(added & there),
        removed=tuple(dict.fromkeys(map(str, gone))),
        _by_place={(one.holder, one.name): one for one in found},
    )


def _holder(draft: Draft, change: Change) -> str:
    """Whose change it was; an answer of the application may stand in two of its sections."""
    section = draft.schema.section(change.holder) if change.holder else None
    return "" if section is not None and section.is_entity else change.holder


def _differences(draft: Draft, since: Iterable[tuple[str, Change]]) -> Iterator[Difference]:
    """Each place once, in the order in which it was first changed; what was changed back is none."""
    before: dict[tuple[str, str], Any] = {}
    after: dict[tuple[str, str], Any] = {}
    labels: dict[tuple[str, str], str] = {}
    for holder, change in since:
        for one in change.changes:
            place = (holder, str(one["field"]))
            before.setdefault(place, one["before"])
            after[place], labels[place] = one["after"], str(one["label"])
    for place, was in before.items():
        (holder, name), now = place, after[place]
        words, is_document = (_words(draft, *place, was), _words(draft, *place, now)), _is_file(was) or _is_file(now)
        if was != now and (words[0] != words[1] or is_document):
            spec = _spec(draft, holder, name)
            label = f"Part of {labels[place]}" if name.startswith(OWNER_PREFIX) else labels[place]
            yield Difference(holder, name, spec.label if spec else label, *words, is_document=is_document)


def _words(draft: Draft, holder: str, name: str, raw: Any) -> str:
    """What was there, or is, as the form asks at present."""
    if _is_file(raw):
        return str(raw.get("name", ""))
    if name == ROLES:
        return role_words(raw or ())
    spec = _spec(draft, holder, name)
    if spec is not None:
        return answer_in_words(spec, raw, draft.share_class_choices)
    return "" if raw is None else str(raw) if isinstance(raw, str) else ", ".join(map(str, raw))


def _spec(draft: Draft, holder: str, name: str) -> FieldSpec | None:
    fields: Iterable[FieldSpec] = draft.schema.entity_fields
    if (party := draft.party(holder)) is not None:
        fields = draft.schema.fields_of(party.kind, party.roles)
    elif draft.share_class(holder) is not None:
        fields = draft.schema.share_class_fields
    elif holder:
        fields = ()
    return next((spec for spec in fields if spec.name == name), None)


def _is_file(said: Any) -> bool:
    return isinstance(said, Mapping) and "sha256" in said


def values_before(draft: Draft, party: PartyRow, checklist: HolderChecklist) -> Mapping[Target, str]:
    """The earlier value of each fact of a party that has changed, in words. One query, or none where nothing has."""
    since = {fact.target: at for fact in checklist.facts if (at := _looked_at(fact)) is not None}
    if not since:
        return {}
    earlier: dict[Target, str] = {}
    # The newest first, so that of several changes the oldest is said last, and stays.
    for entry in draft.application.changes.filter(holder=party.token, at__gte=min(since.values())):
        for change in entry.changes:
            name, was = change["field"], change["before"]
            is_roles = name == ROLES
            target = Target(TargetKind.PARTY, party.token) if is_roles else Target.of_field(party.token, name)
            if target in since and entry.at >= since[target]:
                words = _words(draft, party.token, name, was)
                earlier[target] = words if is_roles else words or NOT_ANSWERED
    for fact in checklist.facts:
        if fact.document is not None and fact.target in since:
            at, replaced = since[fact.target], draft.replaced_in(party, fact.document.slot)
            there = next((one for one in replaced if one.replaced_at and one.uploaded_at <= at < one.replaced_at), None)
            if there is not None:
                earlier[fact.target] = f"{there.name} ({file_facts(there)})"
    now = {fact.target: fact.value for fact in checklist.facts}
    return {target: words for target, words in earlier.items() if words != now[target]}


def _looked_at(fact: Fact) -> datetime | None:
    """When an agent last said something of what stood there; None where nothing is to be compared."""
    check, query = fact.check, fact.query
    if check is not None and check.digest:
        return check.at if check.digest != fact.digest else None
    return query.sent_at if query is not None else None
