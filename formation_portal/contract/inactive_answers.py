"""Find inactive answers (no longer asked for, kept as typed, not sent), and those that a change makes inactive."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .reach import Reach, reach_of
from .record import Answers, Holder, Party, ShareClass, holder_id
from .rules import FormState, Question, evaluate, field_locations, group_of, rules_of
from .schema import SHARE_CLASS, FormSchema, Section

# A change that makes at most so many answers inactive is not announced.
_FEW_ANSWERS = 3


@dataclass(frozen=True, slots=True)
class InactiveAnswer:
    """An inactive answer: the first section that asks for it, its holder's id (None for the entity), and its name."""

    section: str
    holder: str | None
    name: str


@dataclass(frozen=True, slots=True)
class Inactive:
    """Inactive sections that have content, parties without an active role, share classes, and single answers.

    Sections are given by key, parties and classes by id. The answers of inactive parties and classes are not listed.
    """

    sections: frozenset[str] = frozenset()
    parties: frozenset[str] = frozenset()
    share_classes: frozenset[str] = frozenset()
    answers: frozenset[InactiveAnswer] = frozenset()

    @property
    def is_much(self) -> bool:
        """Tell whether to announce the change: any section, party or share class, or more than a few answers."""
        return bool(self.sections or self.parties or self.share_classes) or len(self.answers) > _FEW_ANSWERS


def all_inactive(form_state: FormState) -> Inactive:
    record = form_state.record
    return _inactive(form_state, form_state.schema.sections, record.parties, record.share_classes)


def newly_inactive(before: FormState, after: FormState) -> Inactive:
    """Return what a change made inactive. The answers of a newly inactive section are not listed."""
    return _difference(all_inactive(before), all_inactive(after), before, after)


def inactive_by(
    names: Iterable[str], before: FormState, after: FormState, *, was: Holder = None, now: Holder = None
) -> Inactive:
    """Return what a change of the named answers made inactive. `was` and `now` are their holder; None is the entity."""
    reach = reach_of(before.schema, group_of(was), names)
    return _difference(_inactive_within(reach, before, was), _inactive_within(reach, after, now), before, after)


def can_be_much(schema: FormSchema, name: str, party: Party | None = None) -> bool:
    """Tell whether changing the answer could make much inactive (`is_much`), judging by the rules alone."""
    reach = reach_of(schema, group_of(party), [name])
    if reach.sections or reach.roles or SHARE_CLASS in reach.names:
        return True
    return sum(len(names) for names in reach.names.values()) > _FEW_ANSWERS


def inactive_without(names: Iterable[str], form_state: FormState, party: Party | None = None) -> dict[str, Inactive]:
    """Return, by name, what would become inactive without that answer of the party (None: the entity)."""
    record = form_state.record
    answers = (party or record).answers
    inactive = {}
    for name in names:
        values = dict(answers.values)
        values.pop(name, None)
        changed_record, changed_party = record.with_answers(party, Answers(values, answers.problems))
        changed = evaluate(form_state.schema, changed_record)
        inactive[name] = inactive_by([name], form_state, changed, was=party, now=changed_party)
    return inactive


def _inactive_within(reach: Reach, form_state: FormState, holder: Holder) -> Inactive:
    """Return what is inactive within the reach. `holder` gave the answers that have this reach."""
    record = form_state.record
    sections = [section for section in form_state.schema.sections if section.key in reach.sections]
    roles = reach.roles.union(section.role for section in sections if section.role)
    parties: list[Party] = []
    if isinstance(holder, Party):
        parties.append(holder)
    for other in record.parties:
        if not roles.isdisjoint(other.roles) and (holder is None or other.id != holder.id):
            parties.append(other)
    classes = record.share_classes if SHARE_CLASS in reach.names else ()
    return _inactive(form_state, sections, parties, classes, reach)


def _inactive(
    form_state: FormState,
    sections: Sequence[Section],
    parties: Sequence[Party],
    share_classes: Sequence[ShareClass],
    reach: Reach | None = None,
) -> Inactive:
    """Return which of these sections, parties and classes are inactive, and their inactive answers within the reach."""
    inactive_parties = frozenset(party.id for party in parties if is_inactive(form_state, party))
    inactive_classes: frozenset[str] = frozenset()
    if shares_are_inactive(form_state):
        inactive_classes = frozenset(share_class.id for share_class in share_classes)
    answers = _inactive_answers(form_state, None, reach)
    holders: tuple[Party | ShareClass, ...] = (*parties, *share_classes)
    for holder in holders:
        if holder.id not in inactive_parties | inactive_classes:
            answers |= _inactive_answers(form_state, holder, reach)
    answered_sections = {answer.section for answer in answers if answer.holder is None}
    inactive_sections = set()
    for section in sections:
        has_content = section.key in answered_sections or _has_members(form_state, section)
        if has_content and not form_state.section_activation(section).active:
            inactive_sections.add(section.key)
    return Inactive(frozenset(inactive_sections), inactive_parties, inactive_classes, frozenset(answers))


def _inactive_answers(form_state: FormState, holder: Holder, reach: Reach | None) -> set[InactiveAnswer]:
    """Return the holder's inactive answers; with a reach, those within it."""
    if reach and group_of(holder) not in reach.names:
        return set()
    answers = set()
    for question in inactive_questions(form_state, holder):
        if reach is None or question.spec.name in reach.names[group_of(holder)]:
            answers.add(InactiveAnswer(question.section.key, holder_id(holder), question.spec.name))
    return answers


def _difference(old: Inactive, new: Inactive, before: FormState, after: FormState) -> Inactive:
    sections = set()
    for section in after.schema.sections:
        if section.key in new.sections and before.section_activation(section).active:
            sections.add(section.key)
    return Inactive(
        sections=frozenset(sections),
        parties=new.parties - old.parties,
        share_classes=new.share_classes - old.share_classes,
        answers=frozenset(answer for answer in new.answers - old.answers if answer.section not in sections),
    )


def inactive_questions(form_state: FormState, holder: Holder) -> tuple[Question, ...]:
    """Return the holder's answered questions that are not asked at present, each once."""
    answers = (holder or form_state.record).answers
    questions = form_state.holder_questions(holder)
    active_names = {question.spec.name for question in questions if question.activation.active}
    inactive: dict[str, Question] = {}
    for question in questions:
        name = question.spec.name
        if name not in active_names and (name in answers.values or name in answers.problems):
            inactive.setdefault(name, question)
    return tuple(inactive.values())


def is_inactive(form_state: FormState, party: Party) -> bool:
    """Tell whether the party has roles, but none in an active section."""
    sections = form_state.schema.sections_of(party.roles)
    return bool(sections) and not any(form_state.section_activation(section).active for section in sections)


def shares_are_inactive(form_state: FormState) -> bool:
    section = form_state.schema.share_section
    return section is not None and not form_state.section_activation(section).active


def _has_members(form_state: FormState, section: Section) -> bool:
    if section.is_share_structure:
        return section == form_state.schema.share_section and bool(form_state.record.share_classes)
    return any(section.role in party.roles for party in form_state.record.parties)


def answers_in_rules(schema: FormSchema) -> frozenset[str]:
    """Return the names of the answers that rules read: changing such an answer may make others inactive."""
    return schema.cached(_answers_in_rules)


def _answers_in_rules(schema: FormSchema) -> frozenset[str]:
    fields = {rule.field for rule, _, _ in rules_of(schema)}
    fields.update(section.conditional_min.field for section in schema.sections if section.conditional_min)
    names = set()
    for place in field_locations(schema):
        if fields & {place.spec.key, place.spec.canonical_field, place.spec.csp_field_key}:
            names.add(place.spec.name)
    return frozenset(names)
