"""An application under another schema: the content that fits another product, and the answers that a new form loses."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext, gettext_noop

from formation_portal.contract import canonical
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.fields.parsing import localised_number
from formation_portal.contract.needs import Need, needs
from formation_portal.contract.record import Answers
from formation_portal.contract.rules import Question
from formation_portal.contract.schema import ENTITY, FormSchema, Section
from formation_portal.contract.transfer import INACTIVE, UNREADABLE, compare

from .draft import Draft
from .models import Application, Document, Party, SectionAnswers, ShareClass
from .ownership_stakes import TypedStakes, typed_stakes
from .parties import PartyRow
from .readback import AnswerLine, DraftHolder
from .stored_rows import token_of


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a new application: unsaved rows with the tokens of their originals, and files to copy."""

    entity: Mapping[str, Any] = field(default_factory=dict)
    parties: tuple[Party, ...] = ()
    share_classes: tuple[ShareClass, ...] = ()
    holdings: Mapping[tuple[str, str], str] = field(default_factory=dict)
    documents: tuple[Document, ...] = ()
    # Ownership stakes as typed, by the tokens of company and owner.
    stakes: TypedStakes = field(default_factory=dict)


def content_of(draft: Draft) -> Content:
    """Return all entered content, active or not, except declarations, which must be made again in a copy."""
    schema = draft.schema
    parties = []
    for party in draft.party_models:
        raw = _without_declarations(fields_of_kind(schema, party.kind), party.raw)
        parties.append(Party(token=party.token, kind=party.kind, roles=list(party.roles), raw=raw))
    share_classes = []
    for row in draft.share_class_models:
        raw = _without_declarations(schema.share_class_fields, row.raw)
        share_classes.append(ShareClass(token=row.token, raw=raw))
    return Content(
        entity=_without_declarations(schema.entity_fields, draft.entity_raw),
        parties=tuple(parties),
        share_classes=tuple(share_classes),
        holdings=draft.typed_holdings(),
        documents=tuple(draft.documents),
        stakes=typed_stakes(draft),
    )


def count_declarations(draft: Draft) -> int:
    schema = draft.schema
    holders = [(schema.entity_fields, draft.entity_raw)]
    holders += [(fields_of_kind(schema, party.kind), party.raw) for party in draft.party_models]
    holders += [(schema.share_class_fields, row.raw) for row in draft.share_class_models]
    return sum(len(raw) - len(_without_declarations(fields, raw)) for fields, raw in holders)


def fields_of_kind(schema: FormSchema, kind: str) -> tuple[FieldSpec, ...]:
    """Return the fields that a party of this kind can have in any of the schema's roles."""
    return schema.fields_of(kind, [section.role for section in schema.role_sections if section.role])


def _without_declarations(fields: Iterable[FieldSpec], raw: Mapping[str, Any]) -> dict[str, Any]:
    declarations = {spec.name for spec in fields if spec.is_declaration}
    return {name: answer for name, answer in raw.items() if name not in declarations}


_NOT_FOR = {
    "person": gettext_noop("This person can’t have that role there"),
    "corporate": gettext_noop("This company can’t have that role there"),
    "foundation": gettext_noop("This foundation can’t have that role there"),
}
_NO_CLASSES = gettext_noop("The new company type has no share classes")
_NO_HOLDER = gettext_noop(
    "Not a shareholder in the new application. Choose its shareholders there, then allocate shares"
)
_NOT_THERE = gettext_noop("{name} is not copied. Add them to the new application, then enter the owners again")


@dataclass(frozen=True, slots=True)
class TransferLine:
    """A line about one piece of content: its holder, its kind, its text, and the reason if it does not fit."""

    holder: str
    what: str
    words: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Transfer:
    """The content that fits another product's schema, its needs there, and a line for each piece of content."""

    content: Content
    needed: tuple[Need, ...]
    fits: tuple[TransferLine, ...]
    misfits: tuple[TransferLine, ...]


def plan_transfer(draft: Draft, *, schema: FormSchema) -> Transfer:
    """Compare the draft with another schema; nothing is written. One SQL query, for companies' owners."""
    return _TransferPlanner(draft, schema).result()


class _TransferPlanner:
    """A comparison of a draft with another schema, part by part."""

    def __init__(self, draft: Draft, schema: FormSchema) -> None:
        self._draft = draft
        self._schema = schema
        self._fits: list[TransferLine] = []
        self._misfits: list[TransferLine] = []

    def result(self) -> Transfer:
        questions = self._draft.form_state.holder_questions(None)
        entity = self._compare(None, questions, self._schema.entity_fields)
        parties = tuple(self._parties())
        classes = tuple(self._share_classes())
        content = Content(
            entity=entity,
            parties=parties,
            share_classes=classes,
            holdings=dict(self._holdings(parties, classes)),
            documents=tuple(self._documents(parties)),
            stakes=dict(self._stakes(parties)),
        )
        return Transfer(content, self._needs(content), tuple(self._fits), tuple(self._misfits))

    def _list(self, holder: str, what: str, text: str, reason: str = "") -> None:
        lines = self._misfits if reason else self._fits
        lines.append(TransferLine(holder, what, text, reason))

    def _parties(self) -> Iterator[Party]:
        for row in self._draft.parties:
            roles = [role for role in row.roles if self._takes_role(row, role)]
            if not roles:
                self._list(row.label, canonical.kind_title(row.kind), "", gettext("No matching role"))
                continue
            self._list(row.label, gettext("Roles"), ", ".join(map(canonical.role_word, roles)))
            questions = self._draft.form_state.party_questions(row.record)
            raw = self._compare(row, questions, self._schema.fields_of(row.kind, roles))
            yield Party(token=row.token, kind=row.kind, roles=roles, raw=raw)

    def _takes_role(self, row: PartyRow, role: str) -> bool:
        sections = self._schema.sections_of((role,))
        reason = ""
        if role not in self._draft.form_state.active_roles(row.record):
            reason = gettext(INACTIVE)
        elif not sections:
            reason = gettext("No matching role")
        elif not all(section.allows(row.kind) for section in sections):
            reason = gettext(_NOT_FOR[row.kind])
        if reason:
            self._list(row.label, gettext("Role"), canonical.role_word(role), reason)
        return not reason

    def _share_classes(self) -> Iterator[ShareClass]:
        draft = self._draft
        section = draft.schema.share_section
        for row in draft.share_classes:
            reason = self._why_no_classes()
            self._list(row.label, gettext("Share class"), row.label, reason)
            if section is not None and not reason:
                questions = draft.form_state.questions(section, row.record)
                raw = self._compare(row, questions, self._schema.share_class_fields)
                yield ShareClass(token=row.token, raw=raw)

    def _why_no_classes(self) -> str:
        """Return the reason for leaving out all share classes; "" if all of them are taken."""
        if not self._draft.holds_shares:
            return gettext(INACTIVE)
        return "" if self._schema.share_section else gettext(_NO_CLASSES)

    def _holdings(
        self, parties: Iterable[Party], classes: Iterable[ShareClass]
    ) -> Iterator[tuple[tuple[str, str], str]]:
        holders = {party.token for party in parties if canonical.SHAREHOLDER in party.roles}
        class_tokens = {share_class.token for share_class in classes}
        labels = self._draft.labels
        for (holder, token), holding in self._draft.holdings.items():
            reason = ""
            if token not in class_tokens:
                reason = self._why_no_classes()
            elif holder not in holders:
                reason = gettext(_NO_HOLDER)
            elif holding.shares is None:
                reason = gettext(UNREADABLE)
            what = gettext("Shares, {name}").format(name=labels[token])
            self._list(labels[holder], what, localised_number(holding.typed), reason)
            if not reason:
                yield (holder, token), holding.typed

    def _stakes(self, parties: Iterable[Party]) -> Iterator[tuple[tuple[str, str], str]]:
        tokens = {party.token for party in parties}
        labels = self._draft.labels
        for (company, owner), typed in typed_stakes(self._draft).items():
            if not {company, owner} <= labels.keys():
                continue
            reason = ""
            if self._schema.share_section is None:
                reason = gettext(_NO_CLASSES)
            elif company not in tokens:
                reason = gettext(_NOT_THERE).format(name=labels[company])
            elif owner not in tokens:
                reason = gettext(_NOT_THERE).format(name=labels[owner])
            self._list(labels[owner], gettext("Owner of {names}").format(names=labels[company]), typed, reason)
            if not reason:
                yield (company, owner), typed

    def _documents(self, parties: Iterable[Party]) -> Iterator[Document]:
        slots: dict[str | None, set[str]] = {None: self._slots(self._schema.entity_sections, ENTITY)}
        for party in parties:
            slots[party.token] = self._slots(self._schema.sections_of(party.roles), party.kind)
        labels = self._draft.labels
        for document in self._draft.documents:
            token = token_of(document.party)
            reason = ""
            if document.slot not in slots.get(token, ()):
                reason = gettext("Document not needed")
            label = labels.get(token or "", self._draft.title)
            self._list(label, self._draft.slot_words(document.slot), document.name, reason)
            if not reason:
                yield document

    def _slots(self, sections: Iterable[Section], kind: str) -> set[str]:
        return {slot.name for section in sections for slot in section.slots(kind)}

    def _compare(
        self, holder: DraftHolder, questions: Iterable[Question], into: Sequence[FieldSpec]
    ) -> Mapping[str, Any]:
        """Return the holder's answers that fit, as typed; add a line for every answer."""
        draft = self._draft
        label = holder.label if holder else draft.title
        answers = (holder or draft).record.answers
        raw = holder.raw if holder else draft.entity_raw
        comparison = compare(questions, answers=answers, raw=raw, form=self._schema, into=into)
        for question, new in comparison.fits:
            self._list(label, new.label, AnswerLine(draft, holder, question).value)
        for question, reason in comparison.misfits:
            self._list(label, question.spec.label, AnswerLine(draft, holder, question).value, reason)
        return comparison.raw

    def _needs(self, content: Content) -> tuple[Need, ...]:
        new = Draft(Application(), schema=self._schema, today=self._draft.today)
        new.sections = {"": SectionAnswers(raw=content.entity)}
        new.party_models = list(content.parties)
        new.share_class_models = list(content.share_classes)
        new.holdings = {pair: self._draft.holdings[pair] for pair in content.holdings}
        new.documents = list(content.documents)
        return needs(self._schema, new.record, form_state=new.form_state)


# An answer that is invalid under another schema: its holder's label, its own label, whether it is asked for there.
LostAnswer = tuple[str, str, bool]


def with_schema(draft: Draft, schema: FormSchema) -> Draft:
    other = Draft(draft.application, schema=schema, today=draft.today)
    other.sections = draft.sections
    other.party_models = draft.party_models
    other.share_class_models = draft.share_class_models
    other.holdings = draft.holdings
    other.documents = draft.documents
    return other


def lost_answers(draft: Draft, schema: FormSchema) -> list[LostAnswer]:
    """Return every answer that is valid now but not under the other schema, and every role it lacks. No SQL query."""
    other = with_schema(draft, schema)
    roles = {section.role for section in schema.role_sections}
    lost = list(_lost_between(draft.title, draft.schema.entity_fields, draft.record.answers, other.record.answers))
    for party, other_party in zip(draft.parties, other.parties, strict=True):
        fields = draft.schema.fields_of(party.kind, party.roles)
        lost += _lost_between(party.label, fields, party.record.answers, other_party.record.answers)
        for role in party.roles:
            if role not in roles:
                lost.append((party.label, gettext("Role: {role}").format(role=role), False))
    fields = draft.schema.share_class_fields
    for row, other_row in zip(draft.share_classes, other.share_classes, strict=True):
        lost += _lost_between(row.label, fields, row.record.answers, other_row.record.answers)
    return lost


def _lost_between(holder: str, fields: Iterable[FieldSpec], before: Answers, after: Answers) -> Iterator[LostAnswer]:
    labels = {spec.name: spec.label for spec in fields}
    for name in before.values:
        if name not in after.values:
            yield holder, labels[name], name in after.problems
