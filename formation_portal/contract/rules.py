"""What is active, required and minimal, with the reason in words (supplement, "Rules").

`settle` is a pure function of schema and record. It drives drawing, validation, progress, relay, review, and the
service's own judgement on submit. Answers are worked out when asked for and remembered, so that a page which asks
about each of its fields costs one pass over them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from . import reasons
from .conditions import Condition
from .field import FieldSpec
from .language import noted, say
from .places import Directory, Place
from .record import Holder, Party, Record, ShareClass
from .schema import ENTITY, SHARE_CLASS, DocumentSlot, FormSchema, Section


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a field or section is active, and why; no rule, no reason.

    `named` is the label of the question whose answer decides.
    """

    active: bool
    why: Callable[[], str] | None = field(default=None, compare=False, repr=False)
    named: str = ""

    @property
    def reason(self) -> str:
        """Why, as a sentence. It is put into words when somebody reads it: few of a large form's are."""
        return self.why() if self.why else ""


@dataclass(frozen=True, slots=True)
class Minimum:
    """How many parties a role needs, and why where a condition decides."""

    count: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """One field as it stands for one holder."""

    section: Section
    spec: FieldSpec
    verdict: Verdict
    required: bool


@dataclass(frozen=True, slots=True)
class Slot:
    """One document asked of a party or of the entity; a name that two roles share is one slot."""

    section: Section
    name: str
    required: bool
    help: str


_ALWAYS = Verdict(True)
_NOWHERE = Verdict(
    False, partial(say, noted("Not asked, because its rule refers to a question that is not in this form"))
)
_CIRCLE = Verdict(False, partial(say, noted("Not asked, because its rules refer to each other")))


def settle(schema: FormSchema, record: Record) -> "Standing":
    """How everything in the schema stands, given what the record says."""
    return Standing(schema, record)


class Standing:
    """The settled state of one application; ask it about sections, fields, minimums and slots."""

    def __init__(self, schema: FormSchema, record: Record) -> None:
        self.schema = schema
        self.record = record
        self._directory = directory_of(schema)
        self._fields: dict[tuple[tuple[str, str, str], str | None], Verdict] = {}
        self._sections: dict[str, Verdict] = {}
        self._questions: dict[tuple[str, str | None], tuple[Question, ...]] = {}

    def section(self, section: Section) -> Verdict:
        """Whether the section is active."""
        if section.key not in self._sections:
            # A circle, were the schema used in spite of it, counts as inactive instead of running for ever.
            self._sections[section.key] = _CIRCLE
            self._sections[section.key] = self._by_rule(section.depends_on, section, "", None)
        return self._sections[section.key]

    def field(self, section: Section, spec: FieldSpec, holder: Holder = None) -> Verdict:
        """Whether the field is active for the entity, a party or a share class."""
        return self._field(Place.of(section, group_of(holder), spec), holder)

    def _field(self, place: Place, holder: Holder) -> Verdict:
        known = (place.id, holder.id if holder else None)
        if known not in self._fields:
            self._fields[known] = _CIRCLE
            whole = self.section(place.section)
            self._fields[known] = (
                self._by_rule(place.spec.depends_on, place.section, place.group, holder) if whole.active else whole
            )
        return self._fields[known]

    def _by_rule(self, rule: Condition | None, section: Section, group: str, holder: Holder) -> Verdict:
        if rule is None:
            return _ALWAYS
        place = named_place(self.schema, rule, section, group, holder)
        if place is None:
            return _NOWHERE
        held = next((value for value in self._values(place, holder) if rule.holds(value)), None)
        if held is None:
            return Verdict(False, partial(reasons.only_asked_if, rule, place.spec), place.spec.label)
        return Verdict(True, partial(reasons.asked_because, rule, place.spec, held), place.spec.label)

    def _values(self, place: Place, holder: Holder) -> Iterator[Any]:
        """The active answers to the named field: the holder's own if it has one, else those of anybody there."""
        for one in self._holders(place, holder):
            answers = one.answers if one else self.record.answers
            if place.spec.name in answers.values and self._field(place, one).active:
                yield answers.values[place.spec.name]

    def _holders(self, place: Place, holder: Holder) -> tuple[Holder, ...]:
        if place.group == ENTITY:
            return (None,)
        if place.group == SHARE_CLASS:
            return (holder,) if isinstance(holder, ShareClass) else self.record.share_classes
        there = self.holders_of(place.section)
        if isinstance(holder, Party) and place.section.counts(holder.kind, holder.roles):
            there = (holder,)
        return tuple(party for party in there if party.kind == place.group)

    def holders_of(self, section: Section) -> tuple[Party, ...]:
        """The parties that have the section's role, which their kind can have."""
        return tuple(party for party in self.record.parties if section.counts(party.kind, party.roles))

    def tally(self, section: Section) -> int:
        """How many they are."""
        return len(self.holders_of(section))

    def minimum(self, section: Section) -> Minimum:
        """The effective minimum: 0 when inactive, else the conditional one while its condition holds, else the base."""
        if not self.section(section).active:
            return Minimum(0)
        rule = section.conditional_min
        place = self._directory.entity_field(rule.field) if rule else None
        if rule is None or place is None or not rule.has_usable_minimum:
            return Minimum(section.base_minimum)
        held = next((value for value in self._values(place, None) if rule.holds(value)), None)
        if held is None:
            return Minimum(section.base_minimum)
        return Minimum(int(rule.minimum), reasons.because(place.spec, held))

    def questions(self, section: Section, holder: Holder = None) -> tuple[Question, ...]:
        """Every field that the section has for the holder, active or not."""
        known = (section.key, holder.id if holder else None)
        if known not in self._questions:
            specs = section.groups.get(group_of(holder), ())
            self._questions[known] = tuple(self._question(section, spec, holder) for spec in specs)
        return self._questions[known]

    def party_questions(self, party: Party) -> tuple[Question, ...]:
        """Every field of the party's role sections, once by name: active if it is in any, required if it is in any."""
        merged: dict[str, Question] = {}
        for section in self.schema.sections_for(party.kind, party.roles):
            for new in self.questions(section, party):
                old = merged.get(new.spec.name)
                if old is None or (new.verdict.active and not old.verdict.active):
                    merged[new.spec.name] = new
                elif new.required and not old.required:
                    merged[new.spec.name] = Question(old.section, old.spec, old.verdict, required=True)
        return tuple(merged.values())

    def _question(self, section: Section, spec: FieldSpec, holder: Holder) -> Question:
        verdict = self.field(section, spec, holder)
        answerable = not spec.provided_by_agent and self.schema.why_unanswerable(spec) is None
        return Question(section, spec, verdict, required=spec.required and verdict.active and answerable)

    def active_roles(self, party: Party) -> tuple[str, ...]:
        """The party's roles whose sections are active and take its kind; only these are sent."""
        return tuple(
            section.role
            for section in self.schema.sections_for(party.kind, party.roles)
            if section.role and self.section(section).active
        )

    def slots(self, party: Party | None = None) -> tuple[Slot, ...]:
        """The documents asked of a party, or of the entity itself, in active sections."""
        schema = self.schema
        sections = schema.entity_sections if party is None else schema.sections_for(party.kind, party.roles)
        merged: dict[str, Slot] = {}
        for section in sections:
            if self.section(section).active:
                for slot in section.slots(group_of(party)):
                    merged[slot.name] = _merge(merged.get(slot.name), section, slot)
        return tuple(merged.values())


def _merge(old: Slot | None, section: Section, new: DocumentSlot) -> Slot:
    if old is None:
        return Slot(section, new.name, new.required, new.help)
    return Slot(old.section, old.name, old.required or new.required, old.help or new.help)


def group_of(holder: Holder) -> str:
    """Which list of a section's fields is asked of the holder."""
    if isinstance(holder, Party):
        return holder.kind
    return SHARE_CLASS if isinstance(holder, ShareClass) else ENTITY


def named_place(schema: FormSchema, rule: Condition, section: Section, group: str, holder: Holder) -> Place | None:
    """The field that a rule means, standing in the section, for the holder; None where there is none."""
    candidates = directory_of(schema).candidates(rule.field, section=section, group=group)
    if isinstance(holder, Party):
        held = (place for place in candidates if place.section.counts(holder.kind, holder.roles))
        own = (place for place in held if place.group == holder.kind)
        return next(own, candidates[0] if candidates else None)
    return candidates[0] if candidates else None


def why_asked(schema: FormSchema, section: Section, spec: FieldSpec, holder: Holder) -> str:
    """Why a question is asked when it is, as a sentence; empty for one without a rule, or whose rule names nothing."""
    rule = spec.depends_on
    place = named_place(schema, rule, section, group_of(holder), holder) if rule else None
    return reasons.asked_where(rule, place.spec) if rule and place else ""


def directory_of(schema: FormSchema) -> Directory:
    """The schema's directory of fields, made once and kept with the schema."""
    return schema.remembered(Directory)
