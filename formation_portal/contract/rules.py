"""Decide which questions are active or required, and the minimums of sections, with reasons (INTERFACE.md, "Rules").

`FormState` computes a result when it is first needed and caches it. A rule names a field by a word; `FieldLookup`
finds the field: in the rule's own section, then in the entity's, then in the others.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from . import reasons
from .conditions import Condition, count_of
from .fields.base import FieldSpec
from .fields.bounds import NO_BOUNDS, Objection
from .fields.values import Problem
from .localisation import gettext, gettext_noop
from .record import Holder, Party, Record, ShareClass, holder_id
from .schema import ENTITY, SHARE_CLASS, DocumentSlot, FormSchema, Section
from .validations import ValidationJudge


@dataclass(frozen=True, slots=True, eq=False)
class FieldLocation:
    section: Section
    group: str
    spec: FieldSpec

    @property
    def id(self) -> tuple[str, str, str]:
        return (self.section.key, self.group, self.spec.key)


def field_locations(schema: FormSchema) -> Iterator[FieldLocation]:
    """Yield every field of the schema, also those that are asked by default."""
    for section in schema.sections:
        for group, specs in section.groups.items():
            for spec in specs:
                yield FieldLocation(section, group, spec)


def rules_of(schema: FormSchema) -> Iterator[tuple[Condition, Section, FieldLocation | None]]:
    """Yield every rule of the schema with its section and its field, which is None for a rule of the whole section."""
    for section in schema.sections:
        if section.depends_on:
            yield section.depends_on, section, None
    for place in field_locations(schema):
        if place.spec.depends_on:
            yield place.spec.depends_on, place.section, place


class FieldLookup:
    """An index of the fields that a rule's word may mean. Made once for a schema."""

    def __init__(self, schema: FormSchema) -> None:
        self._by_word: dict[str, list[FieldLocation]] = {}
        self._candidates: dict[tuple[str, str, str], list[FieldLocation]] = {}
        # The fields with bounds, by the group of their holders, and then by the name of the answer.
        self.bounded: dict[str, dict[str, list[FieldLocation]]] = {}
        for place in field_locations(schema):
            spec = place.spec
            for word in {spec.key, spec.canonical_field, spec.csp_field_key} - {None}:
                self._by_word.setdefault(str(word), []).append(place)
            if spec.bounds != NO_BOUNDS:
                self.bounded.setdefault(place.group, {}).setdefault(spec.name, []).append(place)

    def asking_for(self, name: str) -> Iterator[FieldLocation]:
        """Yield the fields whose answers have the name, in the order of the schema."""
        return (place for place in self._by_word.get(name, ()) if place.spec.name == name)

    def candidates(self, word: str, *, section: Section, group: str) -> list[FieldLocation]:
        """Return the fields called `word`; those nearest to a rule in the section and group come first."""
        place_of_rule = (word, section.key, group)
        if place_of_rule not in self._candidates:
            # Sorting is stable: equally near fields stay in the order of the schema.
            places = sorted(self._by_word.get(word, ()), key=lambda place: _distance(place, section, group))
            self._candidates[place_of_rule] = places
        return self._candidates[place_of_rule]

    def field(self, rule: Condition, section: Section, group: str, holder: Holder) -> FieldLocation | None:
        """Return the field that a rule in the section means for the holder; None if there is none."""
        candidates = self.candidates(rule.field, section=section, group=group)
        if isinstance(holder, Party):
            for place in candidates:
                if place.group == holder.kind and place.section.counts(holder.kind, holder.roles):
                    return place
        return next(iter(candidates), None)

    def entity_field(self, word: str) -> FieldLocation | None:
        """Return the entity's field called `word`, or None. A conditional minimum never reads a party's answer."""
        return next((place for place in self._by_word.get(word, ()) if place.group == ENTITY), None)


def _distance(place: FieldLocation, section: Section, group: str) -> int:
    """Return 0 for a field in the rule's own list, 1 in its section, 2 in the entity's sections, 3 elsewhere."""
    if place.section.key == section.key:
        return 0 if place.group == group else 1
    return 2 if place.section.is_entity else 3


@dataclass(frozen=True, slots=True)
class Activation:
    """The state of a field or section, active or not, and the rule that decides it.

    `named` is the field that the rule names, and `answer` an answer to that field that satisfies the rule.
    """

    active: bool
    rule: Condition | None = field(default=None, compare=False, repr=False)
    named: FieldSpec | None = field(default=None, compare=False, repr=False)
    answer: Any = field(default=None, compare=False, repr=False)
    # The message about a rule that cannot be judged.
    fault: str = field(default="", compare=False, repr=False)

    @property
    def decided_by(self) -> str:
        return self.named.label if self.named else ""

    @property
    def reason(self) -> str:
        """Return the reason as a sentence; "" without a rule. Worded on demand, since few reasons are read."""
        if self.rule is None or self.named is None:
            return gettext(self.fault)
        if self.active:
            return reasons.asked_because(self.rule, self.named, self.answer)
        return reasons.only_asked_if(self.rule, self.named)


@dataclass(frozen=True, slots=True)
class Minimum:
    count: int
    reason: str = ""


class Question(NamedTuple):
    section: Section
    spec: FieldSpec
    activation: Activation
    required: bool


class Slot(DocumentSlot):
    """A document asked of a party or of the entity. Roles that ask for documents of the same name share a slot."""

    section: Section


_ALWAYS = Activation(True)
_UNKNOWN_FIELD = Activation(
    False, fault=gettext_noop("Not asked, because its rule refers to a question that is not in this form")
)
_CYCLE = Activation(False, fault=gettext_noop("Not asked, because its rules refer to each other"))


def evaluate(schema: FormSchema, record: Record) -> "FormState":
    return FormState(schema, record)


class FormState:
    """The state of an application's sections, fields, minimums and slots, as the rules decide it."""

    def __init__(self, schema: FormSchema, record: Record) -> None:
        self.schema = schema
        self.record = record
        self._lookup = lookup_of(schema)
        self._fields: dict[tuple[str, str, str, str | None], Activation] = {}
        self._sections: dict[str, Activation] = {}
        self._questions: dict[tuple[str, str | None], tuple[Question, ...]] = {}
        self._party_questions: dict[tuple[str, tuple[str, ...]], tuple[Question, ...]] = {}
        self._parties_in: dict[str, tuple[Party, ...]] = {}
        self._slots: dict[tuple[str, ...], tuple[Slot, ...]] = {}

    @cached_property
    def validations(self) -> ValidationJudge:
        return ValidationJudge(self)

    def section_activation(self, section: Section) -> Activation:
        if section.key not in self._sections:
            # A rule that leads back here finds the section inactive, so a circle ends.
            self._sections[section.key] = _CYCLE
            self._sections[section.key] = self._apply_rule(section.depends_on, section, "", None)
        return self._sections[section.key]

    @property
    def active_share_section(self) -> Section | None:
        section = self.schema.share_section
        return section if section and self.section_activation(section).active else None

    def field_activation(self, section: Section, spec: FieldSpec, holder: Holder = None) -> Activation:
        """Tell whether the field is active for the entity, a party or a share class."""
        section_activation = self.section_activation(section)
        if not section_activation.active:
            return section_activation
        if spec.depends_on is None:
            return _ALWAYS
        group = group_of(holder)
        key = (section.key, group, spec.key, holder_id(holder))
        if key not in self._fields:
            self._fields[key] = _CYCLE
            self._fields[key] = self._apply_rule(spec.depends_on, section, group, holder)
        return self._fields[key]

    def _apply_rule(self, rule: Condition | None, section: Section, group: str, holder: Holder) -> Activation:
        if rule is None:
            return _ALWAYS
        place = self._lookup.field(rule, section, group, holder)
        if place is None:
            return _UNKNOWN_FIELD
        for value in self.values_at(place, holder):
            if rule.holds(value):
                return Activation(True, rule, place.spec, value)
        return Activation(False, rule, place.spec)

    def values_at(self, place: FieldLocation, holder: Holder) -> Iterator[Any]:
        """Yield the active answers to a field: the holder's own if the holder is asked, else every holder's."""
        name = place.spec.name
        for answering in self._answering_holders(place, holder):
            values = self.values_of(answering)
            is_active = name in values and self.field_activation(place.section, place.spec, answering).active
            if is_active and self.objection(name, answering) is None:
                yield values[name]

    def _answering_holders(self, place: FieldLocation, holder: Holder) -> Sequence[Holder]:
        if place.group == ENTITY:
            return (None,)
        if place.group == SHARE_CLASS:
            return (holder,) if isinstance(holder, ShareClass) else self.record.share_classes
        if isinstance(holder, Party) and place.section.counts(holder.kind, holder.roles):
            return (holder,) if holder.kind == place.group else ()
        return [party for party in self.parties_in(place.section) if party.kind == place.group]

    def values_of(self, holder: Holder) -> Mapping[str, Any]:
        return (holder or self.record).answers.values

    def objection(self, name: str, holder: Holder) -> Objection | None:
        """Return the most serious objection to the answer in the active sections that ask for it, or None."""
        value = self.values_of(holder).get(name)
        if value is None:
            return None
        fields = self._active_bounded_fields(name, holder)
        objections = [spec.bounds.objection(value, spec, self.record.days) for spec in fields]
        return max(filter(None, objections), key=lambda objection: objection.distance, default=None)

    def _bounded(self, holder: Holder) -> Mapping[str, Sequence[FieldLocation]]:
        """Return the fields with bounds that may ask the holder, by the names of their answers."""
        return self._lookup.bounded.get(group_of(holder), {})

    def _active_bounded_fields(self, name: str, holder: Holder) -> Iterator[FieldSpec]:
        """Yield the fields with bounds that ask the holder for the answer in an active section."""
        for place in self._bounded(holder).get(name, ()):
            is_asked = not isinstance(holder, Party) or place.section.counts(holder.kind, holder.roles)
            if is_asked and self.field_activation(place.section, place.spec, holder).active:
                yield place.spec

    def advice(self, name: str, holder: Holder) -> str:
        """Return advice on an active answer that is possible but doubtful; "" for most."""
        value = self.values_of(holder).get(name)
        spec = next(self._active_bounded_fields(name, holder), None) if value is not None else None
        advice = spec.bounds.advice(value, self.record.days) if spec is not None else ""
        # Most answers have no advice; only for the others are the bounds judged once more.
        return advice if advice and self.objection(name, holder) is None else ""

    def advised_answers(self, holder: Holder = None) -> dict[str, str]:
        return {name: advice for name in self._bounded(holder) if (advice := self.advice(name, holder))}

    def impossible_answers(self, holder: Holder = None) -> dict[str, Problem]:
        """Return, by name, the problem of each answer of the holder that can be read but cannot be true."""
        problems = {}
        for name in self._bounded(holder):
            objection = self.objection(name, holder)
            if objection is not None:
                problems[name] = Problem(name, objection.code, objection.message)
        return problems

    def parties_in(self, section: Section) -> tuple[Party, ...]:
        if section.key not in self._parties_in:
            parties = tuple(party for party in self.record.parties if section.counts(party.kind, party.roles))
            self._parties_in[section.key] = parties
        return self._parties_in[section.key]

    def minimum_of(self, section: Section) -> Minimum:
        """Return a section's minimum: 0 if inactive, the conditional one while its condition holds, else the base."""
        if not self.section_activation(section).active:
            return Minimum(0)
        rule = section.conditional_min
        if rule and (place := self._lookup.entity_field(rule.field)):
            count = count_of(rule.minimum)
            for value in self.values_at(place, None):
                if count is not None and rule.holds(value):
                    return Minimum(count, reasons.because(place.spec, value))
        return Minimum(section.base_minimum)

    def questions(self, section: Section, holder: Holder = None) -> tuple[Question, ...]:
        key = (section.key, holder_id(holder))
        if key not in self._questions:
            questions = []
            for spec in section.groups.get(group_of(holder), ()):
                activation = self.field_activation(section, spec, holder)
                is_answerable = not spec.provided_by_agent and self.schema.why_unanswerable(spec) is None
                is_required = activation.active and spec.required and is_answerable
                questions.append(Question(section, spec, activation, is_required))
            self._questions[key] = tuple(questions)
        return self._questions[key]

    def party_questions(self, party: Party) -> tuple[Question, ...]:
        """Return the fields of the party's role sections, one for each name.

        A field is active if it is active in any section, and required if it is required in any.
        """
        key = (party.id, party.roles)
        if key not in self._party_questions:
            merged: dict[str, Question] = {}
            for section in self.schema.sections_for(party.kind, party.roles):
                for new in self.questions(section, party):
                    old = merged.get(new.spec.name)
                    if old is None or (new.activation.active and not old.activation.active):
                        merged[new.spec.name] = new
                    elif new.required and not old.required:
                        merged[new.spec.name] = old._replace(required=True)
            self._party_questions[key] = tuple(merged.values())
        return self._party_questions[key]

    def holder_questions(self, holder: Holder) -> tuple[Question, ...]:
        """Return every field that the form has for the holder, active or not; None is the entity."""
        if isinstance(holder, Party):
            return self.party_questions(holder)
        sections = self.schema.entity_sections
        if holder is not None:
            sections = tuple(filter(None, [self.schema.share_section]))
        questions: list[Question] = []
        for section in sections:
            questions += self.questions(section, holder)
        return tuple(questions)

    def active_answers(self, holder: Holder = None) -> Iterator[tuple[FieldSpec, Any]]:
        """Yield the holder's active, readable and possible answers, each name once. No other answer is sent."""
        values = self.values_of(holder)
        impossible = self.impossible_answers(holder)
        specs: dict[str, FieldSpec] = {}
        for question in self.holder_questions(holder):
            name = question.spec.name
            if question.activation.active and name in values and name not in impossible:
                specs.setdefault(name, question.spec)
        return ((spec, values[name]) for name, spec in specs.items())

    def active_roles(self, party: Party) -> tuple[str, ...]:
        """Return the party's roles whose sections are active and allow its kind; only these are sent."""
        sections = self.schema.sections_for(party.kind, party.roles)
        return tuple(section.role for section in sections if section.role and self.section_activation(section).active)

    def slots(self, party: Party | None = None) -> tuple[Slot, ...]:
        """Return the documents asked of a party, or of the entity itself, in active sections."""
        kind = ENTITY
        roles: tuple[str, ...] = ()
        sections = self.schema.entity_sections
        if party is not None:
            kind = party.kind
            roles = party.roles
            sections = self.schema.sections_for(kind, roles)
        key = (kind, *roles)
        if key not in self._slots:
            merged: dict[str, Slot] = {}
            for section in sections:
                if not self.section_activation(section).active:
                    continue
                for slot in section.slots(kind):
                    old = merged.get(slot.name) or Slot.model_construct(section=section, **dict(slot))
                    update = {"required": old.required or slot.required, "help": old.help or slot.help}
                    merged[slot.name] = old.model_copy(update=update)
            self._slots[key] = tuple(merged.values())
        return self._slots[key]


def group_of(holder: Holder) -> str:
    """Return the key of the holder's questions in `Section.groups`."""
    if isinstance(holder, Party):
        return holder.kind
    return SHARE_CLASS if isinstance(holder, ShareClass) else ENTITY


def find_field(
    schema: FormSchema, rule: Condition, section: Section, group: str, holder: Holder
) -> FieldLocation | None:
    return lookup_of(schema).field(rule, section, group, holder)


def why_asked(schema: FormSchema, section: Section, spec: FieldSpec, holder: Holder) -> str:
    """Return the sentence on when a question is asked; "" without a rule, or with a rule that names no question."""
    if spec.depends_on is None:
        return ""
    place = find_field(schema, spec.depends_on, section, group_of(holder), holder)
    if place is None:
        return ""
    return reasons.asked_where(spec.depends_on, place.spec)


def lookup_of(schema: FormSchema) -> FieldLookup:
    return schema.cached(FieldLookup)
