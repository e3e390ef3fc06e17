"""Locks: what a reviewer has accepted and a customer may not change while they correct the rest.

The reviews say what was accepted. What is still needed is never locked, whatever was accepted.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from formation_portal.contract.lifecycle import State
from formation_portal.core import subscribers

from .draft import Draft
from .fields import is_same_answer

# The token of the party, or "" for the entity; and the field's name.
AnswerKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Locks:
    """What may not be changed: answers, documents by token and slot, roles by party, whole sections.

    Of the sections only the share section matters by itself; the answers of the others are among the answers.
    """

    answers: frozenset[AnswerKey] = frozenset()
    documents: frozenset[tuple[str, str]] = frozenset()
    roles: frozenset[str] = frozenset()
    sections: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.answers or self.documents or self.roles or self.sections)

    def answers_of(self, holder: str) -> frozenset[str]:
        """The names of the locked answers of a party, or of the entity."""
        return frozenset(name for token, name in self.answers if token == holder)

    def has_document(self, one: Any) -> bool:
        """Whether a document (anything with `party` and `slot`) is locked; its `party` is None for the entity."""
        return (one.party.token if one.party else "", one.slot) in self.documents

    def has_shares(self, draft: Draft) -> bool:
        """Whether share classes and holdings are locked; they depend on each other, so all are or none."""
        section = draft.schema.share_section
        return section is not None and section.key in self.sections


NO_LOCKS = Locks()


def locks_of(draft: Draft) -> Locks:
    """What is locked at present: what was accepted, without what is needed. A query only where it was returned."""
    if draft.application.status is not State.RETURNED_FOR_CHANGES:
        return NO_LOCKS
    accepted = subscribers.accepted_locks(draft)
    if not accepted:
        return NO_LOCKS
    needed = (*draft.needs, *subscribers.submission_blockers(draft))
    busy = {need.section for need in needed}
    entity, shares = draft.schema.entity_sections, draft.schema.share_section
    others = {spec.name for section in entity if section.key not in accepted.sections for spec in section.fields}
    # Blank answers are locked in sections that were accepted whole and need nothing.
    blank = {
        ("", spec.name)
        for section in entity
        if section.key in accepted.sections and section.key not in busy
        for spec in section.fields
        if spec.name not in others
    }
    # Of the shares all or nothing is locked, since they depend on each other.
    needs_shares = shares is not None and any(one.share_class_id or one.section == shares.key for one in needed)
    return Locks(
        answers=(accepted.answers | blank) - {(one.party_id or "", one.field) for one in needed if one.field},
        documents=accepted.documents - {(one.party_id or "", one.slot) for one in needed if one.slot},
        roles=accepted.roles - {one.party_id for one in needed if one.party_id and not (one.field or one.slot)},
        sections=accepted.sections - ({shares.key} if shares and needs_shares else set()),
    )


@dataclass(frozen=True, slots=True)
class LockedValues:
    """The locked values before a change, to be compared with those after it."""

    answers: Mapping[AnswerKey, Any]
    documents: Mapping[tuple[str, str], str | None]
    roles: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, draft: Draft, locks: Locks) -> "LockedValues":
        """The values in the draft. Removed parties are left out; nothing is read where nothing is locked."""
        if not locks:
            return cls({}, {}, {})
        raws = {row.token: row.raw for row in draft.party_models} | {"": draft.entity_raw}
        files = {(one.party.token if one.party else "", one.slot): one.sha256 for one in draft.documents}
        roles = {row.token: frozenset(row.roles) for row in draft.party_models}
        return cls(
            {place: raws[place[0]].get(place[1]) for place in locks.answers if place[0] in raws},
            {place: files.get(place) for place in locks.documents if place[0] in raws},
            {token: roles[token] for token in locks.roles if token in roles},
        )

    def is_kept_by(self, after: "LockedValues") -> bool:
        """Whether all that is still there is unchanged; roles may have been added."""
        return (
            all(is_same_answer(after.answers.get(place, value), value) for place, value in self.answers.items())
            and all(after.documents.get(place, digest) == digest for place, digest in self.documents.items())
            and all(had <= after.roles.get(token, had) for token, had in self.roles.items())
        )
