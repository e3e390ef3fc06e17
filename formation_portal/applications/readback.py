"""The active answers of an application as text, for the check page, the PDF, the JSON record and the reviewers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from formation_portal.contract import canonical
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.fields.iso_codes import country_name
from formation_portal.contract.fields.parsing import is_blank
from formation_portal.contract.localisation import format_number
from formation_portal.contract.rules import Question
from formation_portal.contract.schema import Section
from formation_portal.contract.validation import Answers

from .draft import Draft
from .models import Application, Document
from .parties import PartyRow, ShareClassRow

_ADDRESS = ("street1", "street2", "city", "region", "postcode")


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """One question with its answer as text; what cannot be parsed is shown as typed. An empty value means no answer."""

    section: Section
    spec: FieldSpec
    value: str
    is_unreadable: bool = False
    is_given: bool = False
    # How an ambiguous answer was understood.
    doubt: str = ""

    @property
    def is_name(self) -> bool:
        """Whether the answer is drawn in the type of names."""
        return canonical.is_set_as_name(self.spec.canonical_field)


@dataclass(frozen=True, slots=True)
class SectionReadback:
    """One section about the entity."""

    section: Section
    lines: tuple[AnswerLine, ...]


@dataclass(frozen=True, slots=True)
class PartyReadback:
    """One party: its roles in words, and its answers."""

    party: PartyRow
    roles: tuple[str, ...]
    lines: tuple[AnswerLine, ...]


@dataclass(frozen=True, slots=True)
class ShareClassReadback:
    """One class of shares."""

    share_class: ShareClassRow
    lines: tuple[AnswerLine, ...]


@dataclass(frozen=True, slots=True)
class ShareTable:
    """Holdings: a row for each shareholder, a cell for each class, and the totals."""

    classes: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]
    totals: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """One document slot that is active: whose it is, and the upload if there is one."""

    party: PartyRow | None
    slot: str
    is_required: bool
    document: Document | None


@dataclass(frozen=True, slots=True)
class Readback:
    """The whole application."""

    sections: tuple[SectionReadback, ...]
    parties: tuple[PartyReadback, ...]
    share_classes: tuple[ShareClassReadback, ...]
    shares: ShareTable | None
    documents: tuple[DocumentLine, ...]


def readback(draft: Draft) -> Readback:
    """Read the whole draft back. No query."""
    state, share_section = draft.form_state, draft.schema.share_section
    entity = [
        SectionReadback(section, _lines(draft, state.questions(section), draft.record.answers, draft.entity_raw))
        for section in draft.schema.entity_sections
        if state.section_activation(section).active
    ]
    parties = [
        PartyReadback(
            row,
            roles=tuple(canonical.role_word(role) for role in state.active_roles(row.record)),
            lines=_lines(draft, state.party_questions(row.record), row.record.answers, row.raw),
        )
        for row in draft.parties
    ]
    share_classes = [
        ShareClassReadback(row, _lines(draft, state.questions(share_section, row.record), row.record.answers, row.raw))
        for row in draft.share_classes
        if share_section is not None and draft.holds_shares
    ]
    documents = [
        DocumentLine(row, slot.name, slot.required, uploaded.get(slot.name))
        for row in (None, *draft.parties)
        for uploaded in (draft.documents_of(row),)
        for slot in state.slots(row.record if row else None)
    ]
    return Readback(
        sections=tuple(one for one in entity if one.lines),
        parties=tuple(parties),
        share_classes=tuple(share_classes),
        shares=_share_table(draft) if draft.holds_shares and draft.share_classes else None,
        documents=tuple(documents),
    )


def _lines(
    draft: Draft, questions: Iterable[Question], answers: Answers, raw: Mapping[str, Any]
) -> tuple[AnswerLine, ...]:
    return tuple(
        answer_line(draft, question, answers=answers, raw=raw)
        for question in questions
        if question.activation.active and draft.schema.why_unanswerable(question.spec) is None
    )


def answer_line(draft: Draft, question: Question, *, answers: Answers, raw: Mapping[str, Any]) -> AnswerLine:
    """One question with its answer as text, active or not."""
    spec = question.spec
    if spec.provided_by_agent:
        parts = draft.schema.agent_address
        lines = [parts[part] for part in _ADDRESS if parts.get(part)]
        lines += [country_name(parts["country"])] if parts.get("country") else []
        return AnswerLine(question.section, spec, ", ".join(lines), is_given=True)
    if spec.name in answers.values:
        value = answers.values[spec.name]
        if spec.refers_to_share_class:
            share_class = draft.share_class(value)
            text = share_class.label if share_class else ""
        else:
            text = spec.display(value)
        return AnswerLine(question.section, spec, text, doubt=spec.ambiguity_note(raw.get(spec.name)))
    if spec.name in answers.problems:
        typed = spec.localised(raw.get(spec.name))
        if isinstance(typed, Mapping):
            text = " ".join(str(part) for part in typed.values() if not is_blank(part))
        else:
            text = ", ".join(str(part) for part in typed) if isinstance(typed, list) else str(typed or "")
        return AnswerLine(question.section, spec, text, is_unreadable=True)
    return AnswerLine(question.section, spec, "")


def _share_table(draft: Draft) -> ShareTable:
    holders = [row for row in draft.parties if draft.is_shareholder(row)]
    tokens = [row.token for row in draft.share_classes]
    held = {pair: holding.shares or 0 for pair, holding in draft.holdings.items()}
    cells = [(row.label, [held.get((row.token, token), 0) for token in tokens]) for row in holders]
    totals = [sum(row[place] for _, row in cells) for place in range(len(tokens))]
    return ShareTable(
        classes=tuple(row.label for row in draft.share_classes),
        rows=tuple((label, tuple(map(format_number, row))) for label, row in cells),
        totals=tuple(map(format_number, totals)),
    )


def entity_name(application: Application) -> str:
    """The name that its customer chose first, as typed, with its ending; empty before that.

    One query, or none where prefetched.
    """
    raw: dict[str, object] = {}
    for row in application.section_answers.all():
        raw |= row.raw
    return canonical.entity_name(raw)
