"""Why a customer is asked to mend something, and the words that each reason begins with."""

from dataclasses import dataclass

from formation_portal.reviews.models import QueryReason
from formation_portal.reviews.targets import TargetKind

_WORDS = {
    QueryReason.DIFFERS: "This does not match the document. Correct the answer or upload a document that matches.",
    QueryReason.UNREADABLE: "A page is cut off or unreadable. Upload it again with all four corners visible.",
    QueryReason.OUTDATED: "This document is too old. Upload a newer one.",
    QueryReason.WRONG: "This is not the document we need here. Upload the right one.",
    QueryReason.MISSING: "Something is missing here. Add the missing information.",
    QueryReason.UNCLEAR: "This answer is unclear. Give more detail.",
    QueryReason.OTHER: "",
}
_OF_A_PAPER = (QueryReason.UNREADABLE, QueryReason.OUTDATED, QueryReason.WRONG, QueryReason.DIFFERS, QueryReason.OTHER)
_OF_WORDS = (QueryReason.DIFFERS, QueryReason.UNCLEAR, QueryReason.MISSING, QueryReason.OTHER)

# Where an answer is proposed, and nothing said.
WITH_A_PROPOSAL = "We propose a different answer. Accept it or tell us what is right."


@dataclass(frozen=True, slots=True)
class ReasonRow:
    """One reason that can be chosen, and the text that it fills in."""

    value: str
    label: str
    words: str
    is_chosen: bool


def words_of(reason: str) -> str:
    """The text that a reason begins with; nothing for one that is none."""
    return _WORDS.get(QueryReason(reason), "") if reason in QueryReason.values else ""


def reason_rows(kind: TargetKind, chosen: str) -> tuple[ReasonRow, ...]:
    """The reasons that fit a place of this kind, and the one that is chosen whatever it is."""
    fitting = _OF_A_PAPER if kind is TargetKind.DOCUMENT else _OF_WORDS
    offered = [reason for reason in QueryReason if reason in fitting or reason == chosen]
    return tuple(ReasonRow(one.value, one.label, _WORDS[one], one == chosen) for one in offered)
