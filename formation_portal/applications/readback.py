"""An application's answers as text: `readback` has those asked for at present, `inactive_in` the others."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.utils import translation
from django.utils.translation import gettext

from formation_portal.contract import canonical
from formation_portal.contract.fields.base import Choice, FieldSpec
from formation_portal.contract.fields.iso_codes import country_name
from formation_portal.contract.fields.parsing import is_blank, localised_number
from formation_portal.contract.fields.values import AnswerError
from formation_portal.contract.inactive_answers import inactive_questions, is_inactive, shares_are_inactive
from formation_portal.contract.localisation import format_number, in_quotes, join_list, ngettext
from formation_portal.contract.record import Answers
from formation_portal.contract.rules import Activation, Question
from formation_portal.contract.schema import ENTITY, Section
from formation_portal.contract.validations import ERROR
from formation_portal.mail.typed_text import text_in_email

from .draft import Draft
from .models import Application, Document, Holding
from .parties import PartyRow, ShareClassRow

_ADDRESS = ("street1", "street2", "city", "region", "postcode")
# If more questions than this would restore inactive answers, none is named.
_MAX_QUESTIONS_NAMED = 3
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
        return dict(share_classes).get(value, _as_typed(typed))
    return spec.display(value)


def _as_typed(typed: Any) -> str:
    if is_blank(typed):
        return ""
    if isinstance(typed, Mapping):
        return " ".join(str(part) for part in typed.values() if not is_blank(part))
    if isinstance(typed, list):
        return ", ".join(map(str, typed))
    return str(typed)


def number_of_shares(holding: Holding) -> str:
    """Write a number of shares, like 10,000; as typed if it cannot be parsed."""
    return localised_number(str(holding.typed)) if holding.shares is None else format_number(holding.shares)


class AnswerLine:
    """A question, active or not, with its answer as text. An incomplete answer lacks a part."""

    def __init__(self, draft: Draft, holder: DraftHolder, question: Question) -> None:
        spec = question.spec
        raw = holder.raw if holder else draft.entity_raw
        self.spec = spec
        self.typed = raw.get(spec.name)
        self._draft = draft
        self._answering = holder.record if holder else None
        answers = Answers() if spec.provided_by_agent else (holder or draft).record.answers
        self.answer = answers.values.get(spec.name)
        self._problem = answers.problems.get(spec.name)
        self.is_unreadable = self._problem is not None and not self._problem.is_incomplete
        self.is_incomplete = self._problem is not None and self._problem.is_incomplete

    @cached_property
    def objection(self) -> str:
        """Return why the answer cannot be true; "" if it can (INTERFACE.md, "Bounds" and "Validations")."""
        state = self._draft.form_state
        objection = state.objection(self.spec.name, self._answering)
        if objection is not None:
            return objection.message
        return "" if self._answering else state.validations.messages_at_fields(ERROR).get(self.spec.name, "")

    @cached_property
    def advice(self) -> str:
        """Return why the answer is worth a second look; "" for most."""
        if self._answering:
            return self._draft.form_state.advice(self.spec.name, self._answering)
        return self._draft.entity_advice.get(self.spec.name, "")

    @property
    def is_name(self) -> bool:
        return canonical.is_set_as_name(self.spec.canonical_field)

    @property
    def doubt(self) -> str:
        """Tell how an ambiguous answer was read; "" for any other answer."""
        return self.spec.ambiguity_note(self.typed) if self.answer is not None else ""

    @cached_property
    def value(self) -> str:
        """Return the answer as text; as typed if it cannot be parsed, "" if missing."""
        if self.spec.provided_by_agent:
            parts = self._draft.schema.agent_address
            lines = [parts[part] for part in _ADDRESS if parts.get(part)]
            if parts.get("country"):
                lines.append(country_name(parts["country"]))
            return ", ".join(lines)
        if self._problem is not None:
            return _as_typed(self.spec.localised(self.typed))
        if self.answer is None:
            return ""
        if self.spec.refers_to_share_class:
            return self._draft.labels[self.answer]
        return self.spec.display(self.answer)


@dataclass(frozen=True, slots=True)
class AnswerGroup(Generic[Subject]):
    """The answers under one heading: those of an entity section, a party or a share class."""

    subject: Subject
    title: str
    lines: tuple[AnswerLine, ...]
    note: str = ""
    is_name: bool = True


# The cells of a row: the name of a share class and a text in each.
LabelledCells = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ShareTable:
    """The holdings: a row for each shareholder, a cell for each class. Rows after _ROWS_AT_ONCE are `folded`."""

    classes: tuple[str, ...]
    rows: tuple[tuple[str, LabelledCells], ...]
    folded: tuple[tuple[str, LabelledCells], ...]
    totals: LabelledCells


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """An active document slot, with the upload if there is one. `party` is None for the entity."""

    party: PartyRow | None
    slot: str
    is_required: bool
    document: Document | None
    # The slot's label.
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
        """Return the holdings of all shareholders; None if no shares are asked for, or there is no share class."""
        draft = self.draft
        if not draft.holds_shares or not draft.share_classes:
            return None
        names = [row.label for row in draft.share_classes]
        totals = Counter[str]()
        rows = []
        for holder in draft.parties:
            if not draft.is_shareholder(holder):
                continue
            cells = []
            for row in draft.share_classes:
                holding = draft.holdings.get((holder.token, row.token))
                number = (holding and holding.shares) or 0
                totals[row.token] += number
                cells.append((row.label, format_number(number)))
            rows.append((holder.label, tuple(cells)))
        total_cells = tuple((row.label, format_number(totals[row.token])) for row in draft.share_classes)
        return ShareTable(tuple(names), tuple(rows[:_ROWS_AT_ONCE]), tuple(rows[_ROWS_AT_ONCE:]), total_cells)


def readback(draft: Draft, *, only: Collection[str] | None = None) -> Readback:
    """Return the draft as text. `only` limits the parties, with their documents, to these tokens."""
    state = draft.form_state
    sections = []
    for section in draft.schema.entity_sections:
        lines = _active_lines(draft, None, state.questions(section))
        if lines and state.section_activation(section).active:
            sections.append(AnswerGroup(section, section.title, lines, is_name=False))
    share_section = draft.schema.share_section
    share_classes = []
    if share_section is not None and draft.holds_shares:
        for row in draft.share_classes:
            lines = _active_lines(draft, row, state.questions(share_section, row.record))
            share_classes.append(AnswerGroup(row, row.label, lines, gettext("Share class")))
    parties = []
    documents = _document_lines(draft, None)
    for party in draft.parties if only is None else draft.parties_of(only):
        lines = _active_lines(draft, party, state.party_questions(party.record))
        parties.append(AnswerGroup(party, party.label, lines, canonical.list_roles(state.active_roles(party.record))))
        documents += _document_lines(draft, party)
    return Readback(draft, tuple(sections), tuple(parties), tuple(share_classes), tuple(documents))


def _active_lines(draft: Draft, holder: DraftHolder, questions: Iterable[Question]) -> tuple[AnswerLine, ...]:
    return tuple(
        AnswerLine(draft, holder, question)
        for question in questions
        if question.activation.active and draft.schema.why_unanswerable(question.spec) is None
    )


def _document_lines(draft: Draft, party: PartyRow | None) -> list[DocumentLine]:
    uploads = draft.documents_of(party)
    slots = draft.slots_of(party)
    return [DocumentLine(party, slot.name, slot.required, uploads.get(slot.name), slot.words) for slot in slots]


@dataclass(frozen=True, slots=True)
class InactiveRow:
    """An answer, party, share class or document that is inactive at present, with the rules that decide this."""

    kind: str
    label: str
    holder: str
    value: str
    activations: tuple[Activation, ...]

    @property
    def term(self) -> str:
        return f"{self.label}, {self.holder}" if self.holder else self.label

    @property
    def note(self) -> str:
        return " ".join(f"{activation.reason}." for activation in self.activations if activation.reason)


@dataclass(frozen=True, slots=True)
class InactiveAnswers:
    """The entered answers that are inactive at present: they are kept, and sent once they are active again."""

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
        """Tell which questions to change back so that the rows are restored; name none if they are too many."""
        several = len(self.rows) > 1
        activations = [activation for row in self.rows for activation in row.activations]
        decided_by = dict.fromkeys(activation.decided_by for activation in activations if activation.decided_by)
        inactive = {row.label for row in self.rows if row.kind == "answer"}
        named = [label for label in decided_by if label not in inactive] or list(decided_by)
        if not named or len(named) > _MAX_QUESTIONS_NAMED:
            if several:
                return gettext("We restore them if you need them again.")
            return gettext("We restore it if you need it again.")
        questions = join_list(list(map(in_quotes, named)), "or")
        if several:
            return gettext("We restore them if you change {questions} back.").format(questions=questions)
        return gettext("We restore it if you change {questions} back.").format(questions=questions)


def inactive_in(draft: Draft) -> InactiveAnswers:
    state, schema = draft.form_state, draft.schema
    rows: list[InactiveRow] = []
    active = []
    for party in draft.parties:
        if is_inactive(state, party.record):
            sections = schema.sections_of(party.roles)
            rules = tuple(dict.fromkeys(map(state.section_activation, sections)))
            roles = canonical.list_roles(section.role or "" for section in sections)
            rows.append(InactiveRow(party.kind, party.label, "", roles, rules))
        else:
            active.append(party)
    holders: list[DraftHolder] = [None, *active]
    if not shares_are_inactive(state):
        holders += draft.share_classes
    for holder in holders:
        label = holder.label if holder else ""
        for question in inactive_questions(state, holder.record if holder else None):
            line = AnswerLine(draft, holder, question)
            rows.append(InactiveRow("answer", line.spec.label, label, line.value, (question.activation,)))
    if schema.share_section is not None and shares_are_inactive(state):
        rule = state.section_activation(schema.share_section)
        for share_class in draft.share_classes:
            rows.append(InactiveRow("share_class", share_class.label, "", gettext("Share class"), (rule,)))
    for subject in (None, *active):
        rows += _inactive_documents(draft, subject)
    return InactiveAnswers(tuple(rows))


def _inactive_documents(draft: Draft, party: PartyRow | None) -> Iterator[InactiveRow]:
    schema = draft.schema
    inactive_slots: dict[str, Activation] = {}
    for section in schema.sections_of(party.roles) if party else schema.entity_sections:
        activation = draft.form_state.section_activation(section)
        if not activation.active:
            for slot in section.slots(party.kind if party else ENTITY):
                inactive_slots[slot.name] = activation
    for slot in draft.slots_of(party):
        inactive_slots.pop(slot.name, None)
    for name, document in draft.documents_of(party).items():
        if name in inactive_slots:
            yield InactiveRow("document", name, party.label if party else "", document.name, (inactive_slots[name],))


def entity_name(application: Application) -> str:
    """Return the entity's name as typed, with its ending; "" if there is none. One SQL query, none if prefetched."""
    raw: dict[str, object] = {}
    for row in application.section_answers.all():
        raw |= row.raw
    return canonical.entity_name(raw)


def email_title(draft: Draft) -> str:
    """Return the title for an e-mail to a confirmed address: the typed name, else the product's, else the reference.

    A typed name goes only to confirmed addresses, and never holds a link.
    """
    application = draft.application
    return text_in_email(draft.title) or text_in_email(application.product_name) or application.reference


def impersonal_words(draft: Draft, language: str) -> dict[str, str]:
    """Return the product, jurisdiction and reference, for an e-mail to an unconfirmed address."""
    application = draft.application
    with translation.override(language):
        product, jurisdiction = application.product_name, application.jurisdiction_name
    return {"product": product, "jurisdiction": jurisdiction, "reference": application.reference}
