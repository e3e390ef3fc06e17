"""What is new, gone and renamed between two versions of a form."""

from typing import Any

from hypothesis import given

from formation_portal.contract.schema import FormSchema
from formation_portal.contract.transfer import form_changes
from formation_portal.contract.translation import translated_form
from tests.contract.builders import entity, form, question, role
from tests.strategies import schemas


@given(schemas())
def test_a_form_does_not_differ_from_itself(document: dict[str, Any]) -> None:
    found = form_changes(FormSchema.model_validate(document), FormSchema.model_validate(document))
    assert (found.new, found.gone, found.renamed) == ((), (), ())


def test_a_question_with_another_label_is_renamed() -> None:
    old, new = form(entity(question("a"))), form(entity(question("a", label="Alpha")))
    assert form_changes(old, new).renamed == ((("Entity",), "Alpha", "a"),)


def test_a_question_of_several_roles_is_one_line_with_all_its_titles() -> None:
    old = form(role("director"), role("secretary"))
    new = form(role("director", question("a")), role("secretary", question("a")))
    assert form_changes(old, new).new == ((("Directors", "Secretarys"), "a", ""),)


def test_a_document_and_a_kind_that_is_allowed_now_are_new() -> None:
    old = form(role("director"))
    slots = {"person": [{"name": "Passport", "required": True}]}
    assert [label for _, label, _ in form_changes(old, form(role("director", documents=slots))).new] == [
        "Document “Passport”"
    ]
    assert form_changes(old, form(role("director", allows_corporate=True))).new


def test_a_document_in_another_language_is_not_renamed() -> None:
    old = form(role("director", documents={"person": [{"name": "Passport"}]}))
    said = {"sections": [{"scope": "role:director", "documents": {"person": [{"name": "Passport", "label": "Pass"}]}}]}
    there = translated_form(old, said, "de")
    assert [slot.words for slot in there.sections[0].slots("person")] == ["Pass"]
    assert form_changes(old, there).renamed == ()
