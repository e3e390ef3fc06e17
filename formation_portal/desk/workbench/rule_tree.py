"""Draw the rules of a schema as trees: which answer opens which questions and sections. Find circles of rules.

A question without a rule stands below its section, if the section has a rule.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from formation_portal.contract import reasons
from formation_portal.contract.conditions import Condition
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.rules import field_locations, lookup_of
from formation_portal.contract.schema import FormSchema
from formation_portal.contract.schema_check import Node, dependencies, find_cycle
from formation_portal.ui.formats import listed

# A deeper branch becomes its own tree, so that no tree is wider than the page.
_MAX_DEPTH = 3
# Further circles show once these are resolved.
_MAX_CIRCLES = 20
# Prefixes the node of a minimum; no field key has it.
_MINIMUM = "\x00minimum "


@dataclass(frozen=True, slots=True)
class RuleNode:
    """A question, section or minimum of parties, with the nodes that it opens. `when` is the condition to open this
    node; `where` names a question's section, "" if the node above is in that section."""

    id: str
    label: str
    where: str
    when: str
    children: tuple["RuleNode", ...] = ()
    in_circle: bool = False
    # The nodes below this one are drawn in a separate tree.
    goes_on: bool = False


class RuleTree:
    """The rules of a schema, which may have faults. Each of the `circles` lists labels that depend on each other. Each
    of the `roots` is a question that no rule opens, or a node where another tree stopped."""

    def __init__(self, schema: FormSchema) -> None:
        self._schema = schema
        self._locations = {location.id: location for location in field_locations(schema)}
        cycles = _cycles(schema)
        self._circular = set(chain.from_iterable(cycles))
        self._titles = {}
        for section in reversed(schema.sections):
            self._titles[section.key] = section.title or section.scope or section.key
        edges = list(self._edges())
        self.count = len(edges)
        self._opens = _opened_nodes(edges)
        self._ids = {node: f"rule-{number}" for number, node in enumerate(self._opens, 1)}
        self.circles = [[self._label(node) for node in (*cycle, cycle[0])] for cycle in cycles]
        self.roots = self._trees()

    def _trees(self) -> list[RuleNode]:
        opened = {target for targets in self._opens.values() for target, _ in targets}
        pending = [node for node in self._opens if node not in opened]
        # A circle has no beginning, so each of its nodes begins a tree.
        pending += [node for node in self._opens if node in self._circular and node in opened]
        trees: dict[Node, RuleNode] = {}
        while pending:
            node = pending.pop(0)
            if node not in trees:
                trees[node] = self._tree(node, "", above="", depth=0, pending=pending)
        return list(trees.values())

    def _tree(self, node: Node, when: str, *, above: str, depth: int, pending: list[Node]) -> RuleNode:
        """Draw the tree of a node. Adds the nodes that need a separate tree to `pending`."""
        targets = self._opens.get(node, [])
        in_circle = node in self._circular
        goes_on = bool(targets) and depth > 0 and (depth >= _MAX_DEPTH or in_circle)
        children = []
        if goes_on:
            pending.append(node)
        else:
            for target, condition in targets:
                children.append(self._tree(target, condition, above=node[0], depth=depth + 1, pending=pending))
        where = ""
        if node in self._locations and node[0] != above:
            where = self._titles[node[0]]
        return RuleNode(
            id=self._ids.get(node, ""),
            label=self._label(node),
            where=where,
            when=when,
            children=tuple(children),
            in_circle=in_circle,
            goes_on=goes_on,
        )

    def _edges(self) -> Iterator[tuple[Node, Node, str]]:
        """Yield each rule: the question in it, the node that it opens, and its condition in words."""
        lookup = lookup_of(self._schema)
        for section in self._schema.sections:
            rules = [(section.depends_on, "", "")]
            for group, specs in section.groups.items():
                rules += [(spec.depends_on, group, spec.key) for spec in specs]
            for rule, group, key in rules:
                if rule is None:
                    continue
                questions = lookup.candidates(rule.field, section=section, group=group)
                # Skip a faulty rule that names no question.
                if questions:
                    yield questions[0].id, (section.key, group, key), _condition(rule, questions[0].spec)
            minimum = section.conditional_min
            if minimum and (location := lookup.entity_field(minimum.field)):
                target = (section.key, "", f"{_MINIMUM}{minimum.minimum}")
                yield location.id, target, _answers(location.spec, minimum.values)

    def _label(self, node: Node) -> str:
        key, _, name = node
        if name.startswith(_MINIMUM):
            return f"At least {name.removeprefix(_MINIMUM)} under “{self._titles[key]}”"
        if node in self._locations:
            return self._locations[node].spec.label
        return f"Section “{self._titles[key]}”"


def _opened_nodes(edges: Iterable[tuple[Node, Node, str]]) -> dict[Node, list[tuple[Node, str]]]:
    """Return for each node the nodes that it opens, each with its condition."""
    opens: dict[Node, list[tuple[Node, str]]] = {}
    ruled = set()
    for source, target, condition in edges:
        opens.setdefault(source, []).append((target, condition))
        ruled.add(target)
    # A section with a rule opens its questions that open other nodes.
    for node in list(opens):
        section = (node[0], "", "")
        if node not in ruled and node != section and section in ruled:
            opens.setdefault(section, []).append((node, ""))
    return opens


def _cycles(schema: FormSchema) -> list[list[Node]]:
    """Return circles of rules, of which no two share a node."""
    graph = dependencies(schema)
    cycles: list[list[Node]] = []
    while len(cycles) < _MAX_CIRCLES and (cycle := find_cycle(graph)):
        cycles.append(cycle)
        for node in cycle:
            del graph[node]
    return cycles


def _condition(rule: Condition, spec: FieldSpec) -> str:
    if not rule.has_known_operator:
        return f"Never (unknown operator “{rule.operator}”)"
    return _answers(spec, rule.named_values())


def _answers(spec: FieldSpec, values: Sequence[Any]) -> str:
    """Return the condition that a question has one of these answers, in words."""
    return f"If {listed([reasons.in_words(spec, value) or 'nothing' for value in values], 'or')}"
