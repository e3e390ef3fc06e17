"""Inactive answers as text: entered, but not asked at present. They are kept, and sent once they are asked again."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from formation_portal.contract import canonical
from formation_portal.contract.inactive_answers import inactive_questions, is_inactive, shares_are_inactive
from formation_portal.contract.rules import Activation
from formation_portal.contract.schema import ENTITY

from .draft import Draft
from .models import Document
from .parties import PartyRow, ShareClassRow
from .readback import AnswerLine, answer_line


@dataclass(frozen=True, slots=True)
class InactiveAnswer:
    """One answer: whose it is (None: the entity's), its line, and the rule that makes it inactive."""

    holder: PartyRow | ShareClassRow | None
    line: AnswerLine
    activation: Activation


@dataclass(frozen=True, slots=True)
class InactiveParty:
    """A party none of whose roles is active, with the roles and their rules."""

    party: PartyRow
    roles: tuple[str, ...]
    activations: tuple[Activation, ...]


@dataclass(frozen=True, slots=True)
class InactiveShareClass:
    """A share class, where the share section is inactive."""

    share_class: ShareClassRow
    activation: Activation


@dataclass(frozen=True, slots=True)
class InactiveDocument:
    """A document in a slot that only inactive sections have."""

    holder: PartyRow | None
    document: Document
    activation: Activation


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
        activations = (
            *(activation for party in self.parties for activation in party.activations),
            *(one.activation for one in self.answers),
            *(one.activation for one in self.share_classes),
            *(one.activation for one in self.documents),
        )
        named = dict.fromkeys(activation.decided_by for activation in activations if activation.decided_by)
        inactive = {one.line.spec.label for one in self.answers}
        return tuple(label for label in named if label not in inactive) or tuple(named)


def inactive_in(draft: Draft) -> InactiveAnswers:
    """What the draft keeps without sending it. No query."""
    state, schema = draft.form_state, draft.schema
    parties: list[InactiveParty] = []
    active: list[PartyRow] = []
    for row in draft.parties:
        if is_inactive(state, row.record):
            sections = schema.sections_of(row.roles)
            roles = tuple(canonical.role_word(section.role or "") for section in sections)
            parties.append(InactiveParty(row, roles, tuple(dict.fromkeys(map(state.section_activation, sections)))))
        else:
            active.append(row)
    share_classes: list[InactiveShareClass] = []
    if schema.share_section is not None and shares_are_inactive(state):
        rule = state.section_activation(schema.share_section)
        share_classes += (InactiveShareClass(row, rule) for row in draft.share_classes)
    answers, documents = tuple(_answers(draft, active)), tuple(_documents(draft, active))
    return InactiveAnswers(answers, tuple(parties), tuple(share_classes), documents)


def _answers(draft: Draft, parties: Sequence[PartyRow]) -> Iterator[InactiveAnswer]:
    for asked in inactive_questions(draft.form_state, None):
        line = answer_line(draft, asked, answers=draft.record.answers, raw=draft.entity_raw)
        yield InactiveAnswer(None, line, asked.activation)
    classes = () if shares_are_inactive(draft.form_state) else draft.share_classes
    holders: tuple[PartyRow | ShareClassRow, ...] = (*parties, *classes)
    for row in holders:
        for asked in inactive_questions(draft.form_state, row.record):
            line = answer_line(draft, asked, answers=row.record.answers, raw=row.raw)
            yield InactiveAnswer(row, line, asked.activation)


def _documents(draft: Draft, parties: Sequence[PartyRow]) -> Iterator[InactiveDocument]:
    for row in (None, *parties):
        sections = draft.schema.sections_of(row.roles) if row else draft.schema.entity_sections
        rules = {
            slot.name: rule
            for section in sections
            if not (rule := draft.form_state.section_activation(section)).active
            for slot in section.slots(row.kind if row else ENTITY)
        }
        active = {slot.name for slot in draft.form_state.slots(row.record if row else None)}
        for name, document in draft.documents_of(row).items():
            if name in rules and name not in active:
                yield InactiveDocument(row, document, rules[name])
