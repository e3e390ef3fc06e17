"""The rules of a schema as a picture: which answer opens which questions and sections, as trees; and every circle.

A question or section has one rule, so that each stands once: below the answer that opens it. A question without a rule
of its own stands below its section, where that has one.
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

# A tree goes on in one of its own where it is deeper, so that it never runs out of the page.
_DEPTH = 3
# More circles than anybody would mend before looking again.
_MOST_CIRCLES = 20


@dataclass(frozen=True, slots=True)
class RuleNode:
    """One question, section or minimum, and what its answer opens. `when` is the condition, in words; `where` names the
    section, where what it stands below is in another."""

    id: str
    label: str
    where: str
    when: str
    children: tuple["RuleNode", ...] = ()
    in_circle: bool = False
    # Whether what it opens stands in a tree of its own, further down.
    goes_on: bool = False


@dataclass(frozen=True)
class RuleTree:
    """All rules of a schema. It reads the schema alone, also one that can't be offered."""

    schema: FormSchema

    @cached_property
    def circles(self) -> tuple[tuple[str, ...], ...]:
        """The first circles, each as the labels on the way round: each depends on the next, the last on the first."""
        return tuple(tuple(self._label(node) for node in (*circle, circle[0])) for circle in self._cycles)

    @cached_property
    def roots(self) -> tuple[RuleNode, ...]:
        """The trees: each begins with an answer that no rule opens, or goes on where another stopped."""
        begun = [node for node in self._opens if node not in self._opened]
        # A circle has no beginning: whatever stands in one begins a tree.
        begun += [node for node in self._opens if node in self._circular and node in self._opened]
        trees: dict[Node, RuleNode] = {}
        while begun:
            node = begun.pop(0)
            if node not in trees:
                trees[node] = self._tree(node, "", above="", depth=0, begun=begun)
        return tuple(trees.values())

    @property
    def count(self) -> int:
        """How many rules there are."""
        return sum(1 for some in self._opens.values() for _, when in some if when)

    def _tree(self, node: Node, when: str, *, above: str, depth: int, begun: list[Node]) -> RuleNode:
        opens = self._opens.get(node, ())
        in_circle = node in self._circular
        goes_on = bool(opens) and depth > 0 and (depth >= _DEPTH or in_circle)
        if goes_on:
            begun.append(node)
        below = () if goes_on else opens
        children = tuple(self._tree(to, said, above=node[0], depth=depth + 1, begun=begun) for to, said in below)
        return RuleNode(
            id=f"rule-{self._numbers[node]}" if node in self._numbers else "",
            label=self._label(node),
            where=self._title(node[0]) if node in self._places and node[0] != above else "",
            when=when,
            children=children,
            in_circle=in_circle,
            goes_on=goes_on,
        )

    @cached_property
    def _numbers(self) -> dict[Node, int]:
        return {node: number for number, node in enumerate(self._opens, 1)}

    @cached_property
    def _places(self) -> dict[Node, FieldLocation]:
        return {place.id: place for place in field_locations(self.schema)}

    @cached_property
    def _cycles(self) -> list[list[Node]]:
        """Circles that share nothing: what stands in one is left out when the next is looked for."""
        graph = dependencies(self.schema)
        found: list[list[Node]] = []
        while len(found) < _MOST_CIRCLES and (circle := find_cycle(graph)):
            found.append(circle)
            for node in circle:
                del graph[node]
        return found

    @cached_property
    def _circular(self) -> frozenset[Node]:
        return frozenset(node for circle in self._cycles for node in circle)

    @cached_property
    def _opens(self) -> dict[Node, list[tuple[Node, str]]]:
        """By what opens it, each question, section and minimum with its condition."""
        found: dict[Node, list[tuple[Node, str]]] = {}
        for source, target, when in self._edges():
            found.setdefault(source, []).append((target, when))
        # A section that has a rule leads on to those of its questions that open something themselves.
        ruled = {target for some in found.values() for target, _ in some}
        for node in list(found):
            section = (node[0], "", "")
            if node not in ruled and node != section and section in ruled:
                found.setdefault(section, []).append((node, ""))
        return found

    @cached_property
    def _opened(self) -> frozenset[Node]:
        return frozenset(target for some in self._opens.values() for target, _ in some)

    def _edges(self) -> Iterator[tuple[Node, Node, str]]:
        for section in self.schema.sections:
            if found := self._source(section.depends_on, section, ""):
                yield found[0], (section.key, "", ""), found[1]
            for group, specs in section.groups.items():
                for spec in specs:
                    if found := self._source(spec.depends_on, section, group):
                        yield found[0], (section.key, group, spec.key), found[1]
            least = section.conditional_min
            place = lookup_of(self.schema).entity_field(least.field) if least else None
            if least and place:
                yield place.id, (section.key, "", f"{_MINIMUM}{least.minimum}"), _answers(place.spec, least.values)

    def _source(self, rule: Condition | None, section: Section, group: str) -> tuple[Node, str] | None:
        """The question that a rule names, and the condition; None where it names none, which the check says."""
        found = lookup_of(self.schema).candidates(rule.field, section=section, group=group) if rule else []
        if rule is None or not found:
            return None
        if not rule.has_known_operator:
            return found[0].id, f"Never (unknown operator “{rule.operator}”)"
        values = rule.named_values() if rule.operator == INCLUDES_ANY else (rule.value,)
        return found[0].id, _answers(found[0].spec, values)

    def _label(self, node: Node) -> str:
        key, _, name = node
        if name.startswith(_MINIMUM):
            return f"At least {name.removeprefix(_MINIMUM)} under “{self._title(key)}”"
        return self._places[node].spec.label if node in self._places else f"Section “{self._title(key)}”"

    def _title(self, key: str) -> str:
        section = self.schema.section(key)
        return (section.title or section.scope or key) if section else key


def _answers(named: FieldSpec, values: Sequence[Any]) -> str:
    """The answers that open something, in words."""
    return f"If {listed([reasons.in_words(named, value) or 'nothing' for value in values], 'or')}"


# Marks the node of a minimum; no key of a field begins so.
_MINIMUM = "\x00minimum "
