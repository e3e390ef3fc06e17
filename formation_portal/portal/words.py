"""Answers read back in words, readable or not."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from formation_portal.applications.models import Holding
from formation_portal.contract.field import Choice, FieldSpec
from formation_portal.contract.language import figure, say
from formation_portal.contract.notation import shown
from formation_portal.contract.problems import AnswerError

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


def in_words(spec: FieldSpec, typed: Any, share_classes: Iterable[Choice] = ()) -> str:
    """What was typed as it is read back; where it cannot be read, as it was typed."""
    try:
        value = spec.clean(typed)
    except AnswerError:
        return _plain(spec.shown(typed))
    if value is None:
        return ""
    if spec.refers_to_share_class:
        return next((one.label for one in share_classes if one.value == value), _plain(typed))
    return spec.display(value)


def number_of_shares(holding: Holding) -> str:
    """10,000; where the number cannot be read, as it was typed."""
    return shown(str(holding.typed)) if holding.shares is None else figure(holding.shares)


def _plain(typed: Any) -> str:
    if isinstance(typed, Mapping):
        return " ".join(str(part) for part in typed.values() if part)
    if isinstance(typed, list):
        return ", ".join(map(str, typed))
    return str(typed)
