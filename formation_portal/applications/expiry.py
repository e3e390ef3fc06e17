"""Answers that say until when a paper is good, as far as that is over: by the meaning of their names alone."""

from collections.abc import Iterable
from datetime import date

from formation_portal.contract import canonical
from formation_portal.contract.rules import Question

from .drafts import Draft
from .rows import PartyRow


def expired(draft: Draft, party: PartyRow | None, slot: str) -> tuple[tuple[str, date], ...]:
    """The labels and dates of answers by which the paper in a slot is no longer good.

    Such an answer is a date, and its canonical name says which paper it is about, in words that the slot's name has.
    """
    answers = party.record.answers if party else draft.record.answers
    return tuple(
        (question.spec.label, day)
        for question in _questions(draft, party)
        if question.verdict.active and _is_about(question, slot)
        if isinstance(day := answers.values.get(question.spec.name), date) and day < draft.today
    )


def _questions(draft: Draft, party: PartyRow | None) -> Iterable[Question]:
    if party is not None:
        return draft.standing.party_questions(party.record)
    return (one for section in draft.schema.entity_sections for one in draft.standing.questions(section))


def _is_about(question: Question, slot: str) -> bool:
    paper = canonical.expiring(question.spec.canonical_field)
    return bool(paper) and paper in slot.casefold()
