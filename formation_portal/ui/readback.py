"""Answers read back in words, and those that are inactive: kept, not sent, and why."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from formation_portal.applications.draft import Draft
from formation_portal.applications.inactive_answers import InactiveAnswers
from formation_portal.applications.models import Holding
from formation_portal.applications.parties import PartyRow, ShareClassRow
from formation_portal.contract.fields.base import Choice, FieldSpec
from formation_portal.contract.fields.number_format import localised
from formation_portal.contract.fields.values import AnswerError
from formation_portal.contract.localisation import format_number, gettext, in_quotes, join_list
from formation_portal.contract.rules import Activation

from .formats import counted


def answer_in_words(spec: FieldSpec, typed: Any, share_classes: Iterable[Choice] = ()) -> str:
    """What was typed as it is read back; where it cannot be read, as it was typed."""
    try:
        value = spec.clean(typed)
    except AnswerError:
        return _plain(spec.localised(typed))
    if value is None:
        return ""
    if spec.refers_to_share_class:
        return next((one.label for one in share_classes if one.value == value), _plain(typed))
    return spec.display(value)


def _plain(typed: Any) -> str:
    if isinstance(typed, Mapping):
        return " ".join(str(part) for part in typed.values() if part)
    if isinstance(typed, list):
        return ", ".join(map(str, typed))
    return str(typed)


def share_class_choices(draft: Draft) -> tuple[Choice, ...]:
    """The classes defined so far, for questions that refer to one."""
    return tuple(Choice(row.token, row.label) for row in draft.share_classes)


def number_of_shares(holding: Holding) -> str:
    """10,000; where the number cannot be read, as it was typed."""
    return localised(str(holding.typed)) if holding.shares is None else format_number(holding.shares)


# More than these and their names would be a riddle.
_NAMED_AT_MOST = 3


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One answer as ui/summary_row.html draws it."""

    term: str
    value: str
    is_name: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class InactiveEntry:
    """The entry: how much it is, how it comes back, and every single thing."""

    counts: str
    how_restored: str
    rows: tuple[AnswerRow, ...]


def inactive_entry(aside: InactiveAnswers) -> InactiveEntry:
    """The entry in words; without rows where nothing is set aside."""
    return InactiveEntry(_counts(aside), _how_restored(aside), tuple(_rows(aside)))


def _counts(aside: InactiveAnswers) -> str:
    kinds = [one.party.kind for one in aside.parties]
    words = (
        counted(len(aside.answers), "{count} answer", "{count} answers"),
        counted(kinds.count("person"), "{count} person", "{count} people"),
        counted(kinds.count("corporate"), "{count} company", "{count} companies"),
        counted(kinds.count("foundation"), "{count} foundation", "{count} foundations"),
        counted(len(aside.share_classes), "{count} share class", "{count} share classes"),
        counted(len(aside.documents), "{count} document", "{count} documents"),
    )
    return ", ".join(word for word in words if word)


def _how_restored(aside: InactiveAnswers) -> str:
    several = sum(map(len, (aside.answers, aside.parties, aside.share_classes, aside.documents))) > 1
    named = aside.deciding
    if not named or len(named) > _NAMED_AT_MOST:
        if several:
            return gettext("We restore them if you need them again.")
        return gettext("We restore it if you need it again.")
    questions = join_list([in_quotes(label) for label in named], "or")
    if several:
        return gettext("We restore them if you change {questions} back.", questions=questions)
    return gettext("We restore it if you change {questions} back.", questions=questions)


def _rows(aside: InactiveAnswers) -> Iterator[AnswerRow]:
    for one in aside.parties:
        roles = ", ".join(one.roles)
        yield AnswerRow(one.party.label, roles[:1].upper() + roles[1:], note=_reasons(one.activations))
    for answer in aside.answers:
        yield AnswerRow(
            _of(answer.line.spec.label, answer.holder), answer.line.value, note=_reasons([answer.activation])
        )
    for share in aside.share_classes:
        yield AnswerRow(share.share_class.label, gettext("Share class"), note=_reasons([share.activation]))
    for paper in aside.documents:
        yield AnswerRow(_of(paper.document.slot, paper.holder), paper.document.name, note=_reasons([paper.activation]))


def _of(what: str, holder: PartyRow | ShareClassRow | None) -> str:
    return f"{what}, {holder.label}" if holder else what


def _reasons(verdicts: Sequence[Activation]) -> str:
    return " ".join(f"{verdict.reason}." for verdict in verdicts if verdict.reason)
