"""What there is to check in an application: each party's answers and documents one by one, the rest by section."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Document
from formation_portal.applications.parties import PartyRow
from formation_portal.applications.readback import AnswerGroup, AnswerLine, DocumentLine, Readback, readback
from formation_portal.contract import canonical
from formation_portal.contract.lifecycle import FINAL, State
from formation_portal.core import subscribers

from .models import Check, Query, ScreeningCheck, ScreeningKind, ScreeningOutcome
from .targets import SCREENING, WHOLE_APPLICATION, Target, TargetKind

_DECIDED = FINAL | {State.SUBMITTED_TO_CSP}
ACCEPTED, QUERIED, CHANGED, OPEN = "accepted", "queried", "changed", "open"


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing to check. `digest` names what stands there now; `value` says it, a document's by its file's name.

    `state` is accepted, queried (a query is open), changed (since it was accepted) or open. `check` and `query` are
    what was made of it last, if anything. `is_identity_number` where it is a number that a natural person is known by.
    """

    target: Target
    label: str
    value: str
    digest: str
    state: str = OPEN
    is_name: bool = False
    is_unreadable: bool = False
    is_identity_number: bool = False
    document: Document | None = None
    check: Check | None = None
    query: Query | None = None

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to do about it."""
        return self.state == ACCEPTED

    @property
    def is_to_do(self) -> bool:
        """Whether an agent has to look at it: not accepted, and no query about it is drafted."""
        return not self.is_done and not (self.query is not None and self.query.is_draft)


@dataclass(frozen=True, slots=True)
class HolderChecklist:
    """The facts of one holder: a party (its token), or the application's own (no token). `screening` says which of the
    required screening checks the party has not passed, a sentence each."""

    token: str
    title: str
    facts: tuple[Fact, ...]
    screening: tuple[str, ...] = ()

    @property
    def done(self) -> int:
        """How many are accepted."""
        return sum(fact.is_done for fact in self.facts)

    @property
    def is_done(self) -> bool:
        """Whether all are, and nothing else is left to do about it."""
        return self.done == len(self.facts) and not self.screening

    @property
    def has_to_do(self) -> bool:
        """Whether an agent has to look at it."""
        return bool(self.screening) or any(fact.is_to_do for fact in self.facts)


@dataclass(frozen=True)
class Checklist:
    """Everything that there is to check, with what was made of it. `queries` are all open ones, in their order."""

    holders: tuple[HolderChecklist, ...]
    queries: tuple[Query, ...]

    def __iter__(self) -> Iterator[Fact]:
        return (fact for sheet in self.holders for fact in sheet.facts)

    def of_holder(self, token: str) -> HolderChecklist | None:
        """A party's facts; without a token the application's own."""
        return self._by_holder.get(token)

    @cached_property
    def _by_holder(self) -> dict[str, HolderChecklist]:
        return {sheet.token: sheet for sheet in self.holders}

    @cached_property
    def _by_target(self) -> dict[Target, Fact]:
        return {fact.target: fact for fact in reversed(list(self))}

    def has_to_do_behind(self, token: str) -> bool:
        """Whether a party behind this one has something to check."""
        tokens = [holder.token for holder in self.holders]
        return token in tokens and any(holder.has_to_do for holder in self.holders[tokens.index(token) + 1 :])

    def following(self, token: str) -> HolderChecklist | None:
        """Where a review goes on after one holder: after a party the next one that has something to check, round to the
        first, and the application's own facts last; after one of those the others, then the parties. None where nothing
        is left."""
        own, *parties = self.holders
        position = [holder.token for holder in parties].index(token) if token else 0
        others = (*parties[position + 1 :], *parties[:position], own) if token else self.holders
        return next((holder for holder in others if holder.has_to_do), None)

    @property
    def open_queries(self) -> dict[Target, Query]:
        """The open query at each target: the newest, where one was sent and another is drafted."""
        return {query.target: query for query in self.queries}

    @property
    def drafted(self) -> tuple[Query, ...]:
        """Those that would go out with a return."""
        return tuple(query for query in self.queries if query.is_draft)

    def at(self, target: Target) -> Fact | None:
        """The fact that has this target, if there is one."""
        return self._by_target.get(target)


def load_checklist(
    draft: Draft,
    *,
    read_back: Readback | None = None,
    queries: Iterable[Query] | None = None,
    screening: Iterable[ScreeningCheck] | None = None,
    is_part: bool = False,
) -> Checklist:
    """All facts of a draft as they are checked by now: two queries, three where screening checks are required.
    `read_back` is its summary, where it was made; `queries` are all its open queries in their order, and `screening`
    its screening checks, where they were read. `is_part`: it has the parties of the summary, and nothing of its own."""
    read_back = read_back or readback(draft)
    application = draft.application
    checks = {check.target: check for check in application.checks.select_related("by")}
    if queries is None:
        queries = application.queries.filter(dropped_at=None, settled_at=None).select_related("by")
    queries = tuple(queries)
    query_about = {query.target: query for query in queries}
    # Once it is approved, or at its end, nothing more is asked for.
    required = () if application.status in _DECIDED else settings.REQUIRED_SCREENING
    if screening is None:
        screening = screening_checks(draft) if required else ()
    outcomes = {(one.holder, one.kind): one.outcome for one in screening}
    parties = {one.subject.token: one.subject for one in read_back.parties}
    holders = []
    papers: dict[str, list[DocumentLine]] = defaultdict(list)
    for line in read_back.documents:
        papers[line.party.token if line.party else ""].append(line)
    for holder in (
        HolderChecklist("", draft.title, ()) if is_part else _entity_checklist(draft, read_back),
        *(_party_checklist(draft, one, papers[one.subject.token]) for one in read_back.parties),
    ):
        facts = []
        for fact in holder.facts:
            check, query = checks.get(fact.target), query_about.get(fact.target)
            digest = check.digest if check else ""
            state = QUERIED if query else OPEN if not digest else ACCEPTED if digest == fact.digest else CHANGED
            facts.append(replace(fact, state=state, check=check, query=query))
        party = parties.get(holder.token)
        lacks = tuple(_not_passed(party, required, outcomes)) if party else ()
        holders.append(replace(holder, facts=tuple(facts), screening=lacks))
    return Checklist(tuple(holders), queries)


def screening_checks(draft: Draft) -> QuerySet[ScreeningCheck]:
    """The screening checks of all parties; of several of one kind the last one counts. One query."""
    return draft.application.screening_checks.filter(removed_at=None).select_related("by")


def _entity_checklist(draft: Draft, read_back: Readback) -> HolderChecklist:
    facts = []
    for one in read_back.sections:
        answers = {line.spec.name: draft.entity_raw.get(line.spec.name) for line in one.lines}
        facts.append(Fact(Target(TargetKind.SECTION, one.subject.key), one.title, "", _digest(answers)))
    section = draft.schema.share_section
    if section is not None and draft.holds_shares:
        facts.append(Fact(Target(TargetKind.SECTION, section.key), section.title, "", shares_digest(draft)))
    facts += _document_facts(line for line in read_back.documents if line.party is None)
    return HolderChecklist("", draft.title, tuple(facts))


def shares_digest(draft: Draft) -> str:
    """What names the classes of shares, and who holds how many, as they stand."""
    classes = {row.token: dict(row.raw) for row in draft.share_classes}
    held = {f"{party}/{share_class}": row.shares for (party, share_class), row in sorted(draft.holdings.items())}
    return _digest([classes, held])


def _party_checklist(
    draft: Draft, read_back: AnswerGroup[PartyRow], documents: Iterable[DocumentLine]
) -> HolderChecklist:
    row = read_back.subject
    active = map(canonical.role_word, draft.form_state.active_roles(row.record))
    roles = Fact(
        Target(TargetKind.PARTY, row.token), "Roles", ", ".join(active), _digest([row.kind, sorted(row.roles)])
    )
    answers = (_answer_fact(row, line) for line in read_back.lines if line.value and not line.is_given)
    return HolderChecklist(row.token, row.label, (roles, *answers, *_document_facts(documents)))


def _not_passed(row: PartyRow, required: Collection[str], outcomes: Mapping[tuple[str, str], str]) -> Iterator[str]:
    """What a party lacks of the required screening checks, by the outcome of its last check of each kind."""
    for kind in ScreeningKind:
        if kind in required and kind.is_about(is_person=row.is_person):
            outcome = outcomes.get((row.token, kind))
            if outcome is None:
                yield f"{kind.label} missing"
            elif outcome == ScreeningOutcome.MATCH:
                yield f"{kind.label} found a match"


def _answer_fact(row: PartyRow, line: AnswerLine) -> Fact:
    return Fact(
        Target.of_field(row.token, line.spec.name),
        line.spec.label,
        line.value,
        _digest(row.raw.get(line.spec.name)),
        is_name=line.is_name,
        is_unreadable=line.is_unreadable,
        is_identity_number=canonical.is_identity_number(line.spec.canonical_field, kind=row.kind),
    )


def _document_facts(lines: Iterable[DocumentLine]) -> Iterator[Fact]:
    """What was uploaded; what is missing is a need, and nothing to check."""
    for line in lines:
        if line.document is not None:
            target = Target.of_document(line.party.token if line.party else "", line.slot)
            yield Fact(target, line.slot, line.document.name, _digest(line.document.sha256), document=line.document)


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class ApprovalBlocker:
    """One thing that blocks an approval: its target, whose it is, and a sentence."""

    target: Target
    holder_name: str
    text: str


_TEXTS = {QUERIED: "{label}: open query", CHANGED: "{label}: changed since accepted"}


def approval_blockers(draft: Draft, facts: Checklist) -> tuple[ApprovalBlocker, ...]:
    """Everything that has to be done before an approval, in the order of the application; then what others say, which
    is one query."""
    return (*_own_blockers(draft, facts), *subscribers.approval_blockers(draft))


def _own_blockers(draft: Draft, facts: Checklist) -> Iterator[ApprovalBlocker]:
    for need in draft.needs:
        yield ApprovalBlocker(WHOLE_APPLICATION, "", f"To complete: {need.text}")
    for sheet in facts.holders:
        for fact in sheet.facts:
            if not fact.is_done:
                said = _TEXTS.get(fact.state, "{label}: not checked").format(label=fact.label)
                yield ApprovalBlocker(fact.target, sheet.title if sheet.token else "", said)
        for text in sheet.screening:
            yield ApprovalBlocker(Target(TargetKind.PARTY, sheet.token, SCREENING), sheet.title, text)
    checked = {fact.target for fact in facts}
    for target, query in facts.open_queries.items():
        if target not in checked:
            yield ApprovalBlocker(target, "", f"{query.label or 'The application'}: open query")
