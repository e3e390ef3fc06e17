"""What an answer reaches: which sections and questions, of whom, rules may show or hide when it changes.

Worked out from the schema alone, so that a page that changes one answer need not look at everybody else's.
"""

from collections import defaultdict
from dataclasses import dataclass, field

from .conditions import Condition
from .rules import field_locations, lookup_of
from .schema import ENTITY, SHARE_CLASS, FormSchema, Section

# A question by its section, its list there and its key; a section by its key alone.
_Node = tuple[str, str, str] | str


@dataclass(frozen=True, slots=True)
class Reach:
    """Sections by their keys, and answers by their holder's group and name. `roles` are those some of whose questions
    are reached in whoever has them; `reads_others`: what is reached may also depend on such answers of others."""

    sections: frozenset[str] = frozenset()
    names: dict[str, frozenset[str]] = field(default_factory=dict)
    roles: frozenset[str] = frozenset()
    has_classes: bool = False
    reads_others: bool = False

    def __or__(self, other: "Reach") -> "Reach":
        groups = self.names.keys() | other.names.keys()
        nobody: frozenset[str] = frozenset()
        return Reach(
            self.sections | other.sections,
            {group: self.names.get(group, nobody) | other.names.get(group, nobody) for group in groups},
            self.roles | other.roles,
            self.has_classes or other.has_classes,
            self.reads_others or other.reads_others,
        )


NOTHING_REACHED = Reach()


def reach_of(schema: FormSchema, group: str, name: str) -> Reach:
    """What the answer of that name reaches, were it another: the entity's, or one party's or class's of the group."""
    known = schema.cached(_Rules).known
    if (group, name) not in known:
        known[group, name] = schema.cached(_Rules).reach_of(group, name)
    return known[group, name]


def reads_parties(schema: FormSchema) -> bool:
    """Whether some rule may read what parties have answered whom it isn't about."""
    return schema.cached(_Rules).reads_parties


class _Rules:
    """The schema's rules, by what they read."""

    def __init__(self, schema: FormSchema) -> None:
        self.known: dict[tuple[str, str], Reach] = {}
        self._schema = schema
        self._places = {place.id: place for place in field_locations(schema)}
        # By what a rule reads: what it decides, and whether only of the same holder.
        self._read_by: dict[_Node, list[tuple[_Node, bool]]] = defaultdict(list)
        self._fields_of: dict[str, list[_Node]] = defaultdict(list)
        self.reads_parties = False
        for section in schema.sections:
            if section.depends_on:
                self._add(section.depends_on, section, "", section.key)
        for place in self._places.values():
            self._fields_of[place.section.key].append(place.id)
            if rule := place.spec.depends_on:
                self._add(rule, place.section, place.group, place.id)

    def _add(self, rule: Condition, section: Section, group: str, node: _Node) -> None:
        candidates = lookup_of(self._schema).candidates(rule.field, section=section, group=group)
        # Whoever is asked here has the question that is meant, where it stands in the same list.
        if candidates and (candidates[0].section.key, candidates[0].group) == (section.key, group):
            self._read_by[candidates[0].id].append((node, True))
            return
        for place in candidates:
            self._read_by[place.id].append((node, False))
            self.reads_parties = self.reads_parties or place.group not in (ENTITY, SHARE_CLASS)

    def reach_of(self, group: str, name: str) -> Reach:
        start = [place.id for place in self._places.values() if (place.group, place.spec.name) == (group, name)]
        is_of_one = group != ENTITY
        todo: list[tuple[_Node, bool]] = [(node, is_of_one) for node in start]
        # What is reached, and whether through the same holder alone.
        seen: set[tuple[_Node, bool]] = set()
        while todo:
            node, is_own = todo.pop()
            further = [(one, is_own and is_same) for one, is_same in self._read_by.get(node, ())]
            if isinstance(node, str):
                further += [(one, False) for one in self._fields_of[node]]
            todo += [one for one in further if one not in seen]
            seen.update(further)
        names: dict[str, set[str]] = defaultdict(set)
        roles, sections, has_classes, reads_others = set(), set(), False, False
        for node, is_own in seen:
            if isinstance(node, str):
                sections.add(node)
                has_classes = has_classes or any(self._places[one].group == SHARE_CLASS for one in self._fields(node))
            else:
                place = self._places[node]
                names[place.group].add(place.spec.name)
                has_classes = has_classes or place.group == SHARE_CLASS
                if place.section.role and not is_own:
                    roles.add(place.section.role)
            reads_others = reads_others or (is_of_one and not is_own)
        return Reach(
            frozenset(sections),
            {one: frozenset(some) for one, some in names.items()},
            frozenset(roles),
            has_classes,
            reads_others,
        )

    def _fields(self, section: str) -> list[tuple[str, str, str]]:
        return [node for node in self._fields_of[section] if not isinstance(node, str)]
