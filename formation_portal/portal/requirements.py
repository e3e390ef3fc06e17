"""Who and what a form asks for, said from its schema alone, before anything is answered."""

from collections.abc import Iterable
from dataclasses import dataclass

from formation_portal.contract import canonical
from formation_portal.contract.reasons import if_answered
from formation_portal.contract.record import Record
from formation_portal.contract.rules import Standing, directory_of, settle
from formation_portal.contract.schema import ENTITY, DocumentSlot, FormSchema, Section

_KINDS = {"person": "a person", "corporate": "a company", "foundation": "a foundation"}
# The heading of what is asked of each kind of party.
TAKING_PART = {
    "person": "For each person",
    "corporate": "For each company that takes part",
    "foundation": "For each foundation that takes part",
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
class DocumentLine:
    """One document: for which roles where not all ask for it, whether it may be left out, and which copies count."""

    name: str
    roles: str
    is_optional: bool
    helps: tuple[str, ...]

    @property
    def words(self) -> str:
        """In one line: "Letter, as director (optional)"."""
        said = f", {self.roles}" if self.roles else ""
        return f"{self.name}{said}{' (optional)' if self.is_optional else ''}"


@dataclass(frozen=True, slots=True)
class DocumentGroup:
    """The documents of one kind of holder, each as a line."""

    title: str
    lines: tuple[DocumentLine, ...]


@dataclass(frozen=True, slots=True)
class SectionPreview:
    """One section with the labels of what it asks."""

    title: str
    labels: tuple[str, ...]
    condition: str


def role_needs(schema: FormSchema) -> tuple[RoleNeed, ...]:
    """Every role of the form, in its order."""
    nothing_said = settle(schema, Record())
    return tuple(_role_need(schema, section, nothing_said) for section in schema.role_sections)


def _role_need(schema: FormSchema, section: Section, nothing_said: Standing) -> RoleNeed:
    kinds = [_KINDS[kind] for kind in canonical.PARTY_KINDS if section.allows(kind)]
    rules = (_other_minimum(schema, section), _condition(section, nothing_said))
    return RoleNeed(
        role=section.role or "",
        title=section.title or canonical.role_word(section.role or "").capitalize(),
        least=f"at least {section.base_minimum}" if section.base_minimum else "none required",
        kinds=_one_of(kinds),
        help=section.help,
        rules=tuple(rule for rule in rules if rule),
    )


def _other_minimum(schema: FormSchema, section: Section) -> str:
    rule = section.conditional_min
    place = directory_of(schema).entity_field(rule.field) if rule else None
    if rule is None or place is None or not rule.has_usable_minimum:
        return ""
    least = f"At least {rule.minimum}" if rule.minimum else "None required"
    return f"{least} {if_answered(place.spec, rule.values)}."


def _condition(section: Section, nothing_said: Standing) -> str:
    verdict = nothing_said.section(section)
    return "" if verdict.active else f"{verdict.reason}."


def question_counts(schema: FormSchema) -> tuple[int, int]:
    """How many questions there are about the entity at most, and how many of them only after certain answers."""
    asked = [(section, spec) for section in schema.entity_sections for spec in section.fields]
    return len(asked), sum(bool(section.depends_on or spec.depends_on) for section, spec in asked)


def section_previews(schema: FormSchema) -> tuple[SectionPreview, ...]:
    """What the sections about the entity and about its shares will ask."""
    nothing_said = settle(schema, Record())
    shares = (schema.share_section,) if schema.share_section else ()
    return tuple(
        SectionPreview(section.title, tuple(_labels(section)), _condition(section, nothing_said))
        for section in (*schema.entity_sections, *shares)
    )


def _labels(section: Section) -> Iterable[str]:
    for specs in section.groups.values():
        for spec in specs:
            yield f"{spec.label} (given by the registered agent)" if spec.provided_by_agent else spec.label


def document_groups(schema: FormSchema, *, entity_word: str) -> tuple[DocumentGroup, ...]:
    """The documents to have ready: the new entity's, then by kind of party; with the roles where not all ask."""
    own = [(section, slot) for section in schema.entity_sections for slot in section.slots(ENTITY)]
    groups = [DocumentGroup(f"For the new {entity_word}", _lines(own, everybody=1))]
    for kind in canonical.PARTY_KINDS:
        sections = [section for section in schema.role_sections if section.allows(kind)]
        asked = [(section, slot) for section in sections for slot in section.slots(kind)]
        groups.append(DocumentGroup(TAKING_PART[kind], _lines(asked, everybody=len(sections))))
    return tuple(group for group in groups if group.lines)


def _lines(asked: list[tuple[Section, DocumentSlot]], *, everybody: int) -> tuple[DocumentLine, ...]:
    by_name: dict[str, list[tuple[Section, DocumentSlot]]] = {}
    for section, slot in asked:
        by_name.setdefault(slot.name, []).append((section, slot))
    return tuple(_line(name, some, everybody=everybody) for name, some in by_name.items())


def _line(name: str, asked: list[tuple[Section, DocumentSlot]], *, everybody: int) -> DocumentLine:
    roles = [section.role for section, _ in asked if section.role]
    return DocumentLine(
        name=name,
        roles="" if len(asked) >= everybody else as_roles(roles),
        is_optional=not any(slot.required for _, slot in asked),
        helps=tuple(dict.fromkeys(slot.help for _, slot in asked if slot.help)),
    )


def as_roles(roles: Iterable[str]) -> str:
    """For whom something is asked: "as director or as beneficial owner"."""
    return _one_of([f"as {word}" for word in dict.fromkeys(map(canonical.role_word, roles))])


def _one_of(words: list[str]) -> str:
    return " or ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else "".join(words)
