"""What a schema gets wrong, and what follows (supplement, "What a schema may get wrong").

Faults make the product unavailable; warnings leave it usable, with the consequence that the table names. Notes name
what is drawn and sent as it stands.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from . import canonical
from .conditions import Condition, count_of
from .rules import FieldLookup, field_locations, lookup_of
from .schema import FormSchema, Section


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong: a stable code, the section or field, and a sentence."""

    code: str
    where: str
    message: str


@dataclass(frozen=True, slots=True)
class Report:
    """All that a schema gets wrong: with a fault the product can't be offered. And notes, of what is right here and may
    not be known elsewhere."""

    faults: tuple[Finding, ...]
    warnings: tuple[Finding, ...]
    notes: tuple[Finding, ...] = ()


def check_schema(schema: FormSchema) -> Report:
    """Look for every fault of the table. Pure; remembered with the schema."""
    return schema.cached(_check)


def _check(schema: FormSchema) -> Report:
    faults = (*_identity(schema), *_cycles(schema))
    return Report(
        faults, (*_sections(schema), *_fields(schema), *_bounds(schema), *_rules(schema)), tuple(_roles(schema))
    )


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


# A section's key, and of a field also its group and key.
Node = tuple[str, str, str]


def dependencies(schema: FormSchema) -> dict[Node, tuple[Node, ...]]:
    """Each section and field with what it depends on: a field on its section, and both on what their rules name."""
    directory = lookup_of(schema)
    graph: dict[Node, tuple[Node, ...]] = {}
    for section in schema.sections:
        graph[section.key, "", ""] = tuple(_named(directory, section.depends_on, section, ""))
    for place in field_locations(schema):
        named = _named(directory, place.spec.depends_on, place.section, place.group)
        graph[place.id] = ((place.section.key, "", ""), *named)
    return graph


def _named(directory: FieldLookup, rule: Condition | None, section: Section, group: str) -> list[Node]:
    if rule is None:
        return []
    candidates = directory.candidates(rule.field, section=section, group=group)
    # A party's own answers come first, so that any role's field of the name may be meant; otherwise only the best.
    return [place.id for place in candidates if place.section.role and section.role] or [
        place.id for place in candidates[:1]
    ]


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
            named = f"“{_title(section)}” asks for the role “{section.role}”"
            message = f"{named}, which the interface doesn't name: the service may not know who has it"
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
    ruled = [(section, "", section.depends_on, _title(section)) for section in schema.sections]
    ruled += [(one.section, one.group, one.spec.depends_on, one.spec.label) for one in field_locations(schema)]
    for section, group, rule, label in ruled:
        if rule is None:
            continue
        if not lookup_of(schema).candidates(rule.field, section=section, group=group):
            message = f"The rule of “{label}” names no question (“{rule.field}”); it never holds"
            yield Finding("rule_names_no_field", label, message)
        if not rule.has_known_operator:
            message = f"The rule of “{label}” has the unknown operator “{rule.operator}”; it never holds"
            yield Finding("unknown_operator", label, message)


def _title(section: Section) -> str:
    return section.title or section.scope or section.key


GraphNode = TypeVar("GraphNode", bound=Hashable)

# Deeper than any form that people could follow, and well within the interpreter's own limit for the rules.
MAX_DEPTH = 100


def find_cycle(graph: Mapping[GraphNode, Sequence[GraphNode]]) -> list[GraphNode] | None:
    """The members of one circle in order, or None."""
    done: set[GraphNode] = set()
    for start in graph:
        path: list[GraphNode] = []
        on_path: set[GraphNode] = set()
        stack: list[tuple[GraphNode, bool]] = [(start, False)]
        while stack:
            node, left = stack.pop()
            if left:
                on_path.discard(path.pop())
                done.add(node)
            elif node in on_path:
                return path[path.index(node) :]
            elif node not in done:
                path.append(node)
                on_path.add(node)
                stack.append((node, True))
                stack.extend((target, False) for target in graph.get(node, ()))
    return None


def longest_chain(graph: Mapping[GraphNode, Sequence[GraphNode]]) -> int:
    """How many steps the longest chain of a graph without circles has."""
    length: dict[GraphNode, int] = {}
    for start in graph:
        stack: list[tuple[GraphNode, bool]] = [(start, False)]
        while stack:
            node, ready = stack.pop()
            targets = graph.get(node, ())
            if ready:
                length[node] = 1 + max((length[target] for target in targets), default=-1)
            elif node not in length:
                stack.append((node, True))
                stack.extend((target, False) for target in targets)
    return max(length.values(), default=0)
