"""What the rules set aside: kept as it was typed, asked no more, never sent; and what a change sets aside anew."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from .conditions import Condition, ConditionalMinimum
from .places import all_places
from .record import Holder, Party
from .rules import Question, Standing, settle
from .schema import FormSchema, Section

# So many answers come and go without a word beside the one that says how many.
_A_FEW = 3


@dataclass(frozen=True, slots=True)
class ParkedAnswer:
    """One answer: the first section that asks for it, whose it is (None: the entity's), and its name."""

    section: str
    holder: str | None
    name: str


@dataclass(frozen=True, slots=True)
class Parked:
    """Sections that hold something, parties that have no other role, classes of shares, and single answers elsewhere.

    By their keys and ids. The answers of parties and classes that are set aside themselves are not listed.
    """

    sections: frozenset[str] = frozenset()
    parties: frozenset[str] = frozenset()
    share_classes: frozenset[str] = frozenset()
    answers: frozenset[ParkedAnswer] = frozenset()

    @property
    def is_much(self) -> bool:
        """Whether it should be said: more than a few answers, or anything that is more than an answer."""
        return bool(self.sections or self.parties or self.share_classes) or len(self.answers) > _A_FEW


def parked(standing: Standing) -> Parked:
    """Everything that is set aside as things stand."""
    parties = frozenset(party.id for party in standing.record.parties if is_parked(standing, party))
    classes = frozenset(one.id for one in standing.record.share_classes) if shares_are_parked(standing) else frozenset()
    holders: tuple[Holder, ...] = (None, *standing.record.parties, *standing.record.share_classes)
    answers = frozenset(
        ParkedAnswer(asked.section.key, holder.id if holder else None, asked.spec.name)
        for holder in holders
        if holder is None or holder.id not in parties | classes
        for asked in parked_questions(standing, holder)
    )
    holding = {answer.section for answer in answers if answer.holder is None}
    sections = frozenset(
        section.key
        for section in standing.schema.sections
        if not standing.section(section).active and (section.key in holding or _has_members(standing, section))
    )
    return Parked(sections, parties, classes, answers)


def set_aside(before: Standing, after: Standing) -> Parked:
    """What a change has set aside. What goes with its whole section is counted there, and not by answers."""
    return _newly(parked(before), before, after)


def hanging_on(names: Iterable[str], standing: Standing, party: Party | None = None) -> dict[str, Parked]:
    """By name, what would be set aside without the answer of that name: all that another one can set aside.

    The answers are the party's, or else the entity's.
    """
    was = parked(standing)
    return {name: _newly(was, standing, _without(name, standing, party)) for name in names}


def _without(name: str, standing: Standing, party: Party | None) -> Standing:
    record = standing.record
    answers = party.answers if party else record.answers
    left = replace(answers, values={key: value for key, value in answers.values.items() if key != name})
    if party is None:
        return settle(standing.schema, replace(record, answers=left))
    parties = tuple(replace(one, answers=left) if one.id == party.id else one for one in record.parties)
    return settle(standing.schema, replace(record, parties=parties))


def _newly(was: Parked, before: Standing, after: Standing) -> Parked:
    now = parked(after)
    sections = frozenset(
        section.key
        for section in after.schema.sections
        if section.key in now.sections and before.section(section).active
    )
    return Parked(
        sections=sections,
        parties=now.parties - was.parties,
        share_classes=now.share_classes - was.share_classes,
        answers=frozenset(one for one in now.answers - was.answers if one.section not in sections),
    )


def parked_questions(standing: Standing, holder: Holder) -> tuple[Question, ...]:
    """The holder's questions that were answered and that nothing asks at present, each once."""
    answers = holder.answers if holder else standing.record.answers
    asked = _questions(standing, holder)
    active = {one.spec.name for one in asked if one.verdict.active}
    found: dict[str, Question] = {}
    for one in asked:
        name = one.spec.name
        if name not in active and (name in answers.values or name in answers.problems):
            found.setdefault(name, one)
    return tuple(found.values())


def is_parked(standing: Standing, party: Party) -> bool:
    """Whether none of the party's roles is asked at present."""
    sections = standing.schema.sections_of(party.roles)
    return bool(sections) and not any(standing.section(section).active for section in sections)


def shares_are_parked(standing: Standing) -> bool:
    """Whether there is a section about shares that is not asked at present."""
    section = standing.schema.share_section
    return section is not None and not standing.section(section).active


def _questions(standing: Standing, holder: Holder) -> tuple[Question, ...]:
    if isinstance(holder, Party):
        return standing.party_questions(holder)
    share = standing.schema.share_section
    sections = standing.schema.entity_sections if holder is None else (share,) if share else ()
    return tuple(one for section in sections for one in standing.questions(section, holder))


def _has_members(standing: Standing, section: Section) -> bool:
    """Whether anybody has the section's role, or any class of shares is defined in it."""
    if section.is_share_structure:
        return section == standing.schema.share_section and bool(standing.record.share_classes)
    return section.is_role and any(section.role in party.roles for party in standing.record.parties)


def choices(schema: FormSchema) -> frozenset[str]:
    """The names of the answers that rules read: to change one may set something aside."""
    return schema.remembered(_choices)


def _choices(schema: FormSchema) -> frozenset[str]:
    words = {rule.field for section in schema.sections for rule in _rules(section)}
    return frozenset(
        place.spec.name
        for place in all_places(schema)
        if words & {place.spec.key, place.spec.canonical_field, place.spec.csp_field_key}
    )


def _rules(section: Section) -> Iterator[Condition | ConditionalMinimum]:
    specs = (spec for group in section.groups.values() for spec in group)
    rules = (section.depends_on, section.conditional_min, *(spec.depends_on for spec in specs))
    return (rule for rule in rules if rule is not None)
