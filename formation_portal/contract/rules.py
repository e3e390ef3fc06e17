"""What is active, required and minimal, with the reason in words (supplement, "Rules").

`evaluate` is a pure function of schema and record. Drawing, validation, progress, relay, review and the service's own
check on submit use it. `FormState` works out an answer when it is asked for and remembers it. A rule names a field by a
word; `FieldLookup` finds the field that is meant: in the rule's own section, then the entity's, then the others. How
rules are put into words is in `reasons`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, groupby
from typing import Any, NamedTuple

from . import reasons
from .conditions import Condition, count_of
from .fields.base import FieldSpec
from .fields.bounds import NO_BOUNDS, Objection
from .fields.values import Problem
from .localisation import gettext, gettext_noop
from .record import Holder, Party, Record, ShareClass
from .schema import ENTITY, SHARE_CLASS, DocumentSlot, FormSchema, Section


@dataclass(frozen=True, slots=True, eq=False)
class FieldLocation:
    """One field in one list of one section."""

    section: Section
    group: str
    spec: FieldSpec

    @property
    def id(self) -> tuple[str, str, str]:
        """Hashable and stable."""
        return (self.section.key, self.group, self.spec.key)


def field_locations(schema: FormSchema) -> Iterator[FieldLocation]:
    """Every field of the schema, with those that are implied."""
    for section in schema.sections:
        for group, specs in section.groups.items():
            for spec in specs:
                yield FieldLocation(section, group, spec)


class BoundedFields:
    """The fields of a schema that have bounds, by the group of their holders and the name of the answer."""

    def __init__(self, schema: FormSchema) -> None:
        self._places: dict[tuple[str, str], list[FieldLocation]] = {}
        for place in field_locations(schema):
            if place.spec.bounds != NO_BOUNDS:
                self._places.setdefault((place.group, place.spec.name), []).append(place)

    def named(self, group: str, name: str) -> Sequence[FieldLocation]:
        return self._places.get((group, name), ())


class FieldLookup:
    """Finds the fields that a rule's word may mean, best first. Made once for a schema."""

    def __init__(self, schema: FormSchema) -> None:
        self._named: dict[str, list[FieldLocation]] = {}
        self._ordered: dict[tuple[str, str, str], list[FieldLocation]] = {}
        for place in field_locations(schema):
            for word in {place.spec.key, place.spec.canonical_field, place.spec.csp_field_key} - {None}:
                self._named.setdefault(str(word), []).append(place)

    def asking_for(self, name: str) -> Iterator[FieldLocation]:
        """The fields whose answers have that name, in the order of the schema."""
        return (place for place in self._named.get(name, ()) if place.spec.name == name)

    def candidates(self, word: str, *, section: Section, group: str) -> list[FieldLocation]:
        """The fields called `word`, in the order in which a rule standing in the section means them."""
        place_of_rule = (word, section.key, group)
        if place_of_rule not in self._ordered:
            self._ordered[place_of_rule] = self._candidates(word, section, group)
        return self._ordered[place_of_rule]

    def _candidates(self, word: str, section: Section, group: str) -> list[FieldLocation]:

        def distance(place: FieldLocation) -> int:
            if place.section.key == section.key:
                return 0 if place.group == group else 1
            return 2 if place.section.is_entity else 3

        return sorted(self._named.get(word, ()), key=distance)

    def field(self, rule: Condition, section: Section, group: str, holder: Holder) -> FieldLocation | None:
        """The field that a rule means, standing in the section, for the holder; None where there is none."""
        candidates = self.candidates(rule.field, section=section, group=group)
        if isinstance(holder, Party):
            held = (place for place in candidates if place.section.counts(holder.kind, holder.roles))
            own = (place for place in held if place.group == holder.kind)
            return next(own, candidates[0] if candidates else None)
        return candidates[0] if candidates else None

    def entity_field(self, word: str) -> FieldLocation | None:
        """The entity's field called `word`; a conditional minimum never reads a party's answer."""
        return next((place for place in self._named.get(word, ()) if place.group == ENTITY), None)


@dataclass(frozen=True, slots=True)
class Activation:
    """Whether a field or section is active, and why; no rule, no reason.

    `named` is the label of the question whose answer decides.
    """

    active: bool
    why: Callable[[], str] | None = field(default=None, compare=False, repr=False)
    decided_by: str = ""

    @property
    def reason(self) -> str:
        """Why, as a sentence. It is put into words when somebody reads it: few of a large form's are."""
        return self.why() if self.why else ""


@dataclass(frozen=True, slots=True)
class Minimum:
    """How many parties a role needs, and why where a condition decides."""

    count: int
    reason: str = ""


class Question(NamedTuple):
    """One field as it stands for one holder."""

    section: Section
    spec: FieldSpec
    activation: Activation
    required: bool


class Slot(DocumentSlot):
    """One document asked of a party or of the entity; a name that two roles share is one slot."""

    section: Section


_ALWAYS = Activation(True)
_UNKNOWN_FIELD = Activation(
    False, partial(gettext, gettext_noop("Not asked, because its rule refers to a question that is not in this form"))
)
_CYCLE = Activation(False, partial(gettext, gettext_noop("Not asked, because its rules refer to each other")))


@dataclass(frozen=True, slots=True)
class _Run:
    """Neighbours in a list that stand under the same rule, each with whether it is required while it is active.

    `unconditional` are their questions as they stand in an active section, where they have no rule.
    """

    fields: tuple[tuple[FieldSpec, bool], ...]
    unconditional: tuple[Question, ...]


class _Plans:
    """What can be said of a schema's questions before anything is answered."""

    def __init__(self, schema: FormSchema) -> None:
        self._schema = schema
        self._plans: dict[tuple[str, str], tuple[_Run, ...]] = {}

    def of(self, section: Section, group: str) -> tuple[_Run, ...]:
        """The fields of a list of a section, in their order."""
        known = (section.key, group)
        if known not in self._plans:
            runs = groupby(section.groups.get(group, ()), key=lambda spec: spec.depends_on)
            self._plans[known] = tuple(self._run(section, rule, tuple(specs)) for rule, specs in runs)
        return self._plans[known]

    def _run(self, section: Section, rule: Condition | None, specs: tuple[FieldSpec, ...]) -> _Run:
        fields = tuple(
            (spec, spec.required and not spec.provided_by_agent and self._schema.why_unanswerable(spec) is None)
            for spec in specs
        )
        always = (Question(section, spec, _ALWAYS, required=is_required) for spec, is_required in fields)
        return _Run(fields, tuple(always) if rule is None else ())


def evaluate(schema: FormSchema, record: Record) -> "FormState":
    """How everything in the schema stands, given what the record says."""
    return FormState(schema, record)


class FormState:
    """The settled state of one application; ask it about sections, fields, minimums and slots."""

    def __init__(self, schema: FormSchema, record: Record) -> None:
        self.schema = schema
        self.record = record
        self._lookup = lookup_of(schema)
        self._bounded = schema.cached(BoundedFields)
        self._plans = schema.cached(_Plans)
        self._fields: dict[tuple[str, str, str, str | None], Activation] = {}
        self._sections: dict[str, Activation] = {}
        self._questions: dict[tuple[str, str | None], tuple[Question, ...]] = {}
        self._party_questions: dict[tuple[str, tuple[str, ...]], tuple[Question, ...]] = {}
        self._parties_in: dict[str, tuple[Party, ...]] = {}
        self._active_roles: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._slots: dict[tuple[str, ...], tuple[Slot, ...]] = {}

    def section_activation(self, section: Section) -> Activation:
        if section.key not in self._sections:
            # A circle, were the schema used in spite of it, counts as inactive instead of running for ever.
            self._sections[section.key] = _CYCLE
            self._sections[section.key] = self._apply_rule(section.depends_on, section, "", None)
        return self._sections[section.key]

    def field_activation(self, section: Section, spec: FieldSpec, holder: Holder = None) -> Activation:
        """Whether the field is active for the entity, a party or a share class."""
        whole = self.section_activation(section)
        if not whole.active:
            return whole
        if spec.depends_on is None:
            return _ALWAYS
        group = group_of(holder)
        known = (section.key, group, spec.key, holder.id if holder else None)
        if known not in self._fields:
            self._fields[known] = _CYCLE
            self._fields[known] = self._apply_rule(spec.depends_on, section, group, holder)
        return self._fields[known]

    def _apply_rule(self, rule: Condition | None, section: Section, group: str, holder: Holder) -> Activation:
        if rule is None:
            return _ALWAYS
        place = self._lookup.field(rule, section, group, holder)
        if place is None:
            return _UNKNOWN_FIELD
        for value in self.values_at(place, holder):
            if rule.holds(value):
                return Activation(True, partial(reasons.asked_because, rule, place.spec, value), place.spec.label)
        return Activation(False, partial(reasons.only_asked_if, rule, place.spec), place.spec.label)

    def values_at(self, place: FieldLocation, holder: Holder) -> Iterator[Any]:
        """The active answers to the named field: the holder's own if it has one, else those of anybody there."""
        name = place.spec.name
        for one in self._holders(place, holder):
            values = self.values_of(one)
            is_active = name in values and self.field_activation(place.section, place.spec, one).active
            if is_active and self.objection(name, one) is None:
                yield values[name]

    def values_of(self, holder: Holder) -> Mapping[str, Any]:
        """Return the holder's answers that can be read, by name; those of the entity for None."""
        return (holder.answers if holder else self.record.answers).values

    def objection(self, name: str, holder: Holder) -> Objection | None:
        """Return why the holder's answer cannot be true by the bounds of any active section that asks for it.

        The most serious objection is that of the strictest bound (supplement, "Bounds").
        """
        values = self.values_of(holder)
        if name not in values or not self._bounded.named(group_of(holder), name):
            return None
        objections = []
        for spec in self._active_bounded_fields(name, holder):
            objection = spec.objection(values[name], days=self.record.days)
            if objection is not None:
                objections.append(objection)
        return max(objections, key=lambda objection: objection.distance, default=None)

    def _active_bounded_fields(self, name: str, holder: Holder) -> Iterator[FieldSpec]:
        """Yield the fields with bounds that ask the holder for the answer in an active section."""
        for place in self._bounded.named(group_of(holder), name):
            is_asked = not isinstance(holder, Party) or place.section.counts(holder.kind, holder.roles)
            if is_asked and self.field_activation(place.section, place.spec, holder).active:
                yield place.spec

    def advice(self, name: str, holder: Holder) -> str:
        """Return what is worth a second look in an active answer that can be true; "" for most."""
        values = self.values_of(holder)
        is_bounded = bool(self._bounded.named(group_of(holder), name))
        if name not in values or not is_bounded or self.objection(name, holder) is not None:
            return ""
        spec = next(self._active_bounded_fields(name, holder), None)
        return spec.bounds.advice(values[name], self.record.days) if spec else ""

    def advised_answers(self, holder: Holder = None) -> dict[str, str]:
        """Return what is worth a second look among the holder's answers, by name."""
        return {name: advice for name in self.values_of(holder) if (advice := self.advice(name, holder))}

    def impossible_answers(self, holder: Holder = None) -> dict[str, Problem]:
        """Return the problems of the holder's answers that can be read but cannot be true, by name."""
        problems = {}
        for name in self.values_of(holder):
            objection = self.objection(name, holder)
            if objection is not None:
                problems[name] = Problem(name, objection.code, objection.message)
        return problems

    def _holders(self, place: FieldLocation, holder: Holder) -> tuple[Holder, ...]:
        if place.group == ENTITY:
            return (None,)
        if place.group == SHARE_CLASS:
            return (holder,) if isinstance(holder, ShareClass) else self.record.share_classes
        is_own = isinstance(holder, Party) and place.section.counts(holder.kind, holder.roles)
        there = (holder,) if isinstance(holder, Party) and is_own else self.parties_in(place.section)
        return tuple(party for party in there if party.kind == place.group)

    def parties_in(self, section: Section) -> tuple[Party, ...]:
        """The parties that have the section's role, which their kind can have."""
        if section.key not in self._parties_in:
            there = tuple(party for party in self.record.parties if section.counts(party.kind, party.roles))
            self._parties_in[section.key] = there
        return self._parties_in[section.key]

    def minimum_of(self, section: Section) -> Minimum:
        """The effective minimum: 0 when inactive, else the conditional one while its condition holds, else the base."""
        if not self.section_activation(section).active:
            return Minimum(0)
        rule = section.conditional_min
        place = self._lookup.entity_field(rule.field) if rule else None
        least = count_of(rule.minimum) if rule else None
        if rule and place and least is not None:
            for value in self.values_at(place, None):
                if rule.holds(value):
                    return Minimum(least, reasons.because(place.spec, value))
        return Minimum(section.base_minimum)

    def questions(self, section: Section, holder: Holder = None) -> tuple[Question, ...]:
        """Every field that the section has for the holder, active or not."""
        known = (section.key, holder.id if holder else None)
        if known not in self._questions:
            whole = self.section_activation(section)
            questions: list[Question] = []
            for run in self._plans.of(section, group_of(holder)):
                if run.unconditional and whole.active:
                    questions += run.unconditional
                    continue
                activation = self.field_activation(section, run.fields[0][0], holder)
                questions += [
                    Question(section, spec, activation, is_required and activation.active)
                    for spec, is_required in run.fields
                ]
            self._questions[known] = tuple(questions)
        return self._questions[known]

    def party_questions(self, party: Party) -> tuple[Question, ...]:
        """Every field of the party's role sections, once by name: active if it is in any, required if it is in any."""
        known = (party.id, party.roles)
        if known not in self._party_questions:
            self._party_questions[known] = self._merged_questions(party)
        return self._party_questions[known]

    def _merged_questions(self, party: Party) -> tuple[Question, ...]:
        merged: dict[str, Question] = {}
        for section in self.schema.sections_for(party.kind, party.roles):
            for new in self.questions(section, party):
                old = merged.get(new.spec.name)
                if old is None or (new.activation.active and not old.activation.active):
                    merged[new.spec.name] = new
                elif new.required and not old.required:
                    merged[new.spec.name] = Question(old.section, old.spec, old.activation, required=True)
        return tuple(merged.values())

    def holder_questions(self, holder: Holder) -> tuple[Question, ...]:
        """Every field that the form has for the holder, active or not; None is the entity."""
        if isinstance(holder, Party):
            return self.party_questions(holder)
        share = self.schema.share_section
        sections = self.schema.entity_sections if holder is None else (share,) if share else ()
        return tuple(chain.from_iterable(self.questions(section, holder) for section in sections))

    def active_answers(self, holder: Holder = None) -> Iterator[tuple[FieldSpec, Any]]:
        """The holder's active answers that can be read and can be true, once each by name. No other ever leaves."""
        values, impossible = self.values_of(holder), self.impossible_answers(holder)
        found: dict[str, FieldSpec] = {}
        for _, spec, activation, _ in self.holder_questions(holder):
            if activation.active and spec.name in values and spec.name not in impossible:
                found.setdefault(spec.name, spec)
        return ((spec, values[name]) for name, spec in found.items())

    def active_roles(self, party: Party) -> tuple[str, ...]:
        """The party's roles whose sections are active and take its kind; only these are sent."""
        return self.active_roles_of(party.kind, party.roles)

    def active_roles_of(self, kind: str, roles: tuple[str, ...]) -> tuple[str, ...]:
        """The same for whoever is of the kind and has these roles."""
        known = (kind, *roles)
        if known not in self._active_roles:
            self._active_roles[known] = tuple(
                section.role
                for section in self.schema.sections_for(kind, roles)
                if section.role and self.section_activation(section).active
            )
        return self._active_roles[known]

    def slots(self, party: Party | None = None) -> tuple[Slot, ...]:
        """The documents asked of a party, or of the entity itself, in active sections."""
        return self.slots_of(party.kind, party.roles) if party else self.slots_of()

    def slots_of(self, kind: str = ENTITY, roles: tuple[str, ...] = ()) -> tuple[Slot, ...]:
        """The same for whoever is of the kind and has these roles."""
        known = (kind, *roles)
        if known not in self._slots:
            self._slots[known] = self._merged_slots(kind, roles)
        return self._slots[known]

    def _merged_slots(self, kind: str, roles: tuple[str, ...]) -> tuple[Slot, ...]:
        schema = self.schema
        sections = schema.entity_sections if kind == ENTITY else schema.sections_for(kind, roles)
        merged: dict[str, Slot] = {}
        for section in sections:
            if not self.section_activation(section).active:
                continue
            for slot in section.slots(kind):
                # Not validated again, which would make plain texts of translated ones.
                old = merged.get(slot.name) or Slot.model_construct(section=section, **dict(slot))
                both = {"required": old.required or slot.required, "help": old.help or slot.help}
                merged[slot.name] = old.model_copy(update=both)
        return tuple(merged.values())


def group_of(holder: Holder) -> str:
    """Which list of a section's fields is asked of the holder."""
    if isinstance(holder, Party):
        return holder.kind
    return SHARE_CLASS if isinstance(holder, ShareClass) else ENTITY


def find_field(
    schema: FormSchema, rule: Condition, section: Section, group: str, holder: Holder
) -> FieldLocation | None:
    """The field that a rule means, standing in the section, for the holder; None where there is none."""
    return lookup_of(schema).field(rule, section, group, holder)


def why_asked(schema: FormSchema, section: Section, spec: FieldSpec, holder: Holder) -> str:
    """Why a question is asked when it is, as a sentence; empty for one without a rule, or whose rule names nothing."""
    rule = spec.depends_on
    place = find_field(schema, rule, section, group_of(holder), holder) if rule else None
    return reasons.asked_where(rule, place.spec) if rule and place else ""


def lookup_of(schema: FormSchema) -> FieldLookup:
    """The schema's directory of fields, made once and kept with the schema."""
    return schema.cached(FieldLookup)
