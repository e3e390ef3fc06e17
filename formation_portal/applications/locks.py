"""Locks: a customer who corrects a returned application can change an accepted part only if it lacks something."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from formation_portal import workflow
from formation_portal.contract.lifecycle import State
from formation_portal.contract.needs import Need

from .draft import Draft
from .fields import is_same_answer
from .stored_rows import token_of

# The token of the party, or "" for the entity; and the field's name.
AnswerKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Locks:
    """The locked answers and documents (by token and slot), parties whose roles are locked, and locked sections."""

    answers: frozenset[AnswerKey] = frozenset()
    documents: frozenset[tuple[str, str]] = frozenset()
    roles: frozenset[str] = frozenset()
    sections: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.answers or self.documents or self.roles or self.sections)

    def answers_of(self, holder: str) -> frozenset[str]:
        return frozenset(name for token, name in self.answers if token == holder)

    def has_document(self, document: Any) -> bool:
        """Tell whether a document (an object with `party` and `slot`) is locked; `party` is None for the entity."""
        return (token_of(document.party) or "", document.slot) in self.documents

    def has_shares(self, draft: Draft) -> bool:
        """Tell whether share classes and holdings are locked, all or none: they depend on each other."""
        section = draft.schema.share_section
        return section is not None and section.key in self.sections


NO_LOCKS = Locks()


def locks_of(draft: Draft) -> Locks:
    """Return the accepted parts of a returned application that need nothing. No SQL query in other states."""
    if draft.application.status is not State.RETURNED_FOR_CHANGES:
        return NO_LOCKS
    accepted = workflow.accepted_locks(draft)
    if not accepted:
        return NO_LOCKS
    needed = (*draft.needs, *workflow.submission_blockers(draft))
    answers = _blank_answers(draft, accepted, needed) | accepted.answers
    documents, roles, sections = set(accepted.documents), set(accepted.roles), set(accepted.sections)
    shares = draft.schema.share_section
    for need in needed:
        token = need.party_id or ""
        if need.field:
            answers.discard((token, need.field))
        if need.slot:
            documents.discard((token, need.slot))
        if not (need.field or need.slot):
            roles.discard(token)
        if shares is not None and (need.share_class_id or need.section == shares.key):
            # The shares depend on each other, so all of them are locked, or none.
            sections.discard(shares.key)
    return Locks(frozenset(answers), frozenset(documents), frozenset(roles), frozenset(sections))


def _blank_answers(draft: Draft, accepted: Locks, needed: Iterable[Need]) -> set[AnswerKey]:
    """Return all answers, even blank ones, of sections that were accepted as a whole and need nothing."""
    with_needs = {need.section for need in needed}
    locked: set[str] = set()
    unlocked: set[str] = set()
    for section in draft.schema.entity_sections:
        if section.key not in accepted.sections:
            unlocked |= section.fields_by_name.keys()
        elif section.key not in with_needs:
            locked |= section.fields_by_name.keys()
    return {("", name) for name in locked - unlocked}


def locked_values(draft: Draft, locks: Locks) -> dict[tuple[str, ...], Any]:
    """Return the locked values by kind, token and name, without those of removed parties."""
    if not locks:
        return {}
    raws = {"": draft.entity_raw}
    values: dict[tuple[str, ...], Any] = {}
    for party in draft.party_models:
        raws[party.token] = party.raw
        if party.token in locks.roles:
            values["roles", party.token] = set(party.roles)
    files = {(token_of(file.party) or "", file.slot): file.sha256 for file in draft.documents}
    for token, name in locks.answers:
        if token in raws:
            values["answer", token, name] = raws[token].get(name)
    for token, slot in locks.documents:
        if token in raws:
            values["document", token, slot] = files.get((token, slot))
    return values


def are_values_kept(before: Mapping[tuple[str, ...], Any], after: Mapping[tuple[str, ...], Any]) -> bool:
    """Tell whether all values are unchanged, apart from removed parties and added roles."""
    for key in before.keys() & after.keys():
        is_kept = before[key] <= after[key] if key[0] == "roles" else is_same_answer(before[key], after[key])
        if not is_kept:
            return False
    return True
