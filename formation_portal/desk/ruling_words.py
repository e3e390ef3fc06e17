"""Decisions as agents read them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.utils.formats import date_format

from formation_portal.accounts.models import User
from formation_portal.reviews.decisions import APPROVE, DECLINE, INCORPORATE, RETURN
from formation_portal.reviews.models import DecisionOutcome, DeclineReason, ReviewDecision

_NOUNS = {APPROVE: "Approval", RETURN: "Return", DECLINE: "Decline", INCORPORATE: "Incorporation"}
_DONE = {
    APPROVE: "is approved for the registry",
    RETURN: "is returned to {customer}",
    DECLINE: "is declined",
    INCORPORATE: "is recorded as incorporated",
}
_WAITS = {APPROVE: "is awaiting second approval", DECLINE: "will be declined once a second agent confirms"}


@dataclass(frozen=True, slots=True)
class WaitingRuling:
    """A decision that waits for a second agent."""

    title: str
    is_approval: bool
    who: str
    at: datetime
    reason: str
    text: str
    is_mine: bool


@dataclass(frozen=True, slots=True)
class PastRuling:
    """A decision of before: what became of it, by whom and when."""

    at: datetime
    what: str
    reason: str
    text: str
    refusal: str
    # What the registry has made of an incorporation.
    registered: str = ""


def waiting_words(ruling: ReviewDecision, reader: User) -> WaitingRuling:
    """One that waits, as this agent reads it."""
    return WaitingRuling(
        title=_NOUNS.get(ruling.deed, ruling.deed),
        is_approval=ruling.deed == APPROVE,
        who=ruling.proposed_by.called,
        at=ruling.proposed_at,
        reason=reason_words(ruling.reason),
        text=ruling.text,
        is_mine=ruling.proposed_by_id == reader.pk,
    )


def past_words(rulings: Iterable[ReviewDecision]) -> Iterator[PastRuling]:
    """Those of before, in the same order."""
    for one in rulings:
        if one.outcome != DecisionOutcome.WAITING:
            what = f"{_NOUNS.get(one.deed, one.deed)} {_became(one)}"
            yield PastRuling(one.at, what, reason_words(one.reason), one.text, one.refusal, _registered(one))


def reason_words(code: str) -> str:
    """Why it is declined; nothing where no reason is kept, the code where the list no longer has it."""
    return dict(DeclineReason.choices).get(code, code)


def words_after(ruling: ReviewDecision) -> str:
    """What came of deciding, behind the name of the company."""
    words = _WAITS if ruling.outcome == DecisionOutcome.WAITING else _DONE
    return f"{words.get(ruling.deed, 'has been decided')}.".format(customer=ruling.application.owner.called)


def _registered(ruling: ReviewDecision) -> str:
    if not ruling.register_number:
        return ""
    day = f", registered on {date_format(ruling.registered_on, 'j F Y')}" if ruling.registered_on else ""
    return f"Registration number {ruling.register_number}{day}"


def _became(ruling: ReviewDecision) -> str:
    proposer, other = ruling.proposed_by.called, ruling.by.called if ruling.by else "the customer"
    if ruling.is_taken_back:
        return f"proposed and withdrawn by {proposer}"
    if ruling.outcome == DecisionOutcome.DONE:
        return f"by {proposer}" + (f", confirmed by {other}" if ruling.by_id != ruling.proposed_by_id else "")
    became = "not confirmed by" if ruling.outcome == DecisionOutcome.REFUSED else "replaced by"
    return f"proposed by {proposer}, {became} {other}"
