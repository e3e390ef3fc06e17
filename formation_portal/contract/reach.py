"""Tell what an answer reaches: the sections and questions that rules may show or hide when it changes.

Computed from the schema alone, so that a page that changes an answer need not compare all other parties.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from .conditions import Condition
from .rules import field_locations, lookup_of, rules_of
from .schema import ENTITY, FormSchema, Section

# A question as its section's key, group and own key; a section as its key alone.
_Node = tuple[str, str, str] | str


@dataclass(frozen=True, slots=True)
class Reach:
    """Reached sections by key, and the names of reached answers by their holder's group (`rules.group_of`)."""

    sections: frozenset[str] = frozenset()
    names: dict[str, frozenset[str]] = field(default_factory=dict)
    # The roles whose questions are reached for every party in the role.
    roles: frozenset[str] = frozenset()


def reach_of(schema: FormSchema, group: str, names: Iterable[str]) -> Reach:
    """Return what the named answers of a holder reach. `group` is the holder's."""
    return schema.cached(_RuleGraph).reach_of(group, frozenset(names))


class _RuleGraph:
    """The rules of a schema, by the question that they read."""

    def __init__(self, schema: FormSchema) -> None:
        self._schema = schema
        self._reaches: dict[tuple[str, frozenset[str]], Reach] = {}
        self._places = {place.id: place for place in field_locations(schema)}
        # The nodes that a node decides, each with True if only for the same holder.
        self._decided: dict[_Node, list[tuple[_Node, bool]]] = defaultdict(list)
        for place in self._places.values():
            self._decided[place.section.key].append((place.id, False))
        for rule, section, ruled in rules_of(schema):
            if ruled:
                self._add(rule, section, ruled.group, ruled.id)
            else:
                self._add(rule, section, "", section.key)

    def _add(self, rule: Condition, section: Section, group: str, node: _Node) -> None:
        candidates = lookup_of(self._schema).candidates(rule.field, section=section, group=group)
        # A rule on a question of its own group reads the same holder's answer.
        if candidates and (candidates[0].section.key, candidates[0].group) == (section.key, group):
            self._decided[candidates[0].id].append((node, True))
            return
        for place in candidates:
            self._decided[place.id].append((node, False))

    def reach_of(self, group: str, names: frozenset[str]) -> Reach:
        if (group, names) in self._reaches:
            return self._reaches[group, names]
        sections = set()
        roles = set()
        reached: dict[str, frozenset[str]] = {}
        for node, is_own in self._reached_nodes(group, names):
            if isinstance(node, str):
                sections.add(node)
                continue
            place = self._places[node]
            reached[place.group] = reached.get(place.group, frozenset()) | {place.spec.name}
            if place.section.role and not is_own:
                roles.add(place.section.role)
        self._reaches[group, names] = Reach(frozenset(sections), reached, frozenset(roles))
        return self._reaches[group, names]

    def _reached_nodes(self, group: str, names: frozenset[str]) -> set[tuple[_Node, bool]]:
        """Return the nodes that the answers decide, each with True if it is reached through the same holder alone."""
        pending: list[tuple[_Node, bool]] = []
        for place in self._places.values():
            if place.group == group and place.spec.name in names:
                pending.append((place.id, group != ENTITY))
        reached: set[tuple[_Node, bool]] = set()
        while pending:
            node, is_own = pending.pop()
            for target, is_same in self._decided.get(node, ()):
                step = (target, is_own and is_same)
                if step not in reached:
                    reached.add(step)
                    pending.append(step)
        return reached
