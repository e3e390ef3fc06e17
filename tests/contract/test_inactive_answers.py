"""Inactive is what was answered and isn't asked any more, counted once; changing back restores all of it."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formation_portal.contract.inactive_answers import (
    Inactive,
    InactiveAnswer,
    all_inactive,
    can_be_much,
    inactive_without,
    newly_inactive,
)
from formation_portal.contract.record import Answers
from formation_portal.contract.rules import FormState, evaluate
from formation_portal.contract.schema import FormSchema
from tests.strategies import records, schemas

from .builders import entity, form, person, question, record, role, share_class

ON = {"field": "on", "value": True}
NOTHING = Inactive()


def asked_names(form_state: FormState, holder: Any) -> set[str]:
    """The names that any section asks of the holder, found the long way."""
    return {
        spec.name
        for section in form_state.schema.sections
        if holder is None or section.counts(holder.kind, holder.roles)
        for spec in section.groups.get("entity" if holder is None else holder.kind, ())
        if form_state.field_activation(section, spec, holder).active
    }


@given(schemas(), st.data())
def test_what_is_inactive_was_answered_and_is_not_asked(document: dict[str, Any], data: st.DataObject) -> None:
    schema = FormSchema.model_validate(document)
    form_state = evaluate(schema, data.draw(records(schema)))
    found = all_inactive(form_state)
    for holder in (None, *form_state.record.parties):
        answers: Answers = holder.answers if holder else form_state.record.answers
        given_names = {*answers.values, *answers.problems}
        listed = {one.name for one in found.answers if one.holder == (holder.id if holder else None)}
        if holder is None or holder.id not in found.parties:
            assert listed == given_names - asked_names(form_state, holder)
        else:
            assert not listed
            assert not form_state.active_roles(holder)


@given(schemas(), st.data())
def test_what_depends_on_an_answer_is_what_taking_it_back_makes_inactive(
    document: dict[str, Any], data: st.DataObject
) -> None:
    schema = FormSchema.model_validate(document)
    now = data.draw(records(schema))
    form_state = evaluate(schema, now)
    for holder in (None, *now.parties):
        answers = holder.answers if holder else now.answers
        for name in answers.values:
            left = Answers({key: value for key, value in answers.values.items() if key != name}, answers.problems)
            parties = tuple(replace(one, answers=left) if one is holder else one for one in now.parties)
            without = replace(now, parties=parties) if holder else replace(now, answers=left)
            found = inactive_without([name], form_state, holder)[name]
            assert found == newly_inactive(form_state, evaluate(schema, without))
            assert form_state.record == now
            for section in found.sections:
                assert form_state.section_activation(next(one for one in schema.sections if one.key == section)).active


SCHEMA = form(
    entity(question("on", "boolean"), *(question(f"a{n}", depends_on=ON) for n in range(5)), title="First"),
    entity(question("b"), question("a0"), title="Second", depends_on=ON),
    entity(question("c"), title="Empty", depends_on=ON),
    role("director", question("d"), depends_on=ON),
    role("secretary", question("e")),
    {"scope": "share_structure", "title": "Shares", "depends_on": ON},
)
ADA = person(SCHEMA, "director", d="x")
EVE = person(SCHEMA, "director", "secretary", id="eve", d="x", e="x")
ORDINARY = share_class(SCHEMA)


def form_state(on: bool, **answers: Any) -> FormState:
    return evaluate(SCHEMA, record(SCHEMA, parties=(ADA, EVE), classes=(ORDINARY,), on=on, **answers))


def test_whole_sections_people_and_classes_are_counted_as_such() -> None:
    inactive = newly_inactive(form_state(True, b="x", a1="x"), form_state(False, b="x", a1="x"))
    assert inactive.sections == {"second", "directors", "shares"}
    assert inactive.parties == {"ada"}
    assert inactive.share_classes == {"a"}
    assert inactive.answers == {InactiveAnswer("first", None, "xx.a1")}
    assert inactive.is_much


def questions(count: int) -> list[dict[str, Any]]:
    return [question(f"a{number}", depends_on=ON) for number in range(count)]


@pytest.mark.parametrize(
    ("dependent", "is_much"),
    [
        ([entity(question("b"), title="Second", depends_on=ON)], True),
        ([{"scope": "share_structure", "title": "Shares", "depends_on": ON}], True),
        ([entity(*questions(4), title="Second")], True),
        ([entity(*questions(3), title="Second")], False),
    ],
    ids=["a section", "the shares", "four answers", "three answers"],
)
def test_an_answer_is_said_to_decide_much_where_it_does(dependent: list[dict[str, Any]], is_much: bool) -> None:
    schema = form(entity(question("on", "boolean"), question("off", "boolean"), title="First"), *dependent)
    assert can_be_much(schema, "xx.on") is is_much
    answers = {"b": "x"} | {f"a{number}": "x" for number in range(4)}
    states = [
        evaluate(schema, record(schema, on=on, classes=(share_class(SCHEMA),), **answers)) for on in (True, False)
    ]
    assert newly_inactive(*states).is_much is is_much
    assert not can_be_much(schema, "xx.off")


def test_an_answer_that_another_section_still_asks_is_not_inactive() -> None:
    both = form(
        entity(question("on", "boolean"), question("a"), title="First"),
        entity(question("a"), title="Second", depends_on=ON),
    )
    assert all_inactive(evaluate(both, record(both, on=False, a="x"))) == NOTHING
