"""Rules in words: what was answered comes first, and nothing is claimed that nobody can know."""

from typing import Any

import pytest

from formation_portal.contract.rules import evaluate, why_asked

from .builders import entity, form, question, record, role

COLOUR = question("colour", "select", label="Which colour?", options=["Red", "Green", "Blue"])
WHERE = question("where", "multi_select", label="Where?", options=["North", "South", "East"])


def any_of(key: str, *values: str) -> dict[str, Any]:
    return {"field": key, "operator": "includes_any", "value": list(values)}


@pytest.mark.parametrize(
    ("named", "rule", "answer", "asked", "anywhere", "not_asked"),
    [
        (
            question("sure", "boolean", label="Sure?"),
            {"field": "sure", "value": True},
            True,
            "Asked because you answered Yes to “Sure?”",
            "Asked because you answered Yes to “Sure?”",
            "Only asked if you answer Yes to “Sure?”",
        ),
        (
            COLOUR,
            any_of("colour", "Red", "Green", "Blue"),
            "Green",
            "Asked because you answered Green to “Which colour?”",
            "Asked if you answer Red, Green or Blue to “Which colour?”",
            "Only asked if you answer Red, Green or Blue to “Which colour?”",
        ),
        (
            WHERE,
            any_of("where", "North", "East"),
            ["East", "South"],
            "Asked because you chose East under “Where?”",
            "Asked if you choose North or East under “Where?”",
            "Only asked if you choose North or East under “Where?”",
        ),
    ],
    ids=["yes or no", "one of several", "several of several"],
)
def test_a_rule_is_told_with_the_answer_first(
    named: dict[str, Any], rule: dict[str, Any], answer: Any, asked: str, anywhere: str, not_asked: str
) -> None:
    schema = form(entity(named, question("why", depends_on=rule)))
    section, spec = schema.sections[0], schema.sections[0].fields[1]
    assert evaluate(schema, record(schema, **{named["key"]: answer})).field_activation(section, spec).reason == asked
    assert evaluate(schema, record(schema)).field_activation(section, spec).reason == not_asked
    assert why_asked(schema, section, spec, None) == anywhere


def test_a_minimum_says_which_answer_decides() -> None:
    rule = {"field": "colour", "value_in": ["Red", "Blue"], "minimum": 3}
    schema = form(entity(COLOUR), role("director", minimum=1, conditional_min=rule))
    minimum = evaluate(schema, record(schema, colour="Blue")).minimum_of(schema.role_sections[0])
    assert (minimum.count, minimum.reason) == (3, "because you answered Blue to “Which colour?”")
