"""The one list of what is still needed."""

from dataclasses import replace
from typing import Any

from formation_portal.contract.needs import needs
from formation_portal.contract.record import Holding
from formation_portal.contract.schema import FormSchema
from tests.contract.builders import entity, form, person, question, record, role, share_class

SHARES = {"scope": "share_structure", "title": "Shares"}


def codes(schema: FormSchema, given: Any) -> list[str]:
    return [need.code for need in needs(schema, given)]


def test_an_answer_is_needed_where_it_is_required_or_cannot_be_read() -> None:
    schema = form(entity(question("a", required=True), question("b")))
    (need,) = needs(schema, record(schema))
    assert (need.code, need.field, need.section, need.text) == ("required", "xx.a", "entity", "Enter “a”")
    assert codes(schema, record(schema, a="x")) == []
    schema = form(entity(question("a", "boolean", required=True)))
    assert codes(schema, record(schema)) == ["required"]
    assert codes(schema, record(schema, a="false")) == []
    schema = form(entity(question("a", "number")))
    (need,) = needs(schema, record(schema, a="ten"))
    assert (need.code, need.field) == ("unreadable", "xx.a")


def test_a_role_below_its_minimum_says_how_many_are_missing_and_why() -> None:
    schema = form(
        entity(question("board", "select", options=["One tier"])),
        role("director", minimum=1, conditional_min={"field": "board", "value": "One tier", "minimum": 3}),
    )
    ada = person(schema, "director")
    (need,) = needs(schema, record(schema, parties=(ada,), board="One tier"))
    assert need.text == "Add 2 more under “Directors” (at least 3, because you answered One tier to “board”)"


def test_a_company_where_only_persons_may_be_is_named() -> None:
    schema = form(role("ubo"), role("director", allows_corporate=True))
    company = person(schema, "ubo", "director", kind="corporate")
    assert codes(schema, record(schema, parties=(company,))) == ["party_type_not_allowed"]


def test_a_required_document_is_needed_of_the_entity_and_by_kind_of_party() -> None:
    slots = {"person": [{"name": "Passport", "required": True}], "entity": [{"name": "Extract", "required": True}]}
    schema = form(role("director", documents=slots, allows_corporate=True))
    ada, company = person(schema, "director"), person(schema, "director", id="co", kind="corporate")
    given = record(schema, parties=(ada, company))
    assert [need.slot for need in needs(schema, given)] == ["Passport", "Extract"]
    done = replace(given, documents=frozenset({("ada", "Passport"), ("co", "Extract")}))
    assert codes(schema, done) == []
    schema = form(entity(question("a"), documents={"entity": [{"name": "Articles", "required": True}]}))
    assert codes(schema, record(schema)) == ["document"]
    assert codes(schema, replace(record(schema), documents=frozenset({(None, "Articles")}))) == []


def test_shares_need_a_whole_class_and_every_shareholder_a_share() -> None:
    schema = form(role("shareholder"), SHARES)
    ada = person(schema, "shareholder")
    assert codes(schema, record(schema, parties=(ada,))) == ["share_class", "holding"]
    one = share_class(schema)
    given = record(schema, parties=(ada,), classes=(one,))
    assert codes(schema, given) == ["holding"]
    assert codes(schema, replace(given, holdings=(Holding("ada", "a", 1),))) == []
    one = share_class(schema, voting_rights=None)
    (need,) = needs(schema, record(schema, classes=(one,)))
    assert (need.code, need.share_class_id, need.field) == ("required", "a", "share_class.voting_rights")


def test_a_party_whose_roles_are_all_parked_needs_nothing() -> None:
    schema = form(
        entity(question("a", "boolean")),
        role("wizard", question("wand", required=True), depends_on={"field": "a", "value": True}),
    )
    merlin = person(schema, "wizard")
    assert codes(schema, record(schema, parties=(merlin,), a=False)) == []
    assert codes(schema, record(schema, parties=(merlin,), a=True)) == ["required"]
