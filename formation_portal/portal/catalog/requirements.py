"""Who and what a form asks for, said from its schema alone, before anything is answered.

Nothing here is evaluated, since nothing is known yet. What nobody can answer, and what our agent answers, isn't listed.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, groupby

from formation_portal.contract import canonical
from formation_portal.contract.conditions import Condition
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.localisation import gettext, gettext_noop, join_list
from formation_portal.contract.reasons import if_answered, only_if
from formation_portal.contract.record import Record
from formation_portal.contract.rules import FormState, evaluate, find_field, lookup_of
from formation_portal.contract.schema import ENTITY, DocumentSlot, FormSchema, Section
from formation_portal.ui.formats import counted
from formation_portal.ui.roles import role_title

_KINDS = {
    "person": gettext_noop("a person"),
    "corporate": gettext_noop("a company"),
    "foundation": gettext_noop("a foundation"),
}
# The heading of what is asked of each kind of party.
PARTY_HEADINGS = {
    "person": gettext_noop("For each person"),
    "corporate": gettext_noop("For each company involved"),
    "foundation": gettext_noop("For each foundation involved"),
}


_FOR_THE_NEW = {
    "company": gettext_noop("About the new company"),
    "foundation": gettext_noop("About the new foundation"),
}


_EFFORT_OF_ANY = gettext_noop("{things} about the company or foundation")
_FOR_ANY_NEW = gettext_noop("For the company or foundation")
_EFFORT_OF = {
    "company": gettext_noop("{things} about the company"),
    "foundation": gettext_noop("{things} about the foundation"),
}


@dataclass(frozen=True, slots=True)
class RoleNeed:
    """One role: how many it takes, of which kinds; what it is, and the rules by which that changes."""

    role: str
    title: str
    least: str
    kinds: str
    help: str
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RequiredDocument:
    """One document: for which roles where not all ask for it, whether it may be left out, and which copies count."""

    name: str
    roles: str
    is_optional: bool
    helps: tuple[str, ...]

    @property
    def words(self) -> str:
        """In one line: "Letter, as director (optional)"."""
        said = f"{self.name}, {self.roles}" if self.roles else self.name
        return gettext("{thing} (optional)", thing=said) if self.is_optional else said


@dataclass(frozen=True, slots=True)
class DocumentGroup:
    """The documents of one kind of holder, each as a line."""

    title: str
    lines: tuple[RequiredDocument, ...]


@dataclass(frozen=True, slots=True)
class SectionPreview:
    """One section with the labels of what it asks."""

    title: str
    labels: tuple[str, ...]
    condition: str


def role_needs(schema: FormSchema) -> tuple[RoleNeed, ...]:
    """Every role of the form, in its order."""
    nothing_said = evaluate(schema, Record())
    return tuple(_role_need(schema, section, nothing_said) for section in schema.role_sections)


def _role_need(schema: FormSchema, section: Section, nothing_said: FormState) -> RoleNeed:
    kinds = [gettext(_KINDS[kind]) for kind in canonical.PARTY_KINDS if section.allows(kind)]
    rules = (_other_minimum(schema, section), _condition(section, nothing_said))
    return RoleNeed(
        role=section.role or "",
        title=role_title(section),
        least=gettext("at least {count}", count=section.base_minimum)
        if section.base_minimum
        else gettext("none required"),
        kinds=join_list(kinds, "or"),
        help=section.help,
        rules=tuple(rule for rule in rules if rule),
    )


def _other_minimum(schema: FormSchema, section: Section) -> str:
    rule = section.conditional_min
    place = lookup_of(schema).entity_field(rule.field) if rule else None
    if rule is None or place is None or not rule.has_usable_minimum:
        return ""
    condition = if_answered(place.spec, rule.values)
    if rule.minimum:
        return gettext("At least {count} {condition}.", count=rule.minimum, condition=condition)
    return gettext("None required {condition}.", condition=condition)


def _condition(section: Section, nothing_said: FormState) -> str:
    verdict = nothing_said.section_activation(section)
    return "" if verdict.active else f"{verdict.reason}."


def effort(schema: FormSchema, *, entity_word: str) -> tuple[str, ...]:
    """What a typical application takes, without what is asked after certain answers only: a line for what is formed,
    for each role that has to be filled, and for each share class; with the documents that are required."""
    nothing_said = evaluate(schema, Record())
    entity = [section for section in schema.entity_sections if nothing_said.section_activation(section).active]
    own = _effort(chain(*(one.fields for one in entity)), chain(*(one.slots(ENTITY) for one in entity)))
    lines = [gettext(_EFFORT_OF.get(entity_word, _EFFORT_OF_ANY), things=own)] if own else []
    for section in schema.role_sections:
        if section.base_minimum and nothing_said.section_activation(section).active:
            kind = next(kind for kind in canonical.PARTY_KINDS if section.allows(kind))
            things = _effort(section.groups[kind], section.slots(kind))
            lines.append(
                gettext("{things} for each {role}", things=things, role=canonical.role_word(section.role or ""))
            )
    if schema.share_section and nothing_said.section_activation(schema.share_section).active:
        lines.append(gettext("{things} for each share class", things=_effort(schema.share_class_fields, ())))
    return tuple(lines)


def _effort(asked: Iterable[FieldSpec], slots: Iterable[DocumentSlot]) -> str:
    """12 questions and 2 documents; nothing of what is asked."""
    questions = sum(spec.depends_on is None and not spec.provided_by_agent for spec in asked)
    documents = len({slot.name for slot in slots if slot.required})
    said = (
        counted(questions, "{count} question", "{count} questions"),
        counted(documents, "{count} document", "{count} documents"),
    )
    return join_list([one for one in said if one])


def section_previews(schema: FormSchema) -> tuple[SectionPreview, ...]:
    """What the sections about the entity and about its shares will ask."""
    nothing_said = evaluate(schema, Record())
    shares = (schema.share_section,) if schema.share_section else ()
    return tuple(
        SectionPreview(section.title, tuple(_labels(section)), _condition(section, nothing_said))
        for section in (*schema.entity_sections, *shares)
    )


def _labels(section: Section) -> Iterable[str]:
    for specs in section.groups.values():
        for spec in specs:
            yield (
                gettext("{label} (provided by the registered agent)", label=spec.label)
                if spec.provided_by_agent
                else spec.label
            )


def document_groups(schema: FormSchema, *, entity_word: str) -> tuple[DocumentGroup, ...]:
    """The documents to have ready: the new entity's, then by kind of party; with the roles where not all ask."""
    own = [(section, slot) for section in schema.entity_sections for slot in section.slots(ENTITY)]
    groups = [DocumentGroup(gettext(_FOR_THE_NEW.get(entity_word, _FOR_ANY_NEW)), _lines(own, everybody=1))]
    for kind in canonical.PARTY_KINDS:
        sections = [section for section in schema.role_sections if section.allows(kind)]
        asked = [(section, slot) for section in sections for slot in section.slots(kind)]
        groups.append(DocumentGroup(gettext(PARTY_HEADINGS[kind]), _lines(asked, everybody=len(sections))))
    return tuple(group for group in groups if group.lines)


def _lines(asked: list[tuple[Section, DocumentSlot]], *, everybody: int) -> tuple[RequiredDocument, ...]:
    by_name: dict[str, list[tuple[Section, DocumentSlot]]] = {}
    for section, slot in asked:
        by_name.setdefault(slot.name, []).append((section, slot))
    return tuple(_line(name, some, everybody=everybody) for name, some in by_name.items())


def _line(name: str, asked: list[tuple[Section, DocumentSlot]], *, everybody: int) -> RequiredDocument:
    roles = [section.role for section, _ in asked if section.role]
    return RequiredDocument(
        name=name,
        roles="" if len(asked) >= everybody else as_roles(roles),
        is_optional=not any(slot.required for _, slot in asked),
        helps=tuple(dict.fromkeys(slot.help for _, slot in asked if slot.help)),
    )


def as_roles(roles: Iterable[str]) -> str:
    """For whom something is asked: "as director or as beneficial owner"."""
    return join_list([gettext("as {role}", role=word) for word in dict.fromkeys(map(canonical.role_word, roles))], "or")


_MOST_OPTIONS = 8


@dataclass(frozen=True, slots=True)
class ListedQuestion:
    """One question: the options it offers where they are few, what helps to answer it, and which roles it is for."""

    label: str
    options: tuple[str, ...]
    help: str
    is_optional: bool
    roles: str = ""


@dataclass(frozen=True, slots=True)
class Branch:
    """Questions that are asked together; without a condition they always are."""

    condition: str
    asked: tuple[ListedQuestion, ...]


def condition_of(schema: FormSchema, rule: Condition | None, section: Section, group: str) -> str | None:
    """When it is asked, from the rule's own words; empty for always, None for never: its rule names nothing."""
    if rule is None:
        return ""
    place = find_field(schema, rule, section, group, None)
    return only_if(rule, place.spec) if place else None


def preparable(schema: FormSchema, section: Section, group: str) -> Iterator[tuple[str, FieldSpec]]:
    """The questions of a section that a customer can prepare for, each with its condition."""
    for spec in section.groups.get(group, ()):
        condition = condition_of(schema, spec.depends_on, section, group)
        if condition is not None and not spec.provided_by_agent and not schema.why_unanswerable(spec):
            yield condition, spec


def branches(asked: Iterable[tuple[str, ListedQuestion]]) -> tuple[Branch, ...]:
    """The questions in their order; neighbours under one condition stand together."""
    runs = groupby(asked, key=lambda pair: pair[0])
    return tuple(Branch(condition, tuple(one for _, one in run)) for condition, run in runs)


def listed_question(spec: FieldSpec, roles: str = "") -> ListedQuestion:
    """A question as it is listed."""
    options = spec.options if len(spec.options) <= _MOST_OPTIONS else ()
    return ListedQuestion(spec.label, options, spec.help, not spec.required, roles)
