"""Tell what an answer reaches: the sections and questions that rules may show or hide when it changes.

Computed from the schema alone, so that a page that changes an answer need not compare all other parties.
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
    """Reached sections by key, and reached answers by their holder's group and name."""

    sections: frozenset[str] = frozenset()
    names: dict[str, frozenset[str]] = field(default_factory=dict)
    # The roles with questions that are reached in every party that has the role.
    roles: frozenset[str] = frozenset()
    has_classes: bool = False
    # The reached things may also depend on the same answers of other parties.
    reads_others: bool = False

    def __or__(self, other: "Reach") -> "Reach":
        names = dict(self.names)
        for group, other_names in other.names.items():
            names[group] = names.get(group, frozenset()) | other_names
        return Reach(
            self.sections | other.sections,
            names,
            self.roles | other.roles,
            self.has_classes or other.has_classes,
            self.reads_others or other.reads_others,
        )


NOTHING_REACHED = Reach()


def reach_of(schema: FormSchema, group: str, name: str) -> Reach:
    """Return the reach of the answer of that name: the entity's, or that of a party or class of the group."""
    return schema.cached(_RuleGraph).reach_of(group, name)


def reads_parties(schema: FormSchema) -> bool:
    """Tell whether a rule may read answers of parties other than the party that it is about."""
    return schema.cached(_RuleGraph).reads_parties


class _RuleGraph:
    """The rules of a schema, by the question that they read."""

    def __init__(self, schema: FormSchema) -> None:
        self.reads_parties = False
        self._schema = schema
        self._reaches: dict[tuple[str, str], Reach] = {}
        self._places = {place.id: place for place in field_locations(schema)}
        # The nodes that a node decides, each with True if only for the same holder.
        self._decided: dict[_Node, list[tuple[_Node, bool]]] = defaultdict(list)
        self._fields_of: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
        for section in schema.sections:
            if section.depends_on:
                self._add(section.depends_on, section, "", section.key)
        for place in self._places.values():
            self._fields_of[place.section.key].append(place.id)
            if place.spec.depends_on:
                self._add(place.spec.depends_on, place.section, place.group, place.id)

    def _add(self, rule: Condition, section: Section, group: str, node: _Node) -> None:
        candidates = lookup_of(self._schema).candidates(rule.field, section=section, group=group)
        # A rule on a question of its own list reads the answer of the same holder.
        if candidates and (candidates[0].section.key, candidates[0].group) == (section.key, group):
            self._decided[candidates[0].id].append((node, True))
            return
        for place in candidates:
            self._decided[place.id].append((node, False))
            if place.group not in (ENTITY, SHARE_CLASS):
                self.reads_parties = True

    def reach_of(self, group: str, name: str) -> Reach:
        if (group, name) not in self._reaches:
            self._reaches[group, name] = self._reach(group, name)
        return self._reaches[group, name]

    def _reach(self, group: str, name: str) -> Reach:
        has_own_holder = group != ENTITY
        names: dict[str, set[str]] = defaultdict(set)
        roles = set()
        sections = set()
        has_classes = False
        reads_others = False
        for node, is_own in self._reached_nodes(group, name):
            if isinstance(node, str):
                sections.add(node)
                if any(field_group == SHARE_CLASS for _, field_group, _ in self._fields_of[node]):
                    has_classes = True
            else:
                place = self._places[node]
                names[place.group].add(place.spec.name)
                if place.group == SHARE_CLASS:
                    has_classes = True
                if place.section.role and not is_own:
                    roles.add(place.section.role)
            if has_own_holder and not is_own:
                reads_others = True
        frozen_names = {name_group: frozenset(group_names) for name_group, group_names in names.items()}
        return Reach(frozenset(sections), frozen_names, frozenset(roles), has_classes, reads_others)

    def _reached_nodes(self, group: str, name: str) -> set[tuple[_Node, bool]]:
        """Return the nodes that an answer decides, each with True if it is reached through the same holder alone."""
        pending: list[tuple[_Node, bool]] = []
        for place in self._places.values():
            if (place.group, place.spec.name) == (group, name):
                pending.append((place.id, group != ENTITY))
        reached: set[tuple[_Node, bool]] = set()
        while pending:
            node, is_own = pending.pop()
            decided = [(target, is_own and is_same) for target, is_same in self._decided.get(node, ())]
            if isinstance(node, str):
                decided += [(target, False) for target in self._fields_of[node]]
            pending += [target for target in decided if target not in reached]
            reached.update(decided)
        return reached
