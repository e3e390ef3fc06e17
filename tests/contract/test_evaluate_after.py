"""After a change everything stands as if it had been worked out anew, though only what the change reaches is."""

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from formation_portal.contract.reach import evaluate_after
from formation_portal.contract.record import Answers, Record
from formation_portal.contract.rules import FormState, evaluate
from formation_portal.contract.schema import FormSchema
from tests.strategies import records, schemas

from .builders import entity, form, person, question, record, role, share_class


def standing(form_state: FormState) -> list[Any]:
    """The entity's questions with their reasons."""
    sections = form_state.schema.entity_sections
    return [(one, one.activation.reason) for section in sections for one in form_state.questions(section)]


def some_answers(data: st.DataObject, now: Record, other: Record) -> Answers:
    """Answers about the entity, a few of them as in another record."""
    both = sorted(now.answers.values.keys() | other.answers.values.keys())
    taken = set(data.draw(st.lists(st.sampled_from(both), max_size=3))) if both else set()
    values = {name: (other if name in taken else now).answers.values.get(name) for name in both}
    return Answers({name: value for name, value in values.items() if value is not None})


@given(schemas(), st.data())
def test_after_a_few_changes_everything_stands_as_anew(document: dict[str, Any], data: st.DataObject) -> None:
    schema = FormSchema.model_validate(document)
    now = data.draw(records(schema))
    form_state = evaluate(schema, now)
    for _ in range(3):
        standing(form_state)
        other = data.draw(records(schema))
        parties = data.draw(st.sampled_from([now.parties, other.parties]))
        classes = data.draw(st.sampled_from([now.share_classes, other.share_classes]))
        now = replace(now, answers=some_answers(data, now, other), parties=parties, share_classes=classes)
        form_state = evaluate_after(form_state, now)
        assert standing(form_state) == standing(evaluate(schema, now))


def test_what_a_change_does_not_reach_is_not_worked_out_again() -> None:
    schema = form(
        entity(
            question("a", "boolean"),
            question("b", depends_on={"field": "a", "value": True}),
            question("c", "boolean"),
            question("d", depends_on={"field": "c", "value": True}),
        )
    )
    before = evaluate(schema, record(schema, a=True, c=True))
    [section] = schema.entity_sections
    stood = before.questions(section)
    stands = evaluate_after(before, record(schema, a=False, c=True)).questions(section)
    assert [was is now for was, now in zip(stood, stands, strict=True)] == [True, False, True, True]
    assert [one.activation.active for one in stands] == [True, False, True, True]


def test_what_others_answer_may_decide_too() -> None:
    asked = entity(question("b", depends_on={"field": "pep", "value": True}))
    schema = form(asked, role("director", question("pep", "boolean")))
    before = evaluate(schema, record(schema, parties=(person(schema, "director", pep=True),)))
    assert [one.activation.active for one, _ in standing(before)] == [True]
    after = evaluate_after(before, record(schema, parties=(person(schema, "director", pep=False),)))
    assert [one.activation.active for one, _ in standing(after)] == [False]


def test_what_is_said_of_share_classes_may_decide_too() -> None:
    shares = {"scope": "share_structure", "title": "Shares", "fields": []}
    schema = form(entity(question("b", depends_on={"field": "voting_rights", "value": True})), shares)
    before = evaluate(schema, record(schema, classes=(share_class(schema, voting_rights=True),)))
    assert [one.activation.active for one, _ in standing(before)] == [True]
    after = evaluate_after(before, record(schema, classes=(share_class(schema, voting_rights=False),)))
    assert [one.activation.active for one, _ in standing(after)] == [False]
