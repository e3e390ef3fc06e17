"""An application under another schema: which content fits another product, and what a new form version loses.

Pure. `contract.transfer` compares answers; this module compares parties with their kinds and roles, share classes,
holdings and documents. A slot is known by its name, which is what the service is told.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext, gettext_noop

from formation_portal.contract import canonical, record
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.fields.bounds import Days
from formation_portal.contract.fields.parsing import localised_number
from formation_portal.contract.needs import Need, needs
from formation_portal.contract.record import Answers, Record, validate
from formation_portal.contract.rules import Question, evaluate
from formation_portal.contract.schema import ENTITY, FormSchema
from formation_portal.contract.transfer import INACTIVE, UNREADABLE, compare

from .draft import Draft
from .models import Document, Party, ShareClass
from .ownership_stakes import TypedStakes, typed_stakes
from .parties import PartyRow
from .readback import AnswerLine, DraftHolder

TypedHoldings = Mapping[tuple[str, str], str]


@dataclass(frozen=True, slots=True)
class Content:
    """Everything that a new application is filled with; `documents` are those whose files are copied.

    Parties and share classes may be unsaved. They go by the tokens that they have where they come from.
    """

    entity: Mapping[str, Any] = field(default_factory=dict)
    parties: tuple[Party, ...] = ()
    share_classes: tuple[ShareClass, ...] = ()
    holdings: TypedHoldings = field(default_factory=dict)
    documents: tuple[Document, ...] = ()
    # Ownership stakes as typed, by the tokens of company and owner.
    stakes: TypedStakes = field(default_factory=dict)


def content_of(draft: Draft) -> Content:
    """Return everything that was entered, active or not, without declarations: they are made again in a copy."""
    schema = draft.schema
    return Content(
        entity=_without_declarations(schema.entity_fields, draft.entity_raw),
        parties=tuple(
            Party(
                token=model.token,
                kind=model.kind,
                roles=model.roles,
                raw=_without_declarations(_fields_of_kind(schema, model.kind), model.raw),
            )
            for model in draft.party_models
        ),
        share_classes=tuple(
            ShareClass(token=model.token, raw=_without_declarations(schema.share_class_fields, model.raw))
            for model in draft.share_class_models
        ),
        holdings=draft.typed_holdings(),
        documents=tuple(draft.documents),
        stakes=typed_stakes(draft),
    )


def count_declarations(draft: Draft) -> int:
    """Count the declarations that were made in a draft."""
    schema = draft.schema
    holders = [(schema.entity_fields, draft.entity_raw)]
    holders += [(_fields_of_kind(schema, model.kind), model.raw) for model in draft.party_models]
    holders += [(schema.share_class_fields, model.raw) for model in draft.share_class_models]
    return sum(len(raw) - len(_without_declarations(fields, raw)) for fields, raw in holders)


def _fields_of_kind(schema: FormSchema, kind: str) -> tuple[FieldSpec, ...]:
    """Return the questions to a kind of party in any role."""
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
    """One thing that fits or does not: whose it is, what, its text, and for a misfit the reason."""

    holder: str
    what: str
    words: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Transfer:
    """What of an application fits another product's schema, what does not, and what would be needed there."""

    content: Content
    record: Record
    needed: tuple[Need, ...]
    fits: tuple[TransferLine, ...]
    misfits: tuple[TransferLine, ...]


def plan_transfer(draft: Draft, *, there: FormSchema) -> Transfer:
    """Compare the draft with the other schema; nothing is written. One query, for the owners of companies."""
    return _TransferPlanner(draft, there).result()


class _TransferPlanner:
    """One comparison while it is made."""

    def __init__(self, draft: Draft, there: FormSchema) -> None:
        self._draft = draft
        self._there = there
        self._fits: list[TransferLine] = []
        self._misfits: list[TransferLine] = []

    def result(self) -> Transfer:
        draft = self._draft
        questions = (one for section in draft.schema.entity_sections for one in draft.form_state.questions(section))
        entity = self._compare(None, questions, self._there.entity_fields)
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
        new = self._record(content)
        needed = needs(self._there, new, form_state=evaluate(self._there, new))
        return Transfer(content, new, needed, tuple(self._fits), tuple(self._misfits))

    def _parties(self) -> Iterator[Party]:
        for row in self._draft.parties:
            roles = tuple(role for role in row.roles if self._takes_role(row, role))
            if not roles:
                self._add_misfit(row.label, canonical.kind_title(row.kind), "", gettext("No matching role"))
                continue
            self._fits.append(TransferLine(row.label, gettext("Roles"), ", ".join(map(canonical.role_word, roles))))
            questions = self._draft.form_state.party_questions(row.record)
            raw = self._compare(row, questions, self._there.fields_of(row.kind, roles))
            yield Party(token=row.token, kind=row.kind, roles=list(roles), raw=raw)

    def _takes_role(self, row: PartyRow, role: str) -> bool:
        """Whether the party may have the role there; where not, a misfit is added."""
        sections = self._there.sections_of((role,))
        reason = ""
        if role not in self._draft.form_state.active_roles(row.record):
            reason = gettext(INACTIVE)
        elif not sections:
            reason = gettext("No matching role")
        elif not all(section.allows(row.kind) for section in sections):
            reason = gettext(_NOT_FOR[row.kind])
        if reason:
            self._add_misfit(row.label, gettext("Role"), canonical.role_word(role), reason)
        return not reason

    def _share_classes(self) -> Iterator[ShareClass]:
        draft = self._draft
        section = draft.schema.share_section
        for row in draft.share_classes:
            if section is None or not draft.holds_shares or self._there.share_section is None:
                reason = gettext(_NO_CLASSES) if draft.holds_shares else gettext(INACTIVE)
                self._add_misfit(row.label, gettext("Share class"), row.label, reason)
                continue
            self._fits.append(TransferLine(row.label, gettext("Share class"), row.label))
            questions = draft.form_state.questions(section, row.record)
            raw = self._compare(row, questions, self._there.share_class_fields)
            yield ShareClass(token=row.token, raw=raw)

    def _holdings(
        self, parties: Iterable[Party], classes: Iterable[ShareClass]
    ) -> Iterator[tuple[tuple[str, str], str]]:
        holders = {one.token for one in parties if canonical.SHAREHOLDER in one.roles}
        known = {one.token for one in classes}
        # Without classes there is nothing to hold; why there are none is said of each of them.
        why = gettext(_NO_HOLDER if known else _NO_CLASSES if self._draft.holds_shares else INACTIVE)
        for (party, share_class), holding in self._draft.holdings.items():
            row, held = self._draft.party(party), self._draft.share_class(share_class)
            if row is None or held is None:
                continue
            what = gettext("Shares, {name}").format(name=held.label)
            if party not in holders or share_class not in known:
                self._add_misfit(row.label, what, localised_number(holding.typed), why)
            elif holding.shares is None:
                self._add_misfit(row.label, what, localised_number(holding.typed), gettext(UNREADABLE))
            else:
                self._fits.append(TransferLine(row.label, what, localised_number(holding.typed)))
                yield (party, share_class), holding.typed

    def _stakes(self, parties: Iterable[Party]) -> Iterator[tuple[tuple[str, str], str]]:
        there = {one.token for one in parties} if self._there.share_section else set()
        for (company, owner), typed in typed_stakes(self._draft).items():
            row, owned = self._draft.party(owner), self._draft.party(company)
            if row is None or owned is None:
                continue
            what = gettext("Owner of {names}").format(names=owned.label)
            if {company, owner} <= there:
                self._fits.append(TransferLine(row.label, what, typed))
                yield (company, owner), typed
            elif self._there.share_section is None:
                self._add_misfit(row.label, what, typed, gettext(_NO_CLASSES))
            else:
                absent = owned if company not in there else row
                self._add_misfit(row.label, what, typed, gettext(_NOT_THERE).format(name=absent.label))

    def _documents(self, parties: Iterable[Party]) -> Iterator[Document]:
        there = {one.token: (one.kind, self._there.sections_of(one.roles)) for one in parties}
        for document in self._draft.documents:
            row = self._draft.party(document.party.token) if document.party else None
            kind, sections = there.get(row.token, ("person", ())) if row else (ENTITY, self._there.entity_sections)
            label = row.label if row else self._draft.title
            slot_words = self._draft.slot_words(document.slot)
            if any(slot.name == document.slot for section in sections for slot in section.slots(kind)):
                self._fits.append(TransferLine(label, slot_words, document.name))
                yield document
            else:
                self._add_misfit(label, slot_words, document.name, gettext("Document not needed"))

    def _compare(
        self, holder: DraftHolder, questions: Iterable[Question], into: tuple[FieldSpec, ...]
    ) -> Mapping[str, Any]:
        """The holder's answers that fit, as typed; lists those and the others."""
        draft, label = self._draft, holder.label if holder else self._draft.title
        answers, raw = (holder or draft).record.answers, holder.raw if holder else draft.entity_raw
        found = compare(questions, answers=answers, raw=raw, there=self._there, into=into)
        for question, new in found.fits:
            self._fits.append(TransferLine(label, new.label, AnswerLine(draft, holder, question).value))
        for question, reason in found.misfits:
            self._add_misfit(label, question.spec.label, AnswerLine(draft, holder, question).value, reason)
        return found.raw

    def _add_misfit(self, holder: str, what: str, words: str, reason: str) -> None:
        self._misfits.append(TransferLine(holder, what, words, reason))

    def _record(self, content: Content) -> Record:
        """The new application as its own schema evaluates it."""
        there = self._there
        labels = {row.token: row.label for row in self._draft.parties}
        labels |= {row.token: row.label for row in self._draft.share_classes}
        return Record(
            answers=validate(there.entity_fields, content.entity),
            parties=tuple(
                record.Party(
                    one.token,
                    one.kind,
                    tuple(one.roles),
                    validate(there.fields_of(one.kind, one.roles), one.raw),
                    labels[one.token],
                )
                for one in content.parties
            ),
            share_classes=tuple(
                record.ShareClass(one.token, validate(there.share_class_fields, one.raw), labels[one.token])
                for one in content.share_classes
            ),
            holdings=tuple(record.Holding(*pair, self._draft.holdings[pair].shares or 0) for pair in content.holdings),
            documents=frozenset((one.party.token if one.party else None, one.slot) for one in content.documents),
            # The copy is a new application, which nobody has submitted yet.
            days=Days.on(self._draft.today),
        )


# An answer that is not valid under another schema: whose it is, its label, and whether it is asked there.
LostAnswer = tuple[str, str, bool]


def with_schema(draft: Draft, schema: FormSchema) -> Draft:
    """The same answers under another schema; nothing is written."""
    other = Draft(draft.application, schema=schema, today=draft.today)
    other.sections = draft.sections
    other.party_models = draft.party_models
    other.share_class_models = draft.share_class_models
    other.holdings = draft.holdings
    other.documents = draft.documents
    return other


def lost_answers(draft: Draft, schema: FormSchema) -> list[LostAnswer]:
    """Every answer that is valid now and not under the other schema. No query."""
    other = with_schema(draft, schema)
    roles = {section.role for section in schema.role_sections}
    found = list(_lost_between(draft.title, draft.schema.entity_fields, draft.record.answers, other.record.answers))
    for before, after in zip(draft.parties, other.parties, strict=True):
        fields = draft.schema.fields_of(before.kind, before.roles)
        found += _lost_between(before.label, fields, before.record.answers, after.record.answers)
        found += [
            (before.label, gettext("Role: {role}").format(role=role), False)
            for role in before.roles
            if role not in roles
        ]
    fields = draft.schema.share_class_fields
    for stored, same in zip(draft.share_classes, other.share_classes, strict=True):
        found += _lost_between(stored.label, fields, stored.record.answers, same.record.answers)
    return found


def _lost_between(holder: str, fields: Iterable[FieldSpec], before: Answers, after: Answers) -> Iterator[LostAnswer]:
    labels = {spec.name: spec.label for spec in fields}
    for name in before.values:
        if name not in after.values:
            yield holder, labels[name], name in after.problems
