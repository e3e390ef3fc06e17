"""The answers of an application as text, for the check page, the PDF, the JSON record, the desk and the reviewers.

`readback` has the questions that are asked at present, `inactive_in` the answers to others.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.utils.translation import gettext

from formation_portal.contract import canonical
from formation_portal.contract.fields.base import Choice, FieldSpec
from formation_portal.contract.fields.iso_codes import country_name
from formation_portal.contract.fields.parsing import is_blank, localised_number
from formation_portal.contract.fields.values import AnswerError, Problem
from formation_portal.contract.inactive_answers import inactive_questions, is_inactive, shares_are_inactive
from formation_portal.contract.localisation import format_number, in_quotes, join_list, ngettext
from formation_portal.contract.record import Answers
from formation_portal.contract.rules import Activation, Question
from formation_portal.contract.schema import ENTITY, Section

from .draft import Draft
from .models import Application, Document, Holding
from .parties import PartyRow, ShareClassRow

_ADDRESS = ("street1", "street2", "city", "region", "postcode")
# More questions than these are not named that would restore inactive answers.
_MAX_QUESTIONS_NAMED = 3
# More shareholders than these are folded.
_ROWS_AT_ONCE = 50

# The holder of answers as the draft has it; None is the entity.
DraftHolder = PartyRow | ShareClassRow | None
Subject = TypeVar("Subject", Section, PartyRow, ShareClassRow)


def answer_in_words(spec: FieldSpec, typed: Any, share_classes: Iterable[Choice] = ()) -> str:
    """Write a typed answer as text; as typed if it cannot be parsed."""
    try:
        value = spec.clean(typed)
    except AnswerError:
        return _as_typed(spec.localised(typed))
    if value is None:
        return ""
    if spec.refers_to_share_class:
        return next((choice.label for choice in share_classes if choice.value == value), _as_typed(typed))
    return spec.display(value)


def _as_typed(typed: Any) -> str:
    if isinstance(typed, Mapping):
        return " ".join(str(part) for part in typed.values() if not is_blank(part))
    if isinstance(typed, list):
        return ", ".join(map(str, typed))
    return "" if is_blank(typed) else str(typed)


def number_of_shares(holding: Holding) -> str:
    """Write a number of shares, like 10,000; as typed if it cannot be parsed."""
    return localised_number(str(holding.typed)) if holding.shares is None else format_number(holding.shares)


@dataclass(frozen=True)
class AnswerLine:
    """A question, active or not, with its answer as text."""

    draft: Draft
    holder: DraftHolder
    question: Question

    @property
    def spec(self) -> FieldSpec:
        return self.question.spec

    @property
    def answers(self) -> Answers:
        """Return the holder's answers as values."""
        return (self.holder or self.draft).record.answers

    @property
    def typed(self) -> Any:
        """Return the answer as typed; None without one."""
        raw = self.holder.raw if self.holder else self.draft.entity_raw
        return raw.get(self.spec.name)

    @property
    def is_given(self) -> bool:
        """Check that the registered agent provides the answer."""
        return self.spec.provided_by_agent

    @property
    def is_answered(self) -> bool:
        """Check that the customer's answer can be parsed."""
        return not self.is_given and self.spec.name in self.answers.values

    @property
    def is_unreadable(self) -> bool:
        """Report that the customer's answer cannot be parsed; one that only lacks a part is incomplete."""
        return self._problem is not None and not self._problem.is_incomplete

    @property
    def is_incomplete(self) -> bool:
        """Report that the customer's answer lacks a part, and nothing in it is wrong."""
        return self._problem is not None and self._problem.is_incomplete

    @property
    def _problem(self) -> Problem | None:
        if self.is_given or self.is_answered:
            return None
        return self.answers.problems.get(self.spec.name)

    @cached_property
    def objection(self) -> str:
        """Return why the answer cannot be true; "" if it can (supplement, "Bounds")."""
        holder = self.holder.record if self.holder else None
        objection = self.draft.form_state.objection(self.spec.name, holder) if self.is_answered else None
        return objection.message if objection else ""

    @cached_property
    def advice(self) -> str:
        """Return why the answer is worth a second look; "" for most."""
        holder = self.holder.record if self.holder else None
        return self.draft.form_state.advice(self.spec.name, holder) if self.is_answered else ""

    @property
    def has_to_be_corrected(self) -> bool:
        return self.is_unreadable or bool(self.objection)

    @property
    def is_name(self) -> bool:
        """Check that the answer is drawn in the type of names."""
        return canonical.is_set_as_name(self.spec.canonical_field)

    @property
    def doubt(self) -> str:
        """Tell how an ambiguous answer was read."""
        return self.spec.ambiguity_note(self.typed) if self.is_answered else ""

    @cached_property
    def value(self) -> str:
        """Return the answer as text; as typed if it cannot be parsed, "" without one."""
        spec = self.spec
        if self.is_given:
            parts = self.draft.schema.agent_address
            lines = [parts[part] for part in _ADDRESS if parts.get(part)]
            return ", ".join([*lines, country_name(parts["country"])] if parts.get("country") else lines)
        if self._problem is not None:
            return _as_typed(spec.localised(self.typed))
        if not self.is_answered:
            return ""
        value = self.answers.values[spec.name]
        if spec.refers_to_share_class:
            share_class = self.draft.share_class(value)
            return share_class.label if share_class else ""
        return spec.display(value)


@dataclass(frozen=True, slots=True)
class AnswerGroup(Generic[Subject]):
    """The answers under a heading: of a section about the entity, a party or a share class. `note` stands below it."""

    subject: Subject
    lines: tuple[AnswerLine, ...]
    note: str = ""

    @property
    def title(self) -> str:
        return self.subject.title if isinstance(self.subject, Section) else self.subject.label

    @property
    def is_name(self) -> bool:
        """Check that the heading is drawn in the type of names."""
        return not isinstance(self.subject, Section)


LabelledRow = tuple[str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True, slots=True)
class ShareTable:
    """Holdings: a row for each shareholder, a cell for each class, and the totals."""

    classes: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]
    totals: tuple[str, ...]

    @property
    def first_rows(self) -> list[LabelledRow]:
        """The rows that are shown at once, each cell with the name of its class."""
        return self._labelled(self.rows[:_ROWS_AT_ONCE])

    @property
    def other_rows(self) -> list[LabelledRow]:
        """The rows that are folded."""
        return self._labelled(self.rows[_ROWS_AT_ONCE:])

    def _labelled(self, rows: Iterable[tuple[str, tuple[str, ...]]]) -> list[LabelledRow]:
        return [(holder, tuple(zip(self.classes, cells, strict=True))) for holder, cells in rows]

    @property
    def labelled_totals(self) -> Iterator[tuple[str, str]]:
        return zip(self.classes, self.totals, strict=True)


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """An active document slot: the party, None for the entity, and the upload if there is one."""

    party: PartyRow | None
    slot: str
    is_required: bool
    document: Document | None
    # The words for the slot.
    words: str = ""


@dataclass(frozen=True)
class Readback:
    """The parts of an application that are asked for at present."""

    draft: Draft
    sections: tuple[AnswerGroup[Section], ...]
    parties: tuple[AnswerGroup[PartyRow], ...]
    share_classes: tuple[AnswerGroup[ShareClassRow], ...]
    documents: tuple[DocumentLine, ...]

    @cached_property
    def shares(self) -> ShareTable | None:
        """Return the holdings of all parties; None if no shares are asked for."""
        return _share_table(self.draft) if self.draft.holds_shares and self.draft.share_classes else None


def readback(draft: Draft, *, only: Collection[str] | None = None) -> Readback:
    """Read the whole draft back, or of the parties only those of these tokens, with their documents.

    No query, but for what was not read yet: of `only` these parties and their documents are.
    """
    state, share_section = draft.form_state, draft.schema.share_section
    parties = draft.parties if only is None else draft.parties_of(only)

    def lines(holder: DraftHolder, questions: Iterable[Question]) -> tuple[AnswerLine, ...]:
        return tuple(
            AnswerLine(draft, holder, question)
            for question in questions
            if question.activation.active and draft.schema.why_unanswerable(question.spec) is None
        )

    sections = (AnswerGroup(section, lines(None, state.questions(section))) for section in draft.schema.entity_sections)
    share_classes: list[AnswerGroup[ShareClassRow]] = []
    if share_section is not None and draft.holds_shares:
        for row in draft.share_classes:
            of_class = lines(row, state.questions(share_section, row.record))
            share_classes.append(AnswerGroup(row, of_class, gettext("Share class")))
    return Readback(
        draft,
        sections=tuple(group for group in sections if group.lines and state.section_activation(group.subject).active),
        parties=tuple(
            AnswerGroup(row, lines(row, state.party_questions(row.record)), _words(state.active_roles(row.record)))
            for row in parties
        ),
        share_classes=tuple(share_classes),
        documents=tuple(
            DocumentLine(row, slot.name, slot.required, uploaded.get(slot.name), slot.words)
            for row in (None, *parties)
            for uploaded in (draft.documents_of(row),)
            for slot in state.slots(row.record if row else None)
        ),
    )


def _words(roles: Iterable[str]) -> str:
    """Write roles, like "Director, shareholder"."""
    text = ", ".join(map(canonical.role_word, roles))
    return text[:1].upper() + text[1:]


def _share_table(draft: Draft) -> ShareTable:
    holders = [row for row in draft.parties if draft.is_shareholder(row)]
    tokens = [row.token for row in draft.share_classes]
    shares = {pair: holding.shares or 0 for pair, holding in draft.holdings.items()}
    cells = [(row.label, [shares.get((row.token, token), 0) for token in tokens]) for row in holders]
    totals = [sum(row[place] for _, row in cells) for place in range(len(tokens))]
    return ShareTable(
        classes=tuple(row.label for row in draft.share_classes),
        rows=tuple((label, tuple(map(format_number, row))) for label, row in cells),
        totals=tuple(map(format_number, totals)),
    )


@dataclass(frozen=True, slots=True)
class InactiveRow:
    """An answer, party, share class or document that is not asked at present, with the rules that decide it.

    `kind` is the party's, or answer, share_class or document; `holder` is the label of its holder.
    """

    kind: str
    label: str
    holder: str
    value: str
    activations: tuple[Activation, ...]

    @property
    def term(self) -> str:
        """Return its label and that of its holder."""
        return f"{self.label}, {self.holder}" if self.holder else self.label

    @property
    def note(self) -> str:
        """Tell why it is not asked."""
        return " ".join(f"{activation.reason}." for activation in self.activations if activation.reason)


@dataclass(frozen=True, slots=True)
class InactiveAnswers:
    """The entered answers that are not asked at present. They are kept, and sent once they are asked again."""

    rows: tuple[InactiveRow, ...]

    @property
    def counts(self) -> str:
        """Count the rows by kind, like "3 answers, 1 person"."""
        kinds = Counter(row.kind for row in self.rows)
        counts = (
            (kinds["answer"], ngettext("{count} answer", "{count} answers", kinds["answer"])),
            (kinds["person"], ngettext("{count} person", "{count} people", kinds["person"])),
            (kinds["corporate"], ngettext("{count} company", "{count} companies", kinds["corporate"])),
            (kinds["foundation"], ngettext("{count} foundation", "{count} foundations", kinds["foundation"])),
            (kinds["share_class"], ngettext("{count} share class", "{count} share classes", kinds["share_class"])),
            (kinds["document"], ngettext("{count} document", "{count} documents", kinds["document"])),
        )
        return ", ".join(text for count, text in counts if count)

    @property
    def how_restored(self) -> str:
        """Name the questions that restore the answers, without those that are inactive themselves."""
        several = len(self.rows) > 1
        activations = [activation for row in self.rows for activation in row.activations]
        decided_by = dict.fromkeys(activation.decided_by for activation in activations if activation.decided_by)
        inactive = {row.label for row in self.rows if row.kind == "answer"}
        named = [label for label in decided_by if label not in inactive] or list(decided_by)
        if not named or len(named) > _MAX_QUESTIONS_NAMED:
            if several:
                return gettext("We restore them if you need them again.")
            return gettext("We restore it if you need it again.")
        questions = join_list([in_quotes(label) for label in named], "or")
        if several:
            return gettext("We restore them if you change {questions} back.").format(questions=questions)
        return gettext("We restore it if you change {questions} back.").format(questions=questions)


def inactive_in(draft: Draft) -> InactiveAnswers:
    """Return the answers that the draft keeps without sending them. No query."""
    return InactiveAnswers(tuple(_inactive_rows(draft)))


def _inactive_rows(draft: Draft) -> Iterator[InactiveRow]:
    state, schema = draft.form_state, draft.schema
    active = []
    for row in draft.parties:
        if is_inactive(state, row.record):
            sections = schema.sections_of(row.roles)
            rules = tuple(dict.fromkeys(map(state.section_activation, sections)))
            yield InactiveRow(row.kind, row.label, "", _words(section.role or "" for section in sections), rules)
        else:
            active.append(row)
    has_classes = not shares_are_inactive(state)
    for holder in (None, *active, *(draft.share_classes if has_classes else ())):
        for question in inactive_questions(state, holder.record if holder else None):
            line = AnswerLine(draft, holder, question)
            holder_label = holder.label if holder else ""
            yield InactiveRow("answer", line.spec.label, holder_label, line.value, (question.activation,))
    if schema.share_section is not None and not has_classes:
        rule = state.section_activation(schema.share_section)
        for share_class in draft.share_classes:
            yield InactiveRow("share_class", share_class.label, "", gettext("Share class"), (rule,))
    for party in (None, *active):
        inactive_slots: dict[str, Activation] = {}
        for section in schema.sections_of(party.roles) if party else schema.entity_sections:
            activation = state.section_activation(section)
            if not activation.active:
                slots = section.slots(party.kind if party else ENTITY)
                inactive_slots |= dict.fromkeys((slot.name for slot in slots), activation)
        active_slots = {slot.name for slot in state.slots(party.record if party else None)}
        for slot, document in draft.documents_of(party).items():
            if slot in inactive_slots and slot not in active_slots:
                label = party.label if party else ""
                yield InactiveRow("document", slot, label, document.name, (inactive_slots[slot],))


def entity_name(application: Application) -> str:
    """Return the entity's name as typed, with its ending; "" before there is one. One query, or none if prefetched."""
    raw: dict[str, object] = {}
    for row in application.section_answers.all():
        raw |= row.raw
    return canonical.entity_name(raw)
