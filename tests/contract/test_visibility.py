"""A table says what the rules say, whatever is chosen: the rules are run, and the table is looked up, side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formation_portal.contract.record import Holder, Party, Record, validate
from formation_portal.contract.rules import FormState, Question, evaluate
from formation_portal.contract.schema import FormSchema
from formation_portal.contract.visibility import VisibilityTable, VisibilityTables
from tests.strategies import records, schemas

from .builders import entity, form, question, record


def shows(table: VisibilityTable, posted: Mapping[str, Sequence[str]]) -> bool:
    """What the page's script does: one row fits."""

    def held(name: str) -> set[str]:
        return {value for value in posted.get(name, ()) if value} or {""}

    return any(all(held(name) & set(fitting) for name, fitting in row.items()) for row in table)


def chosen(data: st.DataObject, asked: Sequence[Question]) -> dict[str, list[str]]:
    """Any choice at every control that has some."""
    posted: dict[str, list[str]] = {}
    for one in asked:
        values = [choice.value for choice in one.spec.choices()]
        if not values:
            continue
        one_of_them = st.sampled_from(values).map(lambda value: [value]) | st.just([])
        some = st.lists(st.sampled_from(values), unique=True)
        posted[one.spec.name] = data.draw(some if one.spec.many else one_of_them)
    return posted


def with_choices(
    schema: FormSchema, now: Record, holder: Holder, asked: Sequence[Question], posted: Mapping[str, Sequence[str]]
) -> tuple[Record, Holder]:
    """The record after the post was saved."""
    raw = {
        one.spec.name: list(posted[one.spec.name]) if one.spec.many else "".join(posted[one.spec.name])
        for one in asked
        if one.spec.name in posted
    }
    read = validate([one.spec for one in asked], raw)
    before = (holder or now).answers
    kept = {name: value for name, value in before.values.items() if name not in posted}
    answers = replace(before, values=kept | dict(read.values))
    if holder is None:
        return replace(now, answers=answers), None
    newer, kind = replace(holder, answers=answers), "parties" if isinstance(holder, Party) else "share_classes"
    holders = tuple(newer if one.id == newer.id else one for one in getattr(now, kind))
    return replace(now, **{kind: holders}), newer


def pages(schema: FormSchema, now: Record) -> list[tuple[Holder, tuple[Question, ...]]]:
    """Every page of questions: of each entity section, each party, each class."""
    form_state, share = evaluate(schema, now), schema.share_section
    shown: list[tuple[Holder, tuple[Question, ...]]] = []
    shown += [(None, form_state.questions(section)) for section in schema.entity_sections]
    shown += [(party, form_state.party_questions(party)) for party in now.parties]
    shown += [(one, form_state.questions(share, one)) for one in now.share_classes if share]
    return shown


def active(form_state: FormState, holder: Holder, one: Question) -> bool:
    if isinstance(holder, Party):
        return next(q.activation.active for q in form_state.party_questions(holder) if q.spec.name == one.spec.name)
    return form_state.field_activation(one.section, one.spec, holder).active


@given(schemas(), st.data())
def test_a_table_says_what_the_rules_say(document: dict[str, Any], data: st.DataObject) -> None:
    schema = FormSchema.model_validate(document)
    now = data.draw(records(schema))
    for holder, asked in pages(schema, now):
        tables = VisibilityTables(schema, now, holder, asked)
        posted = chosen(data, asked)
        later, then = with_choices(schema, now, holder, asked, posted)
        form_state = evaluate(schema, later)
        for one in asked:
            table = tables.of(one)
            if table is not None:
                assert shows(table, posted) == active(form_state, then, one), (one.spec.key, table, posted)


def any_of(key: str, *values: str) -> dict[str, Any]:
    return {"field": key, "operator": "includes_any", "value": list(values)}


COLOUR = question("colour", "select", options=["Red", "Green & blue", "=;&"])
WHERE = question("where", "multi_select", options=["North", "South", "East"])


def tables_of(*fields: dict[str, Any], **answers: Any) -> dict[str, VisibilityTable | None]:
    schema = form(entity(*fields))
    now = record(schema, **answers)
    asked = evaluate(schema, now).questions(schema.entity_sections[0])
    tables = VisibilityTables(schema, now, None, asked)
    return {one.spec.key: tables.of(one) for one in asked}


def test_a_cascade_names_every_control_above() -> None:
    found = tables_of(
        COLOUR,
        question("is_sure", "boolean", depends_on=any_of("colour", "Red", "=;&")),
        question("why", depends_on={"field": "is_sure", "value": True}),
    )
    (row,) = found["why"] or ()
    assert row == {"xx.is_sure": ("true",), "xx.colour": ("Red", "=;&")}


@pytest.mark.parametrize(
    "rule",
    [
        {"field": "where", "value": ["North", "South"]},
        {"field": "name", "value": "Larkfield"},
        {"field": "nobody", "value": "Red"},
    ],
    ids=["a whole list", "typed text", "no question"],
)
def test_what_the_page_cannot_tell_is_left_to_the_server(rule: dict[str, Any]) -> None:
    assert tables_of(WHERE, question("name"), question("why", depends_on=rule))["why"] is None


def test_too_many_combinations_are_left_to_the_server() -> None:
    chain = [COLOUR]
    for number in range(9):
        above = chain[-1]["key"]
        value = "Red" if number == 0 else True
        chain.append(question(f"step{number}", "boolean", depends_on={"field": above, "value": value}))
    found = tables_of(*chain)
    assert found["step7"] is not None
    assert found["step8"] is None
