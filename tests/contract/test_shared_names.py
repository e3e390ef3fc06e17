"""Questions that share a name: which of them an answer is to, and whether it is required or a declaration."""

from typing import Any

import pytest

from formation_portal.contract import transfer
from formation_portal.contract.fields.base import fields_by_name
from formation_portal.contract.rules import evaluate
from tests.contract.builders import entity, form, person, question, record, role
from tests.contract.test_transfer import named, reason

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


@pytest.mark.parametrize("by_director", [True, False])
@pytest.mark.parametrize("by_wizard", [True, False])
def test_a_question_of_two_roles_is_required_if_one_of_them_requires_it(by_director: bool, by_wizard: bool) -> None:
    schema = form(
        role("director", question("phone", "phone", required=by_director)),
        role("wizard", question("phone", "phone", required=by_wizard)),
    )
    ada = person(schema, "director", "wizard")
    questions = evaluate(schema, record(schema, parties=(ada,))).party_questions(ada)
    [phone] = [found for found in questions if found.spec.key == "phone"]
    assert phone.required is (by_director or by_wizard)


def test_a_declaration_is_copied_into_no_list_of_choices() -> None:
    declared, chosen = (named("multi_select", options=options) for options in (["A"], ["A", "B"]))
    assert reason(declared, ["A"], chosen) == transfer.DECLARATION
