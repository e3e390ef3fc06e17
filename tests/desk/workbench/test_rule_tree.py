"""The rules as a picture: every rule once, below the answer that opens it, and circles named and marked."""

from collections.abc import Iterator
from typing import Any

import pytest

from formation_portal.contract.schema import FormSchema
from formation_portal.desk.workbench.rule_tree import RuleNode, RuleTree
from tests.other_service.schema_builders import ask, entity, role, schema, when, when_any

from .conftest import Show


def tree(*sections: Any) -> RuleTree:
    return RuleTree(FormSchema.model_validate(schema("Form", *sections)))


def nodes(of: RuleTree) -> Iterator[RuleNode]:
    todo = list(of.roots)
    while todo:
        node = todo.pop()
        yield node
        todo += node.children


def drawn(node: RuleNode, depth: int = 0) -> list[str]:
    lines = [f"{'  ' * depth}{node.when}{': ' if node.when else ''}{node.label}{' …' if node.goes_on else ''}"]
    return lines + [line for child in node.children for line in drawn(child, depth + 1)]


def test_what_an_answer_opens_stands_below_it() -> None:
    of = tree(
        entity(
            "The company",
            ask("kind", "Kind", "select", options=["Trading", "Fund"]),
            ask("licence", "Licence", depends_on=when("kind", "Fund")),
            ask("number", "Number", depends_on=when("licence", "yes")),
        ),
        entity("Fund", ask("audited", "Audited?", "boolean"), ask("x", "X"), depends_on=when("kind", "Fund")),
        entity("Audit", ask("auditor", "Auditor", depends_on=when("audited", True))),
        role("director", "Directors", conditional_min={"field": "kind", "value_in": ["Fund"], "minimum": 3}),
    )
    assert [line for root in of.roots for line in drawn(root)] == [
        "Kind",
        "  If Fund: Licence",
        "    If yes: Number",
        "  If Fund: Section “Fund”",
        "    Audited?",
        "      If Yes: Auditor",
        "  If Fund: At least 3 under “Directors”",
    ]
    assert of.count == 5
    assert of.circles == []


def test_circles_are_named_and_marked() -> None:
    of = tree(
        entity("One", ask("a", "A", depends_on=when("b", "x")), ask("c", "C", depends_on=when("a", "x"))),
        entity("Two", ask("b", "B", depends_on=when("a", "x")), ask("s", "S", depends_on=when("s", "x"))),
        entity("Three", ask("in", "Inside"), depends_on=when("in", "x")),
        entity("Free", ask("d", "D"), ask("e", "E", depends_on=when("d", "x"))),
    )
    assert {frozenset(circle) for circle in of.circles} == {
        frozenset(circle) for circle in ({"A", "B"}, {"S"}, {"Inside", "Section “Three”"})
    }
    assert {node.label for node in nodes(of) if node.in_circle} == {"A", "B", "S", "Inside", "Section “Three”"}
    assert {node.label for node in nodes(of) if not node.in_circle} == {"C", "D", "E"}


def test_a_deep_tree_goes_on_further_down() -> None:
    steps = [ask(f"k{depth}", f"Step {depth}", depends_on=when(f"k{depth - 1}", "x")) for depth in range(1, 60)]
    of = tree(entity("The company", ask("k0", "Step 0"), *steps))
    labels = [node.label for node in nodes(of) if not node.goes_on]
    assert sorted(labels) == sorted(f"Step {depth}" for depth in range(60))
    begun = {root.id for root in of.roots}
    assert {node.id for node in nodes(of) if node.goes_on} <= begun
    assert max(len(line) - len(line.lstrip()) for root in of.roots for line in drawn(root)) <= 6


@pytest.mark.django_db(databases=["default", "service"])
def test_many_rules_that_mean_each_other_are_shown(show: Show) -> None:
    roles = [role(f"r{n}", f"Role {n}", ask("a", "A", depends_on=when_any("a", "x", "y"))) for n in range(90)]
    assert "20 circles" in show(schema("Form", *roles))
