"""The answers of an application as text, for the check page, the PDF, the JSON record, the desk and the reviewers.

`readback` has what is asked at present, `inactive_in` what is kept although it isn't.
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
# More questions than these are not named as those that bring inactive answers back.
_MAX_QUESTIONS_NAMED = 3
# More shareholders than these are folded.
_ROWS_AT_ONCE = 50

# Whose answers they are, as the draft has them: labelled and as typed; None is the entity.
DraftHolder = PartyRow | ShareClassRow | None
Subject = TypeVar("Subject", Section, PartyRow, ShareClassRow)


def answer_in_words(spec: FieldSpec, typed: Any, share_classes: Iterable[Choice] = ()) -> str:
    """A typed answer as text; what cannot be parsed is shown as typed."""
    try:
        value = spec.clean(typed)
    except AnswerError:
        return _as_typed(spec.localised(typed))
    if value is None:
        return ""
    if spec.refers_to_share_class:
        return next((one.label for one in share_classes if one.value == value), _as_typed(typed))
    return spec.display(value)


def _as_typed(typed: Any) -> str:
    if isinstance(typed, Mapping):
        return " ".join(str(part) for part in typed.values() if not is_blank(part))
    if isinstance(typed, list):
        return ", ".join(map(str, typed))
    return "" if is_blank(typed) else str(typed)


def number_of_shares(holding: Holding) -> str:
    """10,000; what cannot be parsed is shown as typed."""
    return localised_number(str(holding.typed)) if holding.shares is None else format_number(holding.shares)


@dataclass(frozen=True)
class AnswerLine:
    """One question, active or not, with its answer as text."""

    draft: Draft
    holder: DraftHolder
    question: Question

    @property
    def spec(self) -> FieldSpec:
        return self.question.spec

    @property
    def answers(self) -> Answers:
        """The holder's answers as values."""
        return (self.holder or self.draft).record.answers

    @property
    def typed(self) -> Any:
        """The answer as typed; None where there is none."""
        raw = self.holder.raw if self.holder else self.draft.entity_raw
        return raw.get(self.spec.name)

    @property
    def is_given(self) -> bool:
        """Whether the registered agent provides the answer."""
        return self.spec.provided_by_agent

    @property
    def is_answered(self) -> bool:
        """Whether the customer's answer can be parsed."""
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
        is_asked = not self.is_given and not self.is_answered
        return self.answers.problems.get(self.spec.name) if is_asked else None

    @cached_property
    def objection(self) -> str:
        """Return why the answer cannot be true; empty where nothing speaks against it (supplement, "Bounds")."""
        holder = self.holder.record if self.holder else None
        objection = self.draft.form_state.objection(self.spec.name, holder) if self.is_answered else None
        return objection.message if objection else ""

    @cached_property
    def advice(self) -> str:
        """Return what is worth a second look in the answer; empty for most."""
        holder = self.holder.record if self.holder else None
        return self.draft.form_state.advice(self.spec.name, holder) if self.is_answered else ""

    @property
    def has_to_be_corrected(self) -> bool:
        return self.is_unreadable or bool(self.objection)

    @property
    def is_name(self) -> bool:
        """Whether the answer is drawn in the type of names."""
        return canonical.is_set_as_name(self.spec.canonical_field)

    @property
    def doubt(self) -> str:
        """How an ambiguous answer was understood."""
        return self.spec.ambiguity_note(self.typed) if self.is_answered else ""

    @cached_property
    def value(self) -> str:
        """The answer as text; as typed where it cannot be parsed, empty where there is none."""
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
    """The answers under one heading: a section about the entity, a party or a share class. `note` says what it is."""

    subject: Subject
    lines: tuple[AnswerLine, ...]
    note: str = ""

    @property
    def title(self) -> str:
        """The heading."""
        return self.subject.title if isinstance(self.subject, Section) else self.subject.label

    @property
    def is_name(self) -> bool:
        """Whether the heading is drawn in the type of names."""
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
    """One document slot that is active: whose it is, and the upload if there is one."""

    party: PartyRow | None
    slot: str
    is_required: bool
    document: Document | None
    # What the slot is called.
    words: str = ""


@dataclass(frozen=True)
class Readback:
    """The whole application, as far as it is asked for at present."""

    draft: Draft
    sections: tuple[AnswerGroup[Section], ...]
    parties: tuple[AnswerGroup[PartyRow], ...]
    share_classes: tuple[AnswerGroup[ShareClassRow], ...]
    documents: tuple[DocumentLine, ...]

    @cached_property
    def shares(self) -> ShareTable | None:
        """Who holds what, of all parties; None where no shares are asked for."""
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
            asked = lines(row, state.questions(share_section, row.record))
            share_classes.append(AnswerGroup(row, asked, gettext("Share class")))
    return Readback(
        draft,
        sections=tuple(one for one in sections if one.lines and state.section_activation(one.subject).active),
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
    """Director, shareholder."""
    words = ", ".join(map(canonical.role_word, roles))
    return words[:1].upper() + words[1:]


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


@dataclass(frozen=True, slots=True)
class InactiveRow:
    """An answer, party, share class or document that is not asked at present, with the rules that say so.

    `kind` is the party's, or answer, share_class or document; `holder` is the label of whose it is.
    """

    kind: str
    label: str
    holder: str
    value: str
    activations: tuple[Activation, ...]

    @property
    def term(self) -> str:
        """What it is, and whose."""
        return f"{self.label}, {self.holder}" if self.holder else self.label

    @property
    def note(self) -> str:
        """Why it is not asked."""
        return " ".join(f"{one.reason}." for one in self.activations if one.reason)


@dataclass(frozen=True, slots=True)
class InactiveAnswers:
    """All that was entered and is not asked at present. It is kept, and sent once it is asked again."""

    rows: tuple[InactiveRow, ...]

    @property
    def counts(self) -> str:
        """3 answers, 1 person."""
        kinds = Counter(row.kind for row in self.rows)
        words = (
            (kinds["answer"], ngettext("{count} answer", "{count} answers", kinds["answer"])),
            (kinds["person"], ngettext("{count} person", "{count} people", kinds["person"])),
            (kinds["corporate"], ngettext("{count} company", "{count} companies", kinds["corporate"])),
            (kinds["foundation"], ngettext("{count} foundation", "{count} foundations", kinds["foundation"])),
            (kinds["share_class"], ngettext("{count} share class", "{count} share classes", kinds["share_class"])),
            (kinds["document"], ngettext("{count} document", "{count} documents", kinds["document"])),
        )
        return ", ".join(text for count, text in words if count)

    @property
    def how_restored(self) -> str:
        """The questions that bring it back, without those that are inactive themselves."""
        several = len(self.rows) > 1
        decided_by = dict.fromkeys(one.decided_by for row in self.rows for one in row.activations if one.decided_by)
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
    """What the draft keeps without sending it. No query."""
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
            whose = holder.label if holder else ""
            yield InactiveRow("answer", line.spec.label, whose, line.value, (question.activation,))
    if schema.share_section is not None and not has_classes:
        rule = state.section_activation(schema.share_section)
        for share_class in draft.share_classes:
            yield InactiveRow("share_class", share_class.label, "", gettext("Share class"), (rule,))
    for party in (None, *active):
        why = {
            slot.name: state.section_activation(section)
            for section in (schema.sections_of(party.roles) if party else schema.entity_sections)
            if not state.section_activation(section).active
            for slot in section.slots(party.kind if party else ENTITY)
        }
        asked = {slot.name for slot in state.slots(party.record if party else None)}
        for slot, document in draft.documents_of(party).items():
            if slot in why and slot not in asked:
                yield InactiveRow("document", slot, party.label if party else "", document.name, (why[slot],))


def entity_name(application: Application) -> str:
    """The name that its customer chose first, as typed, with its ending; empty before that.

    One query, or none where prefetched.
    """
    raw: dict[str, object] = {}
    for row in application.section_answers.all():
        raw |= row.raw
    return canonical.entity_name(raw)
