"""Answers read back in words, readable or not."""

from dataclasses import dataclass

from formation_portal.contract.language import say

from .read_back import in_words
from .sheet import Sheet


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One answer as components/summary_row.html draws it."""

    term: str
    value: str
    is_name: bool
    note: str


def answer_rows(sheet: Sheet) -> tuple[AnswerRow, ...]:
    """The shown questions of a sheet with their answers."""
    return tuple(
        AnswerRow(
            term=question.label,
            value="\n".join(question.given) or in_words(question.spec, question.typed, sheet.share_classes),
            is_name=question.is_name,
            note=say("Provided by your registered agent") if question.given else question.doubt,
        )
        for region in sheet.regions
        if region.shown
        for question in region.questions
        if not question.unanswerable
    )
