"""What the rules set aside: kept as it was typed, asked no more, never sent; and what a change sets aside anew."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from .fields.base import FieldSpec
from .reach import NOTHING_REACHED, Reach, reach_of
from .record import Answers, Holder, Party, ShareClass
from .rules import FormState, Question, evaluate, field_locations, group_of, lookup_of
from .schema import FormSchema, Section

# So many answers come and go without a word beside the one that says how many.
_FEW_ANSWERS = 3


@dataclass(frozen=True, slots=True)
class InactiveAnswer:
    """One answer: the first section that asks for it, whose it is (None: the entity's), and its name."""

    section: str
    holder: str | None
    name: str


@dataclass(frozen=True, slots=True)
class Inactive:
    """Sections that hold something, parties that have no other role, classes of shares, and single answers elsewhere.

    By their keys and ids. The answers of parties and classes that are set aside themselves are not listed.
    """

    sections: frozenset[str] = frozenset()
    parties: frozenset[str] = frozenset()
    share_classes: frozenset[str] = frozenset()
    answers: frozenset[InactiveAnswer] = frozenset()

    @property
    def is_much(self) -> bool:
        """Whether it should be said: more than a few answers, or anything that is more than an answer."""
        return bool(self.sections or self.parties or self.share_classes) or len(self.answers) > _FEW_ANSWERS


def all_inactive(form_state: FormState) -> Inactive:
    """Everything that is set aside as things stand."""
    parties = frozenset(party.id for party in form_state.record.parties if is_inactive(form_state, party))
    classes = (
        frozenset(one.id for one in form_state.record.share_classes) if shares_are_inactive(form_state) else frozenset()
    )
    holders: tuple[Holder, ...] = (None, *form_state.record.parties, *form_state.record.share_classes)
    answers = frozenset(
        InactiveAnswer(asked.section.key, holder.id if holder else None, asked.spec.name)
        for holder in holders
        if holder is None or holder.id not in parties | classes
        for asked in inactive_questions(form_state, holder)
    )
    holding = {answer.section for answer in answers if answer.holder is None}
    sections = frozenset(
        section.key
        for section in form_state.schema.sections
        if not form_state.section_activation(section).active
        and (section.key in holding or _has_members(form_state, section))
    )
    return Inactive(sections, parties, classes, answers)


def newly_inactive(before: FormState, after: FormState) -> Inactive:
    """What a change has set aside. What goes with its whole section is counted there, and not by answers."""
    return _difference(all_inactive(before), all_inactive(after), before, after)


def inactive_by(
    names: Iterable[str], before: FormState, after: FormState, *, was: Party | None = None, now: Party | None = None
) -> Inactive:
    """The same, where it is known that the answers of these names alone have changed: only what they reach is compared.

    The answers are the entity's, or those of the party that stood as `was` and stands as `now`.
    """
    reach = _reach_of(names, before.schema, was)
    return _difference(_inactive_within(before, reach, was), _inactive_within(after, reach, now), before, after)


def can_be_much(schema: FormSchema, name: str, party: Party | None = None) -> bool:
    """Whether another answer of that name could set aside much (`is_much`), as far as the rules alone tell."""
    reach = reach_of(schema, group_of(party), name)
    is_more = bool(reach.sections or reach.roles or reach.has_classes)
    return is_more or sum(map(len, reach.names.values())) > _FEW_ANSWERS


def inactive_without(names: Iterable[str], form_state: FormState, party: Party | None = None) -> dict[str, Inactive]:
    """By name, what would be set aside without the answer of that name: all that another one can set aside.

    The answers are the party's, or else the entity's.
    """
    record = form_state.record
    answers = party.answers if party else record.answers
    found = {}
    for name in names:
        left = Answers({key: value for key, value in answers.values.items() if key != name}, answers.problems)
        if party is None:
            changed, without = None, replace(record, answers=left)
        else:
            changed, without = replace(party, answers=left), record
            if reach_of(form_state.schema, party.kind, name).reads_others:
                parties = tuple(changed if one.id == party.id else one for one in record.parties)
                without = replace(record, parties=parties)
        found[name] = inactive_by([name], form_state, evaluate(form_state.schema, without), was=party, now=changed)
    return found


def _reach_of(names: Iterable[str], schema: FormSchema, party: Party | None) -> Reach:
    """What all of them reach together, and whatever the holder's new or lost answers of the names themselves are."""
    found = NOTHING_REACHED
    for name in names:
        found |= reach_of(schema, group_of(party), name)
    return found


def _inactive_within(form_state: FormState, reach: Reach, own: Party | None) -> Inactive:
    """What is set aside of that which is reached; `own` is the party whose answers reach it.

    Parties are asked for only where some of theirs is reached.
    """
    schema, record = form_state.schema, form_state.record
    sections = [section for section in schema.sections if section.key in reach.sections]
    reached = {section.role for section in sections if section.role} | reach.roles
    others = [one for one in record.parties if not reached.isdisjoint(one.roles)] if reached else []
    parties = [*(one for one in others if own is None or one.id != own.id), *([own] if own else [])]
    classes = record.share_classes if reach.has_classes else ()
    gone = frozenset(one.id for one in parties if is_inactive(form_state, one))
    gone_classes = frozenset(one.id for one in classes) if shares_are_inactive(form_state) else frozenset()
    holders: tuple[Holder, ...] = (None, *parties, *classes)
    answers = frozenset(
        InactiveAnswer(section.key, holder.id if holder else None, spec.name)
        for holder in holders
        if holder is None or holder.id not in gone | gone_classes
        for section, spec in _inactive_fields(form_state, holder, reach.names.get(group_of(holder), frozenset()))
    )
    holding = {answer.section for answer in answers if answer.holder is None}
    inactive = frozenset(
        section.key
        for section in sections
        if not form_state.section_activation(section).active
        and (section.key in holding or _has_members(form_state, section))
    )
    return Inactive(inactive, gone, gone_classes, answers)


def _inactive_fields(
    form_state: FormState, holder: Holder, names: frozenset[str]
) -> Iterable[tuple[Section, FieldSpec]]:
    """As `inactive_questions`, of these names alone."""
    answers, schema = (holder.answers if holder else form_state.record.answers), form_state.schema
    if not names:
        return ()
    if isinstance(holder, Party):
        asking = schema.sections_for(holder.kind, holder.roles)
    elif isinstance(holder, ShareClass):
        asking = (schema.share_section,) if schema.share_section else ()
    else:
        asking = schema.entity_sections
    keys, group, lookup = {section.key for section in asking}, group_of(holder), lookup_of(schema)
    found = []
    for name in names & (answers.values.keys() | answers.problems.keys()):
        places = [one for one in lookup.asking_for(name) if one.group == group and one.section.key in keys]
        if places and not any(form_state.field_activation(one.section, one.spec, holder).active for one in places):
            found.append((places[0].section, places[0].spec))
    return found


def _difference(was: Inactive, now: Inactive, before: FormState, after: FormState) -> Inactive:
    sections = frozenset(
        section.key
        for section in after.schema.sections
        if section.key in now.sections and before.section_activation(section).active
    )
    return Inactive(
        sections=sections,
        parties=now.parties - was.parties,
        share_classes=now.share_classes - was.share_classes,
        answers=frozenset(one for one in now.answers - was.answers if one.section not in sections),
    )


def inactive_questions(form_state: FormState, holder: Holder) -> tuple[Question, ...]:
    """The holder's questions that were answered and that nothing asks at present, each once."""
    answers = holder.answers if holder else form_state.record.answers
    asked = form_state.holder_questions(holder)
    active = {one.spec.name for one in asked if one.activation.active}
    found: dict[str, Question] = {}
    for one in asked:
        name = one.spec.name
        if name not in active and (name in answers.values or name in answers.problems):
            found.setdefault(name, one)
    return tuple(found.values())


def is_inactive(form_state: FormState, party: Party) -> bool:
    """Whether none of the party's roles is asked at present."""
    sections = form_state.schema.sections_of(party.roles)
    return bool(sections) and not any(form_state.section_activation(section).active for section in sections)


def shares_are_inactive(form_state: FormState) -> bool:
    """Whether there is a section about shares that is not asked at present."""
    section = form_state.schema.share_section
    return section is not None and not form_state.section_activation(section).active


def _has_members(form_state: FormState, section: Section) -> bool:
    """Whether anybody has the section's role, or any class of shares is defined in it."""
    if section.is_share_structure:
        return section == form_state.schema.share_section and bool(form_state.record.share_classes)
    return any(section.role in party.roles for party in form_state.record.parties)


def answers_in_rules(schema: FormSchema) -> frozenset[str]:
    """The names of the answers that rules read: to change one may set something aside."""
    return schema.cached(_answers_in_rules)


def _answers_in_rules(schema: FormSchema) -> frozenset[str]:
    rules = [rule for section in schema.sections for rule in (section.depends_on, section.conditional_min)]
    rules += [place.spec.depends_on for place in field_locations(schema)]
    words = {rule.field for rule in rules if rule is not None}
    return frozenset(
        place.spec.name
        for place in field_locations(schema)
        if words & {place.spec.key, place.spec.canonical_field, place.spec.csp_field_key}
    )
