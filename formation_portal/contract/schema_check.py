"""Check a schema (INTERFACE.md, "Faults in a schema").

Faults make the product unavailable; warnings leave it usable, with the consequence that INTERFACE.md states. Notes name
things that other services may not know.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import TypeVar

from . import canonical
from .conditions import Condition, count_of
from .rules import FieldLookup, field_locations, lookup_of, rules_of
from .schema import FormSchema, Section
from .validations import compile_validations, unknown_words


@dataclass(frozen=True, slots=True)
class Finding:
    """A mistake in a schema: a stable code, the section or field, and a sentence."""

    code: str
    where: str
    message: str


@dataclass(frozen=True, slots=True)
class Report:
    """The mistakes of a schema. A product whose schema has a fault cannot be offered."""

    faults: tuple[Finding, ...]
    warnings: tuple[Finding, ...]
    notes: tuple[Finding, ...] = ()


def check_schema(schema: FormSchema) -> Report:
    """Find every mistake in a schema. The report is cached with the schema."""
    return schema.cached(_check)


def _check(schema: FormSchema) -> Report:
    faults = (*_identity(schema), *_cycles(schema))
    warnings = (*_sections(schema), *_fields(schema), *_bounds(schema), *_rules(schema), *_validations(schema))
    return Report(faults, warnings, tuple(_roles(schema)))


def _identity(schema: FormSchema) -> Iterator[Finding]:
    if not schema.id:
        yield Finding("no_id", "schema", "The schema has no id, so that answers can't be sent")
    if not any(section.is_drawn for section in schema.sections):
        yield Finding("no_sections", "schema", "The schema has no sections that ask anything")
    for section in schema.sections:
        for specs in section.groups.values():
            for key, count in Counter(spec.key for spec in specs).items():
                if count > 1:
                    message = f"The key {key} stands twice in “{_title(section)}”"
                    yield Finding("repeated_key", _title(section), message)


def _cycles(schema: FormSchema) -> Iterator[Finding]:
    graph = dependencies(schema)
    if circle := find_cycle(graph):
        members = " → ".join(" / ".join(part for part in node if part) for node in (*circle, circle[0]))
        yield Finding("circle", circle[0][0], f"The rules form a circle: {members}")
    elif longest_chain(graph) > MAX_DEPTH:
        yield Finding("too_deep", "schema", f"The rules depend on each other more than {MAX_DEPTH} deep")


# A section's key and, for a field, its group and own key.
Node = tuple[str, str, str]


def dependencies(schema: FormSchema) -> dict[Node, tuple[Node, ...]]:
    """Map each section and field to the nodes it depends on: a field on its section, both on what their rules name."""
    lookup = lookup_of(schema)
    graph: dict[Node, tuple[Node, ...]] = {}
    for section in schema.sections:
        graph[section.key, "", ""] = tuple(_nodes_in_rule(lookup, section.depends_on, section, ""))
    for place in field_locations(schema):
        nodes = _nodes_in_rule(lookup, place.spec.depends_on, place.section, place.group)
        graph[place.id] = ((place.section.key, "", ""), *nodes)
    return graph


def _nodes_in_rule(lookup: FieldLookup, rule: Condition | None, section: Section, group: str) -> list[Node]:
    if rule is None:
        return []
    candidates = lookup.candidates(rule.field, section=section, group=group)
    # A rule of a role reads the party's own answer first, so any role's field of the name may be meant.
    role_places = [place for place in candidates if place.section.role and section.role]
    return [place.id for place in role_places or candidates[:1]]


def _sections(schema: FormSchema) -> Iterator[Finding]:
    for section in schema.sections:
        title = _title(section)
        if not (section.is_entity or section.role or section.is_share_structure):
            yield Finding("unknown_scope", title, f"“{title}” has the unknown scope “{section.scope}”; it isn't drawn")
        elif not section.is_drawn:
            yield Finding("empty_section", title, f"“{title}” asks nothing; it isn't drawn")
        if count_of(section.minimum) is None:
            yield Finding("bad_minimum", title, f"The minimum of “{title}” is no count of parties; 0 is taken")
        rule = section.conditional_min
        if rule is not None and lookup_of(schema).entity_field(rule.field) is None:
            message = f"The conditional minimum of “{title}” names no question about the entity; the base stands"
            yield Finding("minimum_names_no_field", title, message)
        if rule is not None and count_of(rule.minimum) is None:
            message = f"The conditional minimum of “{title}” is no count of parties; the base stands"
            yield Finding("bad_minimum", title, message)


def _roles(schema: FormSchema) -> Iterator[Finding]:
    for section in schema.role_sections:
        if section.role not in canonical.ROLES:
            message = (
                f"“{_title(section)}” asks for the role “{section.role}”, which the interface doesn't name: the service"
                " may not know who has it"
            )
            yield Finding("unknown_role", _title(section), message)


def _fields(schema: FormSchema) -> Iterator[Finding]:
    for place in field_locations(schema):
        spec = place.spec
        if not spec.is_known:
            message = f"“{spec.label}” has the unknown type “{spec.field_type}”; it is drawn and sent as text"
            yield Finding("unknown_type", spec.key, message)
        if reason := schema.why_unanswerable(spec):
            yield Finding("not_answerable", spec.key, f"“{spec.label}” can't be answered here: {reason}")
        if spec.exclusive_options and not spec.many:
            message = f"“{spec.label}” names options that exclude others, but takes only one answer; they mean nothing"
            yield Finding("exclusive_options", spec.key, message)
        for option in spec.exclusive_options:
            if spec.many and option not in spec.options:
                message = f"“{spec.label}” names “{option}” as excluding others, but has no such option; it is ignored"
                yield Finding("exclusive_options", spec.key, message)


def _bounds(schema: FormSchema) -> Iterator[Finding]:
    for place in field_locations(schema):
        for member in place.spec.bounds.rejected:
            message = f"The {member} of “{place.spec.label}” does not fit its type or its other bounds; it is left out"
            yield Finding("bad_bound", place.spec.key, message)
    for section in schema.sections:
        title = _title(section)
        if section.maximum is not None and (section.most_parties is None or not section.role):
            message = f"The maximum of “{title}” is no count of parties that its minimum allows; it is left out"
            yield Finding("bad_bound", title, message)
        if section.total is not None and not section.total_fields():
            message = f"The total of “{title}” names no number that its parties are asked, or no limit; it is left out"
            yield Finding("bad_bound", title, message)


def _rules(schema: FormSchema) -> Iterator[Finding]:
    for rule, section, place in rules_of(schema):
        label = place.spec.label if place else _title(section)
        if not lookup_of(schema).candidates(rule.field, section=section, group=place.group if place else ""):
            message = f"The rule of “{label}” names no question (“{rule.field}”); it never holds"
            yield Finding("rule_names_no_field", label, message)
        if not rule.has_known_operator:
            message = f"The rule of “{label}” has the unknown operator “{rule.operator}”; it never holds"
            yield Finding("unknown_operator", label, message)


def _validations(schema: FormSchema) -> Iterator[Finding]:
    for number, validation in enumerate(schema.cached(compile_validations), start=1):
        where = f"validation {number}"
        stated = validation.stated
        subject = f"Validation {number} (“{stated.message}”)" if stated.message else f"Validation {number}"
        if validation.fault:
            yield Finding("bad_validation", where, f"{subject} is left out: {validation.fault}")
            continue
        if not validation.has_place:
            message = f"{subject} names no section or question that the schema has; it stands at the first section"
            yield Finding("validation_without_place", where, message)
        for word in unknown_words(schema, stated.rule):
            message = f"{subject} reads “{word}”, but no question has this name; it is not judged"
            yield Finding("validation_reads_unknown", where, message)


def _title(section: Section) -> str:
    return section.title or section.scope or section.key


GraphNode = TypeVar("GraphNode", bound=Hashable)

# No person could follow rules so deep, and the interpreter's own limit is far away.
MAX_DEPTH = 100


def find_cycle(graph: Mapping[GraphNode, Sequence[GraphNode]]) -> list[GraphNode] | None:
    """Return the members of a circle, each before a node that it depends on; None if there is no circle."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        # The first member is repeated at the end, and each node follows a node that it depends on.
        cycle: list[GraphNode] = error.args[1]
        return cycle[:0:-1]
    return None


def longest_chain(graph: Mapping[GraphNode, Sequence[GraphNode]]) -> int:
    lengths: dict[GraphNode, int] = {}
    for node in TopologicalSorter(graph).static_order():
        lengths[node] = 1 + max((lengths[target] for target in graph.get(node, ())), default=-1)
    return max(lengths.values(), default=0)
