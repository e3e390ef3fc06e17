"""Inactive answers as text: entered, but not asked at present. They are kept, and sent once they are asked again."""

from collections.abc import Iterator
from dataclasses import dataclass

from formation_portal.contract import canonical
from formation_portal.contract.parking import is_parked, parked_questions, shares_are_parked
from formation_portal.contract.rules import Verdict
from formation_portal.contract.schema import ENTITY, Section

from .draft import Draft
from .models import Document
from .parties import PartyRow, ShareClassRow
from .readback import AnswerLine, answer_line


@dataclass(frozen=True, slots=True)
class InactiveAnswer:
    """One answer: whose it is (None: the entity's), its line, and the rule that makes it inactive."""

    holder: PartyRow | ShareClassRow | None
    line: AnswerLine
    activation: Verdict


@dataclass(frozen=True, slots=True)
class InactiveParty:
    """A party none of whose roles is active, with the roles and their rules."""

    party: PartyRow
    roles: tuple[str, ...]
    activations: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class InactiveShareClass:
    """A share class, where the share section is inactive."""

    share_class: ShareClassRow
    activation: Verdict


@dataclass(frozen=True, slots=True)
class InactiveDocument:
    """A document in a slot that only inactive sections have."""

    holder: PartyRow | None
    document: Document
    activation: Verdict


@dataclass(frozen=True, slots=True)
class InactiveAnswers:
    """Everything that is inactive."""

    answers: tuple[InactiveAnswer, ...]
    parties: tuple[InactiveParty, ...]
    share_classes: tuple[InactiveShareClass, ...]
    documents: tuple[InactiveDocument, ...]

    def __bool__(self) -> bool:
        return bool(self.answers or self.parties or self.share_classes or self.documents)

    @property
    def deciding(self) -> tuple[str, ...]:
        """The labels of the questions that decide, each once, without those that are inactive themselves."""
        verdicts = (
            *(verdict for party in self.parties for verdict in party.activations),
            *(one.activation for one in self.answers),
            *(one.activation for one in self.share_classes),
            *(one.activation for one in self.documents),
        )
        named = dict.fromkeys(verdict.named for verdict in verdicts if verdict.named)
        aside = {one.line.spec.label for one in self.answers}
        return tuple(label for label in named if label not in aside) or tuple(named)


def inactive_in(draft: Draft) -> InactiveAnswers:
    """What the draft keeps without sending it. No query."""
    parties = tuple(_parties(draft))
    tokens = {one.party.token for one in parties}
    kept = tuple(row for row in draft.parties if row.token not in tokens)
    return InactiveAnswers(
        tuple(_answers(draft, kept)), parties, tuple(_share_classes(draft)), tuple(_documents(draft, kept))
    )


def _answers(draft: Draft, parties: tuple[PartyRow, ...]) -> Iterator[InactiveAnswer]:
    for asked in parked_questions(draft.form_state, None):
        line = answer_line(draft, asked, answers=draft.record.answers, raw=draft.entity_raw)
        yield InactiveAnswer(None, line, asked.verdict)
    classes = () if shares_are_parked(draft.form_state) else draft.share_classes
    holders: tuple[PartyRow | ShareClassRow, ...] = (*parties, *classes)
    for row in holders:
        for asked in parked_questions(draft.form_state, row.record):
            line = answer_line(draft, asked, answers=row.record.answers, raw=row.raw)
            yield InactiveAnswer(row, line, asked.verdict)


def _parties(draft: Draft) -> Iterator[InactiveParty]:
    for row in draft.parties:
        if is_parked(draft.form_state, row.record):
            sections = draft.schema.sections_of(row.roles)
            verdicts = dict.fromkeys(draft.form_state.section(section) for section in sections)
            roles = tuple(canonical.role_word(section.role or "") for section in sections)
            yield InactiveParty(row, roles, tuple(verdicts))


def _share_classes(draft: Draft) -> Iterator[InactiveShareClass]:
    section = draft.schema.share_section
    if section is not None and shares_are_parked(draft.form_state):
        yield from (InactiveShareClass(row, draft.form_state.section(section)) for row in draft.share_classes)


def _documents(draft: Draft, parties: tuple[PartyRow, ...]) -> Iterator[InactiveDocument]:
    for row in (None, *parties):
        asked = {slot.name for slot in draft.form_state.slots(row.record if row else None)}
        closed = dict(_inactive_slots(draft, row))
        for name, document in draft.documents_of(row).items():
            if name in closed and name not in asked:
                yield InactiveDocument(row, document, closed[name])


def _inactive_slots(draft: Draft, row: PartyRow | None) -> Iterator[tuple[str, Verdict]]:
    sections: tuple[Section, ...] = draft.schema.sections_of(row.roles) if row else draft.schema.entity_sections
    for section in sections:
        verdict = draft.form_state.section(section)
        if not verdict.active:
            yield from ((slot.name, verdict) for slot in section.slots(row.kind if row else ENTITY))
