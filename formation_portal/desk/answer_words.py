"""What an answer says beside itself: why it was asked, and what its date means today."""

from collections.abc import Iterator
from datetime import date

from formation_portal.applications.draft import Draft
from formation_portal.applications.parties import PartyRow
from formation_portal.contract import canonical
from formation_portal.contract.rules import Question
from formation_portal.reviews.targets import Target

from .counts import numbered


def questions_of(draft: Draft, party: PartyRow) -> dict[Target, Question]:
    """The questions to a party, by their places."""
    asked = draft.form_state.party_questions(party.record)
    return {Target.of_field(party.token, one.spec.name): one for one in asked}


def why_asked(question: Question | None) -> str:
    """The answer that has led to the question; empty where it is asked of everybody."""
    return for_agents(question.activation.reason) if question is not None else ""


def for_agents(reason: str) -> str:
    """A reason of the form, which speaks to the customer, as agents read it: in English, and of somebody else."""
    return reason.replace("because you ", "because they ", 1)


def dated(draft: Draft, party: PartyRow, question: Question | None) -> Iterator[tuple[str, bool]]:
    """What the date means today, and whether something is amiss with it."""
    value = party.record.answers.values.get(question.spec.name) if question is not None else None
    if question is None or not isinstance(value, date):
        return
    named, today = question.spec.canonical_field, draft.today
    if canonical.is_date_of_birth(named):
        age = today.year - value.year - ((today.month, today.day) < (value.month, value.day))
        yield f"{age} years old", False
    if canonical.expiring_document(named):
        days = (value - today).days
        yield ("This date has passed", True) if days < 0 else (f"{numbered(days, 'day')} left", False)
