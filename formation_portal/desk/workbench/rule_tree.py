"""Draw the rules of a schema as trees: which answer opens which questions and sections. Find all circles.

A question or section has one rule, so that it stands once, below the answer that opens it. A question without a rule of
its own stands below its section, if that has one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from formation_portal.contract import reasons
from formation_portal.contract.conditions import INCLUDES_ANY, Condition
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.rules import FieldLocation, field_locations, lookup_of
from formation_portal.contract.schema import FormSchema, Section
from formation_portal.contract.schema_check import Node, dependencies, find_cycle
from formation_portal.ui.formats import listed

# A deeper branch is drawn as a tree of its own, so that none runs out of the page.
_MAX_DEPTH = 3
# Further circles are found once these are removed.
_MAX_CIRCLES = 20


@dataclass(frozen=True, slots=True)
class RuleNode:
    """A question, section or minimum, with the nodes that its answer opens. `when` is its condition in words; `where`
    names its section, if the node above is in another."""

    id: str
    label: str
    where: str
    when: str
    children: tuple["RuleNode", ...] = ()
    in_circle: bool = False
    # The nodes that it opens are in a tree of their own, further down.
    goes_on: bool = False


@dataclass(frozen=True)
class RuleTree:
    """The rules of a schema, which may have faults."""

    schema: FormSchema

    @cached_property
    def circles(self) -> tuple[tuple[str, ...], ...]:
        """Return the first circles, each as labels: each depends on the next, the last on the first."""
        circles = []
        for circle in self._cycles:
            circles.append(tuple(self._label(node) for node in (*circle, circle[0])))
        return tuple(circles)

    @cached_property
    def roots(self) -> tuple[RuleNode, ...]:
        """Return the trees: each begins with an answer that no rule opens, or goes on where another stopped."""
        pending = [node for node in self._opens if node not in self._opened]
        # A circle has no beginning, so that each of its nodes begins a tree.
        pending += [node for node in self._opens if node in self._circular and node in self._opened]
        trees: dict[Node, RuleNode] = {}
        while pending:
            node = pending.pop(0)
            if node not in trees:
                trees[node] = self._tree(node, "", above="", depth=0, pending=pending)
        return tuple(trees.values())

    @property
    def count(self) -> int:
        """Count the rules."""
        return sum(1 for targets in self._opens.values() for _, when in targets if when)

    def _tree(self, node: Node, when: str, *, above: str, depth: int, pending: list[Node]) -> RuleNode:
        """Draw the tree of a node. Adds nodes that have to begin trees of their own to `pending`."""
        targets = self._opens.get(node, [])
        in_circle = node in self._circular
        goes_on = bool(targets) and depth > 0 and (depth >= _MAX_DEPTH or in_circle)
        children = []
        if goes_on:
            pending.append(node)
        else:
            for target, condition in targets:
                children.append(self._tree(target, condition, above=node[0], depth=depth + 1, pending=pending))
        return RuleNode(
            id=f"rule-{self._numbers[node]}" if node in self._numbers else "",
            label=self._label(node),
            where=self._title(node[0]) if node in self._locations and node[0] != above else "",
            when=when,
            children=tuple(children),
            in_circle=in_circle,
            goes_on=goes_on,
        )

    @cached_property
    def _numbers(self) -> dict[Node, int]:
        return {node: number for number, node in enumerate(self._opens, 1)}

    @cached_property
    def _locations(self) -> dict[Node, FieldLocation]:
        return {location.id: location for location in field_locations(self.schema)}

    @cached_property
    def _cycles(self) -> list[list[Node]]:
        """Find circles that share no node."""
        graph = dependencies(self.schema)
        circles: list[list[Node]] = []
        while len(circles) < _MAX_CIRCLES and (circle := find_cycle(graph)):
            circles.append(circle)
            for node in circle:
                del graph[node]
        return circles

    @cached_property
    def _circular(self) -> frozenset[Node]:
        return frozenset(node for circle in self._cycles for node in circle)

    @cached_property
    def _opens(self) -> dict[Node, list[tuple[Node, str]]]:
        """Return the nodes that each node opens, with their conditions."""
        opens: dict[Node, list[tuple[Node, str]]] = {}
        ruled = set()
        for source, target, condition in self._edges():
            opens.setdefault(source, []).append((target, condition))
            ruled.add(target)
        # A section with a rule leads on to those of its questions that open others.
        for node in list(opens):
            section = (node[0], "", "")
            if node not in ruled and node != section and section in ruled:
                opens.setdefault(section, []).append((node, ""))
        return opens

    @cached_property
    def _opened(self) -> frozenset[Node]:
        return frozenset(target for targets in self._opens.values() for target, _ in targets)

    def _edges(self) -> Iterator[tuple[Node, Node, str]]:
        """Yield each rule: the question that it names, the node that it opens, and the condition in words."""
        for section in self.schema.sections:
            if source := self._source(section.depends_on, section, ""):
                yield source[0], (section.key, "", ""), source[1]
            for group, specs in section.groups.items():
                for spec in specs:
                    if source := self._source(spec.depends_on, section, group):
                        yield source[0], (section.key, group, spec.key), source[1]
            minimum = section.conditional_min
            location = lookup_of(self.schema).entity_field(minimum.field) if minimum else None
            if minimum and location:
                target = (section.key, "", f"{_MINIMUM}{minimum.minimum}")
                yield location.id, target, _answers(location.spec, minimum.values)

    def _source(self, rule: Condition | None, section: Section, group: str) -> tuple[Node, str] | None:
        """Return the question that a rule names, and the condition; None where it names none, which is a fault."""
        if rule is None:
            return None
        questions = lookup_of(self.schema).candidates(rule.field, section=section, group=group)
        if not questions:
            return None
        if not rule.has_known_operator:
            return questions[0].id, f"Never (unknown operator “{rule.operator}”)"
        values = rule.named_values() if rule.operator == INCLUDES_ANY else (rule.value,)
        return questions[0].id, _answers(questions[0].spec, values)

    def _label(self, node: Node) -> str:
        key, _, name = node
        if name.startswith(_MINIMUM):
            return f"At least {name.removeprefix(_MINIMUM)} under “{self._title(key)}”"
        return self._locations[node].spec.label if node in self._locations else f"Section “{self._title(key)}”"

    def _title(self, key: str) -> str:
        section = self.schema.section(key)
        return (section.title or section.scope or key) if section else key


def _answers(spec: FieldSpec, values: Sequence[Any]) -> str:
    """Return a condition on the answers to a question, in words."""
    return f"If {listed([reasons.in_words(spec, value) or 'nothing' for value in values], 'or')}"


# Begins the node of a minimum, and no key of a field.
_MINIMUM = "\x00minimum "
