"""Which answers to one form answer another: the same canonical name, and the same value of the same type."""

from typing import Any

import pytest
from hypothesis import given

from formation_portal.contract import transfer
from formation_portal.contract.record import validate
from formation_portal.contract.rules import evaluate
from formation_portal.contract.schema import FormSchema
from formation_portal.contract.transfer import compare, form_changes
from formation_portal.contract.translation import translated_form
from tests.contract.builders import entity, form, question, record, role
from tests.strategies import schemas

NAMED = {"canonical_field": "entity.k"}


def reason(old: dict[str, Any], raw: Any, new: dict[str, Any], **more: Any) -> str:
    """Why the answer to `old` doesn't answer `new`; empty where it does."""
    here, there = form(entity(old)), form(entity(new), **more)
    [section] = here.entity_sections
    questions = evaluate(here, record(here)).questions(section)
    typed = {here.entity_fields[0].name: raw}
    answers = validate(here.entity_fields, typed)
    found = compare(questions, answers=answers, raw=typed, form=there, into=there.entity_fields)
    assert len(found.fits) + len(found.misfits) == 1
    assert found.raw == (typed if found.fits else {})
    return found.misfits[0][1] if found.misfits else ""


def named(field_type: str = "text", **more: Any) -> dict[str, Any]:
    return question("k", field_type, **{**NAMED, **more})


@pytest.mark.parametrize(
    ("old", "raw", "new"),
    [
        (named(), "Trading", named("select", options=["Trading"])),
        (named("select", options=["Trading"]), "Trading", named()),
        (named("date"), {"day": "1", "month": "May", "year": "1990"}, named("date")),
        (named(), "Trading", question("another_key", **NAMED)),
        (named("multi_select", options=["A", "B"]), ["A"], named("multi_select", options=["A", "B"])),
    ],
)
def test_the_same_value_fits(old: dict[str, Any], raw: Any, new: dict[str, Any]) -> None:
    assert reason(old, raw, new) == ""


EURO = {"amount": "5", "currency": "EUR"}


@pytest.mark.parametrize(
    ("old", "raw", "new", "why"),
    [
        (named("number"), "5", named(), transfer.ASKED_DIFFERENTLY),
        (named("date"), {"day": "1", "month": "5", "year": "1990"}, named(), transfer.ASKED_DIFFERENTLY),
        (named("select", options=["A"]), "A", named("select", options=["B"]), "Not one of the options"),
        (
            named("currency_amount"),
            EURO,
            named("currency_amount", allowed_currencies=["USD"]),
            "Not in this currency",
        ),
        (named("number"), "many", named("number"), transfer.UNREADABLE),
        (named(), "A", named(provided_by_agent=True), transfer.FROM_AGENT),
        (named("multi_select", options=["A", "B"]), ["A"], named("multi_select", options=["A"]), transfer.DECLARATION),
        (named("multi_select", options=["A"]), ["A"], named("multi_select", options=["A", "B"]), transfer.DECLARATION),
        (named(), "A", question("k"), transfer.NOT_ASKED),
    ],
)
def test_anything_else_stays_and_says_why(old: dict[str, Any], raw: Any, new: dict[str, Any], why: str) -> None:
    assert reason(old, raw, new) == why


def test_what_is_inactive_here_stays() -> None:
    old = named(depends_on={"field": "switch", "value": True})
    here = form(entity(question("switch", "boolean"), old))
    there = form(entity(named()))
    [section] = here.entity_sections
    answers = validate(here.entity_fields, {"entity.k": "A"})
    questions = evaluate(here, record(here)).questions(section)
    raw = {"entity.k": "A"}
    found = compare(questions, answers=answers, raw=raw, form=there, into=there.entity_fields)
    assert [reason for _, reason in found.misfits] == [transfer.INACTIVE]


@given(schemas())
def test_a_form_does_not_differ_from_itself(document: dict[str, Any]) -> None:
    found = form_changes(FormSchema.model_validate(document), FormSchema.model_validate(document))
    assert (found.new, found.gone, found.renamed) == ((), (), ())


def test_a_form_differs_by_new_and_renamed_questions_documents_and_kinds() -> None:
    old, new = form(entity(question("a"))), form(entity(question("a", label="Alpha")))
    assert form_changes(old, new).renamed == ((("Entity",), "Alpha", "a"),)
    old = form(role("director"), role("secretary"))
    new = form(role("director", question("a")), role("secretary", question("a")))
    assert form_changes(old, new).new == ((("Directors", "Secretarys"), "a", ""),)
    old = form(role("director"))
    slots = {"person": [{"name": "Passport", "required": True}]}
    assert [label for _, label, _ in form_changes(old, form(role("director", documents=slots))).new] == [
        "Document “Passport”"
    ]
    assert form_changes(old, form(role("director", allows_corporate=True))).new
    old = form(role("director", documents={"person": [{"name": "Passport"}]}))
    said = {"sections": [{"scope": "role:director", "documents": {"person": [{"name": "Passport", "label": "Pass"}]}}]}
    there = translated_form(old, said, "de")
    assert [slot.words for slot in there.sections[0].slots("person")] == ["Pass"]
    assert form_changes(old, there).renamed == ()
