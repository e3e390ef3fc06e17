"""List the facts to check: each answer and document of a party, and each section and document of the entity."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from formation_portal import workflow
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Document
from formation_portal.applications.parties import PartyRow
from formation_portal.applications.readback import AnswerGroup, DocumentLine, Readback, readback
from formation_portal.contract import canonical
from formation_portal.contract.lifecycle import FINAL, State

from .models import Check, Query, ScreeningCheck, ScreeningKind, ScreeningOutcome
from .targets import SCREENING, WHOLE_APPLICATION, Target, TargetKind

_DECIDED = FINAL | {State.SUBMITTED_TO_CSP}
ACCEPTED, QUERIED, CHANGED, OPEN = "accepted", "queried", "changed", "open"


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact to check. `digest` identifies its present value; `value` is the value in words, or a file name. `state`
    is accepted, queried (a query is open), changed (since its acceptance) or open."""

    target: Target
    label: str
    value: str
    digest: str
    is_name: bool = False
    is_unreadable: bool = False
    is_identity_number: bool = False
    document: Document | None = None
    check: Check | None = None
    query: Query | None = None

    @property
    def state(self) -> str:
        if self.query is not None:
            return QUERIED
        if self.check is None or not self.check.digest:
            return OPEN
        if self.check.digest != self.digest:
            return CHANGED
        return ACCEPTED

    @property
    def is_done(self) -> bool:
        return self.state == ACCEPTED

    @property
    def is_to_do(self) -> bool:
        """Tell whether an agent must still check the fact: it is not accepted and has no drafted query."""
        return not self.is_done and not (self.query is not None and self.query.is_draft)


@dataclass(frozen=True, slots=True)
class HolderChecklist:
    """The facts of a party, or, if `token` is "", of the application itself. `screening` are sentences about required
    screening checks that the party has not passed."""

    token: str
    title: str
    facts: tuple[Fact, ...]
    screening: tuple[str, ...] = ()

    @property
    def done(self) -> int:
        return sum(fact.is_done for fact in self.facts)

    @property
    def is_done(self) -> bool:
        return self.done == len(self.facts) and not self.screening

    @property
    def has_to_do(self) -> bool:
        return bool(self.screening) or any(fact.is_to_do for fact in self.facts)


@dataclass(frozen=True)
class Checklist:
    """The facts of an application with their checks. `queries` are all open queries, oldest first."""

    holders: tuple[HolderChecklist, ...]
    queries: tuple[Query, ...]

    def __iter__(self) -> Iterator[Fact]:
        for holder in self.holders:
            yield from holder.facts

    def of_holder(self, token: str) -> HolderChecklist | None:
        """Return the facts of the party with this token, or for "" the application's own; None for an unknown token."""
        for holder in self.holders:
            if holder.token == token:
                return holder
        return None

    def at(self, target: Target) -> Fact | None:
        for fact in self:
            if fact.target == target:
                return fact
        return None

    def has_to_do_behind(self, token: str) -> bool:
        is_behind = False
        for holder in self.holders:
            if is_behind and holder.has_to_do:
                return True
            is_behind = is_behind or holder.token == token
        return False

    def following(self, token: str) -> HolderChecklist | None:
        """Return the holder to check next: the next party with unchecked facts (after the last party comes the first),
        then the application itself. None where nothing is left to check."""
        own, *parties = self.holders
        candidates = [own, *parties]
        if token:
            position = [party.token for party in parties].index(token)
            candidates = [*parties[position + 1 :], *parties[:position], own]
        for holder in candidates:
            if holder.has_to_do:
                return holder
        return None

    @property
    def open_queries(self) -> dict[Target, Query]:
        """Return each target's open query: the newer, where one was sent and another is drafted."""
        return {query.target: query for query in self.queries}

    @property
    def drafted(self) -> tuple[Query, ...]:
        return tuple(query for query in self.queries if query.is_draft)


def load_checklist(
    draft: Draft,
    *,
    read_back: Readback | None = None,
    queries: Iterable[Query] | None = None,
    screening: Iterable[ScreeningCheck] | None = None,
    is_part: bool = False,
) -> Checklist:
    """Read all facts of a draft with their checks. Two SQL queries, three where screening checks are required.

    Pass `read_back`, `queries` (all open, oldest first) and `screening` if already read. With `is_part` the
    checklist has only the parties of `read_back`.
    """
    read_back = read_back or readback(draft)
    application = draft.application
    checks = {check.target: check for check in application.checks.select_related("by")}
    if queries is None:
        queries = application.queries.filter(dropped_at=None, settled_at=None).select_related("by")
    queries = tuple(queries)
    query_at = {query.target: query for query in queries}
    required: Collection[str] = settings.REQUIRED_SCREENING
    if application.status in _DECIDED:
        # An approved or closed application needs no more screening.
        required = ()
    if screening is None and required:
        screening = screening_checks(draft)
    outcomes = {(check.holder, check.kind): check.outcome for check in screening or ()}
    documents: dict[str, list[DocumentLine]] = defaultdict(list)
    for line in read_back.documents:
        documents[line.party.token if line.party else ""].append(line)

    def checked(*facts: Fact) -> tuple[Fact, ...]:
        return tuple(replace(fact, check=checks.get(fact.target), query=query_at.get(fact.target)) for fact in facts)

    own_facts: tuple[Fact, ...] = ()
    if not is_part:
        own_facts = checked(*_entity_facts(draft, read_back), *_document_facts("", documents[""]))
    holders = [HolderChecklist("", draft.title, own_facts)]
    for group in read_back.parties:
        party = group.subject
        facts = checked(*_party_facts(draft, group), *_document_facts(party.token, documents[party.token]))
        missing = tuple(_missing_screening(party, required, outcomes))
        holders.append(HolderChecklist(party.token, party.label, facts, missing))
    return Checklist(tuple(holders), queries)


def screening_checks(draft: Draft) -> QuerySet[ScreeningCheck]:
    """Return all parties' screening checks. Of a party's checks of one kind, the last counts. One SQL query."""
    return draft.application.screening_checks.filter(removed_at=None).select_related("by")


def _entity_facts(draft: Draft, read_back: Readback) -> Iterator[Fact]:
    for group in read_back.sections:
        answers = {line.spec.name: draft.entity_raw.get(line.spec.name) for line in group.lines}
        yield Fact(Target(TargetKind.SECTION, group.subject.key), group.title, "", _digest(answers))
    section = draft.schema.share_section
    if section is not None and draft.holds_shares:
        yield Fact(Target(TargetKind.SECTION, section.key), section.title, "", shares_digest(draft))


def shares_digest(draft: Draft) -> str:
    classes = {row.token: dict(row.raw) for row in draft.share_classes}
    holdings = {f"{party}/{share_class}": row.shares for (party, share_class), row in sorted(draft.holdings.items())}
    return _digest([classes, holdings])


def _party_facts(draft: Draft, group: AnswerGroup[PartyRow]) -> Iterator[Fact]:
    party = group.subject
    roles = ", ".join(map(canonical.role_word, draft.form_state.active_roles(party.record)))
    yield Fact(Target(TargetKind.PARTY, party.token), "Roles", roles, _digest([party.kind, sorted(party.roles)]))
    for line in group.lines:
        if line.value and not line.spec.provided_by_agent:
            yield Fact(
                Target.of_field(party.token, line.spec.name),
                line.spec.label,
                line.value,
                _digest(party.raw.get(line.spec.name)),
                is_name=line.is_name,
                is_unreadable=line.is_unreadable,
                is_identity_number=canonical.is_identity_number(line.spec.canonical_field, kind=party.kind),
            )


def _document_facts(token: str, lines: Iterable[DocumentLine]) -> Iterator[Fact]:
    """Yield a fact for each uploaded document of a party, or, if `token` is "", of the entity."""
    for line in lines:
        if line.document is not None:
            target = Target.of_document(token, line.slot)
            yield Fact(target, line.slot, line.document.name, _digest(line.document.sha256), document=line.document)


def _missing_screening(
    party: PartyRow, required: Collection[str], outcomes: Mapping[tuple[str, str], str]
) -> Iterator[str]:
    for kind in ScreeningKind:
        if kind in required and kind.is_about(is_person=party.is_person):
            outcome = outcomes.get((party.token, kind))
            if outcome is None:
                yield f"{kind.label} missing"
            elif outcome == ScreeningOutcome.MATCH:
                yield f"{kind.label} found a match"


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class ApprovalBlocker:
    """An obstacle to an approval: its target, the name of its party, and the obstacle in words."""

    target: Target
    holder_name: str
    text: str


_BLOCKER_TEXTS = {QUERIED: "open query", CHANGED: "changed since accepted", OPEN: "not checked"}


def approval_blockers(draft: Draft, checklist: Checklist) -> tuple[ApprovalBlocker, ...]:
    """Return the obstacles to an approval in the order of the application, then those that other packages add."""
    blockers = []
    for need in draft.needs:
        blockers.append(ApprovalBlocker(WHOLE_APPLICATION, "", f"To complete: {need.text}"))
    for holder in checklist.holders:
        name = holder.title if holder.token else ""
        for fact in holder.facts:
            if not fact.is_done:
                blockers.append(ApprovalBlocker(fact.target, name, f"{fact.label}: {_BLOCKER_TEXTS[fact.state]}"))
        for text in holder.screening:
            blockers.append(ApprovalBlocker(Target(TargetKind.PARTY, holder.token, SCREENING), name, text))
    targets = {fact.target for fact in checklist}
    for target, query in checklist.open_queries.items():
        if target not in targets:
            blockers.append(ApprovalBlocker(target, "", f"{query.label or 'The application'}: open query"))
    return (*blockers, *workflow.approval_blockers(draft))
