"""Locks: what a reviewer has accepted stays while its customer corrects the rest, but for what is still needed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from formation_portal import workflow
from formation_portal.contract.lifecycle import State
from formation_portal.contract.needs import Need

from .draft import Draft
from .fields import is_same_answer

# The token of the party, or "" for the entity; and the field's name.
AnswerKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Locks:
    """The locked answers, documents by token and slot, roles by party, and of the sections the share section."""

    answers: frozenset[AnswerKey] = frozenset()
    documents: frozenset[tuple[str, str]] = frozenset()
    roles: frozenset[str] = frozenset()
    sections: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.answers or self.documents or self.roles or self.sections)

    def answers_of(self, holder: str) -> frozenset[str]:
        return frozenset(name for token, name in self.answers if token == holder)

    def has_document(self, document: Any) -> bool:
        """Check that a document (any object with `party` and `slot`) is locked; `party` is None for the entity."""
        return (document.party.token if document.party else "", document.slot) in self.documents

    def has_shares(self, draft: Draft) -> bool:
        """Check that share classes and holdings are locked; they depend on each other, so all are or none."""
        section = draft.schema.share_section
        return section is not None and section.key in self.sections


NO_LOCKS = Locks()


def locks_of(draft: Draft) -> Locks:
    """Return the accepted parts of a returned application without those that are needed. No query for others."""
    if draft.application.status is not State.RETURNED_FOR_CHANGES:
        return NO_LOCKS
    accepted = workflow.accepted_locks(draft)
    if not accepted:
        return NO_LOCKS
    needed = (*draft.needs, *workflow.submission_blockers(draft))
    answers = accepted.answers | _blank_answers(draft, accepted, needed)
    sections = set(accepted.sections)
    shares = draft.schema.share_section
    if shares is not None and any(need.share_class_id or need.section == shares.key for need in needed):
        # The shares depend on each other, so that all of them are locked or none.
        sections.discard(shares.key)
    return Locks(
        answers=answers - {(need.party_id or "", need.field) for need in needed if need.field},
        documents=accepted.documents - {(need.party_id or "", need.slot) for need in needed if need.slot},
        roles=accepted.roles - {need.party_id for need in needed if need.party_id and not (need.field or need.slot)},
        sections=frozenset(sections),
    )


def _blank_answers(draft: Draft, accepted: Locks, needed: Iterable[Need]) -> set[AnswerKey]:
    """Return the answers of sections that were accepted whole and need nothing; they are locked if blank too."""
    with_needs = {need.section for need in needed}
    locked: set[str] = set()
    unlocked: set[str] = set()
    for section in draft.schema.entity_sections:
        if section.key not in accepted.sections:
            unlocked |= section.fields_by_name.keys()
        elif section.key not in with_needs:
            locked |= section.fields_by_name.keys()
    return {("", name) for name in locked - unlocked}


@dataclass(frozen=True, slots=True)
class LockedValues:
    answers: Mapping[AnswerKey, Any]
    documents: Mapping[tuple[str, str], str | None]
    roles: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, draft: Draft, locks: Locks) -> "LockedValues":
        """Return the locked values of the draft, without removed parties. Reads nothing if nothing is locked."""
        if not locks:
            return cls({}, {}, {})
        raws = {row.token: row.raw for row in draft.party_models} | {"": draft.entity_raw}
        files = {(file.party.token if file.party else "", file.slot): file.sha256 for file in draft.documents}
        roles = {row.token: frozenset(row.roles) for row in draft.party_models}
        return cls(
            {place: raws[place[0]].get(place[1]) for place in locks.answers if place[0] in raws},
            {place: files.get(place) for place in locks.documents if place[0] in raws},
            {token: roles[token] for token in locks.roles if token in roles},
        )

    def is_kept_by(self, after: "LockedValues") -> bool:
        """Check that all values are unchanged, apart from removed parties and added roles."""
        return (
            all(is_same_answer(after.answers.get(place, value), value) for place, value in self.answers.items())
            and all(after.documents.get(place, digest) == digest for place, digest in self.documents.items())
            and all(roles <= after.roles.get(token, roles) for token, roles in self.roles.items())
        )
