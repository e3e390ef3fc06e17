"""What is active, required and minimal, and why (INTERFACE.md, "Rules")."""

from datetime import date
from typing import Any

import pytest

from formation_portal.contract.fields.base import fields_by_name
from formation_portal.contract.record import Record, validate
from formation_portal.contract.rules import evaluate, why_asked
from formation_portal.contract.schema import FormSchema
from tests.contract.builders import entity, form, person, question, record, role


def is_active(schema: FormSchema, key: str, given: Record, holder: Any = None) -> bool:
    form_state = evaluate(schema, given)
    return next(
        found.activation.active
        for section in schema.sections
        for found in form_state.questions(section, holder)
        if found.spec.key == key
    )


def test_includes_any_on_a_list_asks_for_a_shared_member() -> None:
    rule = {"field": "a", "operator": "includes_any", "value": ["A", "B"]}
    schema = form(entity(question("a", "multi_select", options=["A", "B", "C"]), question("b", depends_on=rule)))
    assert is_active(schema, "b", record(schema, a=["C", "B"]))
    assert not is_active(schema, "b", record(schema, a=["C"]))


def test_rules_cascade_across_sections() -> None:
    schema = form(
        entity(question("a", "boolean"), title="One"),
        entity(question("b", "boolean"), title="Two", depends_on={"field": "a", "value": True}),
        entity(question("c", depends_on={"field": "b", "value": True}), title="Three"),
    )
    assert is_active(schema, "c", record(schema, a=True, b=True))
    assert not is_active(schema, "c", record(schema, a=False, b=True))


@pytest.mark.parametrize(
    ("word", "names"),
    [("a", {}), ("xx.a", {}), ("entity.a", {"canonical_field": "entity.a", "csp_field_key": None})],
)
def test_a_rule_may_name_a_field_by_any_of_its_names(word: str, names: dict[str, Any]) -> None:
    schema = form(entity(question("a", "boolean", **names), question("b", depends_on={"field": word, "value": True})))
    assert is_active(schema, "b", record(schema, a=True))


def test_a_rule_means_its_own_section_first_and_the_entity_next() -> None:
    schema = form(
        entity(question("a", "boolean"), title="One"),
        role(
            "director",
            {"key": "a", "field_type": "boolean", "csp_field_key": "yy.a"},
            question("b", depends_on={"field": "a", "value": True}),
        ),
        role("wizard", {"key": "a", "field_type": "boolean", "csp_field_key": "zz.a"}),
    )
    own = person(schema, "director", a=True)
    assert is_active(schema, "b", record(schema, parties=(own,), a=False), own)
    other = person(schema, "director", a=False)
    assert not is_active(schema, "b", record(schema, parties=(other,), a=True), other)


def test_from_outside_any_party_satisfies_a_rule_and_inside_a_role_the_partys_own_answer_counts_alone() -> None:
    rule = {"field": "pep", "value": True}
    schema = form(
        role("director", question("pep", "boolean"), question("details", depends_on=rule)),
        entity(question("agent", depends_on=rule)),
    )
    plain = person(schema, "director", id="plain", pep=False)
    exposed = person(schema, "director", id="exposed", pep=True)
    both = record(schema, parties=(plain, exposed))
    assert not is_active(schema, "agent", record(schema, parties=(plain,)))
    assert is_active(schema, "agent", both)
    assert not is_active(schema, "details", both, plain)
    assert is_active(schema, "details", both, exposed)


@pytest.mark.parametrize(
    ("rule", "answer", "count"),
    [
        ({"field": "model", "value": "Two tier", "minimum": 3}, "Two tier", 3),
        ({"field": "model", "value": "Two tier", "minimum": 3}, "One tier", 1),
        ({"field": "model", "value_in": ["One tier", "Two tier"], "minimum": 0}, "One tier", 0),
        ({"field": "nothing", "value": "Two tier", "minimum": 3}, "Two tier", 1),
        ({"field": "model", "value": "Two tier", "minimum": -1}, "Two tier", 1),
    ],
)
def test_a_conditional_minimum_replaces_the_base(rule: Any, answer: str | None, count: int) -> None:
    schema = form(
        entity(question("model", "select", options=["One tier", "Two tier"])),
        role("director", minimum=1, conditional_min=rule),
    )
    given = record(schema, parties=(person(schema, "director"),), model=answer)
    minimum = evaluate(schema, given).minimum_of(schema.role_sections[0])
    assert minimum.count == count
    assert minimum.reason == (f"because you answered {answer} to “model”" if count != 1 else "")


@pytest.mark.parametrize(("by_director", "by_wizard"), [(True, False), (False, True), (False, False)])
def test_a_question_of_two_roles_is_asked_once_and_required_if_either_says_so(
    by_director: bool, by_wizard: bool
) -> None:
    schema = form(
        role("director", question("phone", "phone", required=by_director)),
        role("wizard", question("phone", "phone", required=by_wizard), question("wand")),
    )
    ada = person(schema, "director", "wizard")
    questions = evaluate(schema, record(schema, parties=(ada,))).party_questions(ada)
    [phone] = [found for found in questions if found.spec.key == "phone"]
    assert phone.required is (by_director or by_wizard)
    # It stands where the first of the roles asks it.
    assert phone.section.role == "director"


def test_a_party_with_one_more_role_is_asked_more_by_the_same_state() -> None:
    schema = form(role("director", question("appointed", "date")), role("ubo", question("percent", "number")))
    form_state = evaluate(schema, record(schema))
    asked = [
        {found.spec.key for found in form_state.party_questions(person(schema, *roles))}
        for roles in (["director"], ["director", "ubo"])
    ]
    assert "percent" not in asked[0]
    assert asked[1] == asked[0] | {"percent"}


@pytest.mark.parametrize("first", [True, False])
def test_a_question_of_two_roles_is_asked_if_either_asks_it(first: bool) -> None:
    never = {"depends_on": {"field": "a", "value": "x"}}
    schema = form(
        entity(question("a")),
        role("director", question("phone", "phone", **({} if first else never))),
        role("wizard", question("phone", "phone", **(never if first else {}))),
    )
    ada = person(schema, "director", "wizard")
    questions = evaluate(schema, record(schema, parties=(ada,))).party_questions(ada)
    (phone,) = (found for found in questions if found.spec.key == "phone")
    assert phone.activation.active
    assert phone.section.role == ("director" if first else "wizard")


def test_a_slot_of_two_roles_is_one_slot_required_if_either_says_so() -> None:
    schema = form(
        role("director", documents={"person": [{"name": "Passport", "required": False}]}),
        role("wizard", documents={"person": [{"name": "Passport", "required": True}]}),
    )
    ada = person(schema, "director", "wizard")
    (slot,) = evaluate(schema, record(schema, parties=(ada,))).slots(ada)
    assert slot.required


OURS, THEIRS = {"provided_by_agent": True}, {"provided_by_agent": False}


@pytest.mark.parametrize(
    ("first", "second", "chosen"),
    [(THEIRS, THEIRS, "second"), (THEIRS, OURS, "first"), (OURS, THEIRS, "second"), (OURS, OURS, "first")],
)
def test_an_answer_is_to_the_last_question_that_the_customer_answers(
    first: dict[str, Any], second: dict[str, Any], chosen: str
) -> None:
    shared = {"canonical_field": "entity.k"}
    schema = form(entity(question("first", **shared, **first), question("second", **shared, **second)))
    assert fields_by_name(schema.entity_fields)["entity.k"].key == chosen


def test_of_two_questions_that_share_an_answer_the_first_reads_it() -> None:
    schema = form(
        entity(
            question("as_date", "date", csp_field_key="bench.shared"),
            question("as_text", "text", csp_field_key="bench.shared"),
        )
    )
    answers = validate(schema.entity_fields, {"bench.shared": {"day": "3", "month": "2", "year": "2020"}})
    assert answers.values == {"bench.shared": date(2020, 2, 3)}
    assert answers.problems == {}


COLOUR = question("colour", "select", options=["Red", "Green", "Blue"])
WHERE = question("where", "multi_select", options=["North", "South", "East"])
RED_GREEN_OR_BLUE = "if you answer Red, Green or Blue to “colour”"
CHOSE_EAST = "because you chose East under “where”"
NORTH_OR_EAST = "if you choose North or East under “where”"


def any_of(key: str, *values: str) -> dict[str, Any]:
    return {"field": key, "operator": "includes_any", "value": list(values)}


@pytest.mark.parametrize(
    ("named", "rule", "answer", "because", "unless"),
    [
        (
            question("sure", "boolean"),
            {"field": "sure", "value": True},
            True,
            "because you answered Yes to “sure”",
            "if you answer Yes to “sure”",
        ),
        (
            COLOUR,
            any_of("colour", "Red", "Green", "Blue"),
            "Green",
            "because you answered Green to “colour”",
            RED_GREEN_OR_BLUE,
        ),
        (
            WHERE,
            any_of("where", "North", "East"),
            ["East", "South"],
            "because you chose East under “where”",
            NORTH_OR_EAST,
        ),
    ],
    ids=["yes or no", "one of several", "several of several"],
)
def test_a_rule_is_told_with_the_answer_first(
    named: dict[str, Any], rule: dict[str, Any], answer: Any, because: str, unless: str
) -> None:
    schema = form(entity(named, question("why", depends_on=rule)))
    section, spec = schema.sections[0], schema.sections[0].fields[1]
    answered = evaluate(schema, record(schema, **{named["key"]: answer}))
    assert answered.field_activation(section, spec).reason == f"Asked {because}"
    assert evaluate(schema, record(schema)).field_activation(section, spec).reason == f"Only asked {unless}"
    # Of yes or no there is one answer that it can be.
    assert why_asked(schema, section, spec, None) == f"Asked {because if answer is True else unless}"
