"""The draft: an application with its answers, loaded on demand, evaluated by the schema, cached until it changes."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import date, datetime
from functools import cached_property, partial
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from formation_portal.contract import canonical, record
from formation_portal.contract.advice import advised_entity_answers
from formation_portal.contract.fields.base import Choice, FieldSpec
from formation_portal.contract.fields.bounds import Days
from formation_portal.contract.fields.values import Problem
from formation_portal.contract.needs import Need, needs, needs_of_party, needs_of_section
from formation_portal.contract.record import Answers, Record, UnreadAnswers, validate
from formation_portal.contract.rules import FormState, Slot, evaluate
from formation_portal.contract.schema import FormSchema, Section
from formation_portal.contract.shares import over_issued
from formation_portal.core.time_zones import operators_day

from .fields import CHARACTERS_PER_HOLDER, MAX_CHARACTERS, count_characters
from .models import Application, Holding, Party, SectionAnswers, ShareClass
from .parties import NameFields, PartyRow, ShareClassRow, label_as_typed
from .schema_versions import HomeSections
from .schema_versions import keep_schema as keep_schema
from .schema_versions import load_schema as load_schema
from .schema_versions import schema_digest as schema_digest
from .stored_rows import StoredRows, find_row, token_of
from .translation import in_language

_CLASS_GONE = gettext_noop("Choose “{label}” again. The share class was removed")
_NO_NUMBER = gettext_noop("{who}: enter the number of “{name}” shares in digits, like 5000")


def open_draft(application: Application, *, today: date | None = None) -> "Draft":
    """Open an application's draft, with its form in the reader's language. One SQL query; none for a cached form."""
    return Draft(application, schema=in_language(load_schema(application.schema_version_id)), today=today)


class Draft(StoredRows):
    """An application with all answers. Each part is read and evaluated when it is first used."""

    def __init__(self, application: Application, *, schema: FormSchema, today: date | None = None) -> None:
        super().__init__(application)
        self.schema = schema
        self.today = today or operators_day()
        self._days_of_today = Days.on(today) if today else Days.at(timezone.now())

    def reload(self) -> None:
        """Forget all rows and results; the next use reads and evaluates them again."""
        self.forget_rows()
        self.invalidate()

    def invalidate(self) -> None:
        """Forget all results; the next use evaluates the rows again."""
        self.forget_properties(Draft)

    def home_section(self, name: str) -> str:
        """Return the key of the section that stores an entity field."""
        return self.schema.cached(HomeSections).of_fields[name]

    @property
    def days(self) -> Days:
        """Return the day that answers are judged for: the first submission's, or today (INTERFACE.md, "Bounds")."""
        first = self.application.first_submitted_at
        return Days.at(first) if first else self._days_of_today

    def section_row(self, key: str) -> SectionAnswers:
        """Return the row that stores a section's answers; a new, unsaved row if there is none."""
        if key not in self.sections:
            self.sections[key] = SectionAnswers(application=self.application, section_key=key)
        return self.sections[key]

    @cached_property
    def entity_raw(self) -> dict[str, Any]:
        raw: dict[str, Any] = {}
        for row in self.sections.values():
            raw |= row.raw
        return raw

    def raw(self, section: Section) -> dict[str, Any]:
        """Return the answers to a section about the entity, as typed."""
        fields = section.fields_by_name
        return {name: value for name, value in self.entity_raw.items() if name in fields}

    def room(self) -> int:
        """Count the characters that may still be added to the whole application."""
        holders = (*self.party_models, *self.removed_party_models, *self.share_class_models)
        length = sum(CHARACTERS_PER_HOLDER + count_characters(holder.raw) for holder in holders)
        return MAX_CHARACTERS - count_characters(self.entity_raw) - length

    def version(self, section_key: str) -> int:
        """Return the section's version, which rises when its answers change, even in another section."""
        return sum(row.version for row in self._rows_of_answers(section_key))

    def saved_at(self, section_key: str) -> datetime | None:
        """Return the time of the last save of the section's answers, even in another section; None if never saved."""
        return max((row.updated_at for row in self._rows_of_answers(section_key) if row.updated_at), default=None)

    def _rows_of_answers(self, section_key: str) -> list[SectionAnswers]:
        homes = self.schema.cached(HomeSections).of_sections.get(section_key, frozenset())
        return [self.sections[key] for key in homes | {section_key} if key in self.sections]

    def typed_holdings(self) -> dict[tuple[str, str], str]:
        """Return the numbers of shares as typed, by the tokens of party and class."""
        return {pair: holding.typed for pair, holding in self.holdings.items()}

    @cached_property
    def parties(self) -> tuple[PartyRow, ...]:
        return tuple(map(self.as_party, self.party_models))

    @cached_property
    def parties_by_token(self) -> dict[str, PartyRow]:
        return {row.token: row for row in self.parties}

    def parties_of(self, tokens: Collection[str]) -> tuple[PartyRow, ...]:
        """Return the parties with these tokens, in the draft's order."""
        return tuple(row for row in self.parties if row.token in tokens)

    @cached_property
    def removed_parties(self) -> tuple[PartyRow, ...]:
        """Return the parties that can be restored, the last removed first."""
        latest = sorted(self.removed_party_models, key=lambda model: str(model.removed_at), reverse=True)
        return tuple(map(self.as_party, latest))

    @cached_property
    def share_classes(self) -> tuple[ShareClassRow, ...]:
        return tuple(map(self.as_share_class, self.share_class_models))

    @property
    def labels(self) -> dict[str, str]:
        """Return the labels of parties and share classes by their tokens."""
        return {row.token: row.label for row in self.parties} | {row.token: row.label for row in self.share_classes}

    def party(self, token: str) -> PartyRow | None:
        return self.parties_by_token.get(token)

    def removed_party(self, token: str) -> PartyRow | None:
        return find_row(self.removed_parties, token)

    def share_class(self, token: str) -> ShareClassRow | None:
        return find_row(self.share_classes, token)

    @property
    def share_class_choices(self) -> tuple[Choice, ...]:
        return tuple(Choice(row.token, row.label) for row in self.share_classes)

    def as_party(self, model: Party) -> PartyRow:
        """Build a party from a model, which may be unsaved. The answers are validated when they are first read."""
        fields = self.schema.fields_of(model.kind, model.roles)
        # Later changes give the model a new dict, so this one stays as it is.
        answers = UnreadAnswers(partial(self._validate, fields, model.raw))
        label = label_as_typed(self.schema.cached(NameFields).of(model.kind, tuple(model.roles)), model.raw)
        return PartyRow(model, record.Party(model.token, model.kind, tuple(model.roles), answers, label))

    def as_share_class(self, model: ShareClass) -> ShareClassRow:
        fields = self.schema.share_class_fields
        answers = self._validate(fields, model.raw)
        return ShareClassRow(model, record.ShareClass(model.token, answers, label_as_typed(fields, model.raw)))

    def _validate(self, fields: Iterable[FieldSpec], raw: Mapping[str, Any]) -> Answers:
        """Validate answers. An answer may be a share class's token, which is a problem if the class was removed."""
        answers = validate(fields, raw)
        references = [spec for spec in fields if spec.refers_to_share_class and spec.name in answers.values]
        if not references:
            return answers
        tokens = {"", *(model.token for model in self.share_class_models)}
        values = dict(answers.values)
        problems = dict(answers.problems)
        for spec in references:
            if answers.values[spec.name] not in tokens:
                values.pop(spec.name, None)
                message = gettext(_CLASS_GONE).format(label=spec.label)
                problems[spec.name] = Problem(spec.name, "share_class_gone", message)
        return Answers(values, problems)

    @cached_property
    def record(self) -> Record:
        """Return the application as validated values. The ids of parties and classes are their tokens."""
        return Record(
            answers=self._validate(self.schema.entity_fields, self.entity_raw),
            parties=tuple(row.record for row in self.parties),
            share_classes=tuple(row.record for row in self.share_classes),
            holdings=tuple(
                record.Holding(party, share_class, holding.shares)
                for (party, share_class), holding in self.holdings.items()
                if holding.shares is not None
            ),
            documents=frozenset((token_of(document.party), document.slot) for document in self.documents),
            days=self.days,
        )

    def record_without(self, token: str) -> Record:
        return replace(
            self.record,
            parties=tuple(party for party in self.record.parties if party.id != token),
            holdings=tuple(holding for holding in self.record.holdings if holding.party_id != token),
            documents=frozenset(place for place in self.record.documents if place[0] != token),
        )

    @cached_property
    def form_state(self) -> FormState:
        return evaluate(self.schema, self.record)

    @cached_property
    def active_role_sections(self) -> tuple[Section, ...]:
        sections = self.schema.role_sections
        return tuple(section for section in sections if self.form_state.section_activation(section).active)

    @property
    def holds_shares(self) -> bool:
        section = self.schema.share_section
        return section is not None and self.form_state.section_activation(section).active

    @cached_property
    def needs(self) -> tuple[Need, ...]:
        """Return what must be given or corrected before submission, also numbers of shares (unreadable or too high)."""
        return (
            *needs(self.schema, self.record, form_state=self.form_state),
            *self._unreadable_holdings(self.holdings),
            *over_issued(self.form_state),
        )

    @cached_property
    def entity_advice(self) -> Mapping[str, str]:
        """Return the advice about the entity's answers, by name (INTERFACE.md, "Advice")."""
        return advised_entity_answers(self.form_state)

    def _unreadable_holdings(self, holdings: Mapping[tuple[str, str], Holding]) -> Iterable[Need]:
        section = self.schema.share_section
        if section is None or not self.holds_shares:
            return
        for (party_token, class_token), holding in holdings.items():
            party, share_class = self.party(party_token), self.share_class(class_token)
            if holding.shares is None and party and share_class and self.is_shareholder(party):
                text = gettext(_NO_NUMBER).format(who=party.label, name=share_class.label)
                yield Need("unreadable", text, section.key, party_id=party_token, share_class_id=class_token)

    def is_shareholder(self, party: PartyRow) -> bool:
        """Tell whether the party's holdings count at present."""
        return canonical.SHAREHOLDER in self.form_state.active_roles(party.record)

    @cached_property
    def _needs_by_section(self) -> dict[str, list[Need]]:
        needs: dict[str, list[Need]] = {}
        for need in self.needs:
            needs.setdefault(need.section, []).append(need)
        return needs

    def needs_of_section(self, section_key: str) -> tuple[Need, ...]:
        """Return the members of `needs` that belong to a section. For an entity section, no party is evaluated."""
        section = self.schema.section(section_key)
        if section is not None and section.is_entity:
            return needs_of_section(self.form_state, section)
        return tuple(self._needs_by_section.get(section_key, ()))

    def needs_of_party(self, token: str) -> tuple[Need, ...]:
        """Return the members of `needs` that belong to a party, without evaluating other parties."""
        row = self.party(token)
        if row is None:
            return ()
        holdings = self.holdings_of(token)
        has_shares = any((holding.shares or 0) > 0 for holding in holdings.values())
        return (
            *needs_of_party(self.form_state, row.record, has_shares=has_shares),
            *self._unreadable_holdings(holdings),
        )

    def slots_of(self, party: PartyRow | None) -> tuple[Slot, ...]:
        """Return the active document slots of a party, or of the entity (None)."""
        return self.form_state.slots(party.record if party else None)

    def missing_documents(self, party: PartyRow | None) -> list[Slot]:
        """Return the required slots, of a party or of the entity (None), that hold no file."""
        documents = self.documents_of(party)
        return [slot for slot in self.slots_of(party) if slot.required and slot.name not in documents]

    def slot_words(self, name: str) -> str:
        """Return the label of a document slot; its name if the form no longer has the slot."""
        return self.schema.slot_words.get(name, name)

    @property
    def title(self) -> str:
        """Return the entity's name as typed, with its ending, or else the product's name."""
        return canonical.entity_name(self.entity_raw) or self.application.product_name

    def answers_naming(self, share_class: ShareClassRow) -> list[tuple[str, FieldSpec]]:
        """Return each question answered with this class, after the answering party's or class's label (entity: "")."""
        schema = self.schema
        holders: list[tuple[str, Iterable[FieldSpec], Mapping[str, Any]]]
        holders = [("", schema.entity_fields, self.entity_raw)]
        for party in self.parties:
            holders.append((party.label, schema.fields_of(party.kind, party.roles), party.raw))
        for row in self.share_classes:
            holders.append((row.label, schema.share_class_fields, row.raw))
        answers = []
        for label, fields, raw in holders:
            for spec in fields:
                if spec.refers_to_share_class and raw.get(spec.name) == share_class.token:
                    answers.append((label, spec))
        return answers
