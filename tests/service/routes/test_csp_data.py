from typing import Any

import pytest

from formation_portal.contract.lifecycle import State
from formation_portal.service.catalog.loader import store_catalog
from formation_portal.service.models import Entity
from tests.service import example_catalog
from tests.service.caller import Caller, pointers, problem

pytestmark = pytest.mark.django_db(databases=["service"])


def test_answers_merge_key_by_key_and_null_clears(caller: Caller, entity: str) -> None:
    assert caller.answers(entity, activity="Trading", partners="Many").status_code == 200
    caller.answers(entity, partners=None, started="2026-11-24")
    held = caller.get(f"/entities/{entity}/csp-data").json()["data"]["csp_data"]
    assert held == {"bvi.activity": "Trading", "bvi.started": "2026-11-24", "bvi.agent_office": example_catalog.AGENT}


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("activity", "Fishing", "not_an_option"),
        ("activity", ["Trading"], "not_an_option"),
        ("substance", ["Fishing"], "not_an_option"),
        ("substance", ["Banking", "None of these"], "not_an_option"),
        ("started", "2026-02-31", "not_a_date"),
        ("partners", 5, "not_text"),
        ("partners", "x" * 501, "too_long"),
        ("capital", {"amount": 5, "currency": "EUR"}, "currency_not_allowed"),
        ("capital", {"amount": 5}, "required"),
        ("capital", {"currency": "USD"}, "incomplete"),
        ("capital", {}, "incomplete"),
        ("capital", {"amount": -1, "currency": "USD"}, "negative"),
        ("capital", {"amount": 0.001, "currency": "USD"}, "too_precise"),
        ("mail", {"street1": "1 Main St"}, "incomplete_address"),
        ("agent_office", example_catalog.AGENT, "provided_by_agent"),
    ],
)
def test_a_value_of_the_wrong_shape_is_refused_at_its_field(
    caller: Caller, entity: str, key: str, value: Any, code: str
) -> None:
    answer = caller.answers(entity, **{key: value})
    problem(answer, 422, code if code == "currency_not_allowed" else "validation_failed")
    error = answer.json()["errors"][0]
    assert (error["pointer"], error["field"], error["code"]) == (f"/csp_data/bvi.{key}", f"bvi.{key}", code)
    assert error["detail"]


@pytest.mark.parametrize(
    ("key", "value", "part"),
    [
        ("listed", "true", ""),
        ("listed", "false", ""),
        ("listed", 1, ""),
        ("staff", "12", ""),
        ("staff", "12.5", ""),
        ("staff", True, ""),
        ("staff", [12], ""),
        ("capital", {"amount": "5", "currency": "USD"}, "/amount"),
        ("capital", {"amount": "5"}, ""),
        ("capital", {"amount": True, "currency": "USD"}, "/amount"),
        ("started", {"day": "24", "month": "11", "year": "2026"}, ""),
        ("markets", "Europe", ""),
        ("activity", ["Trading"], ""),
        ("partners", False, ""),
    ],
)
def test_a_value_of_another_json_type_is_refused_and_not_converted(
    caller: Caller, entity: str, key: str, value: Any, part: str
) -> None:
    before = caller.get(f"/entities/{entity}/csp-data").json()
    answer = caller.answers(entity, **{key: value})
    problem(answer, 422, "validation_failed")
    assert pointers(answer)[0] in (f"/csp_data/bvi.{key}{part}", f"/csp_data/bvi.{key}")
    assert caller.get(f"/entities/{entity}/csp-data").json() == before


def test_a_wrong_type_is_said_in_words_at_its_part(caller: Caller, entity: str) -> None:
    error = caller.answers(entity, capital={"amount": "5", "currency": "USD"}).json()["errors"][0]
    assert error == {
        "pointer": "/csp_data/bvi.capital/amount",
        "field": "bvi.capital",
        "code": "wrong_type",
        "detail": "“Capital”, amount, must be a number",
    }
    details = [caller.answers(entity, **{key: value}).json()["errors"][0]["detail"] for key, value in MISSAID.items()]
    assert details == ["“Listed” must be true or false", "“Staff” must be a number"]


MISSAID = {"listed": "true", "staff": "12"}


def test_values_of_every_json_type_are_taken(caller: Caller, entity: str) -> None:
    answers = {"listed": False, "staff": 12.5, "markets": ["Asia"], "capital": {"amount": 5.0, "currency": "USD"}}
    assert caller.answers(entity, **answers).status_code == 200
    held = caller.get(f"/entities/{entity}/csp-data").json()["data"]["csp_data"]
    assert {name: held[f"bvi.{name}"] for name in answers} == answers


def test_an_amount_has_both_keys(caller: Caller, entity: str) -> None:
    caller.answers(entity, capital={"amount": 50000, "currency": "USD"})
    held = caller.get(f"/entities/{entity}/csp-data").json()["data"]["csp_data"]
    assert held["bvi.capital"] == {"amount": 50000, "currency": "USD"}


def test_an_unknown_key_is_refused_and_nothing_is_kept(caller: Caller, entity: str) -> None:
    answer = caller.answers(entity, activity="Trading", colour="red")
    problem(answer, 422, "unknown_field")
    assert pointers(answer) == ["/csp_data/bvi.colour"]
    assert "bvi.activity" not in caller.get(f"/entities/{entity}/csp-data").json()["data"]["csp_data"]


def test_a_pointer_to_a_key_with_a_slash_is_escaped(caller: Caller, entity: str) -> None:
    answer = caller.answers(entity, **{"a/b~c": "1"})
    assert pointers(answer) == ["/csp_data/bvi.a~1b~0c"]


def test_answers_to_another_schema_are_refused(caller: Caller, entity: str) -> None:
    error = problem(
        caller.answers(entity, schema=example_catalog.PLAIN_SCHEMA, activity="Trading"), 409, "schema_superseded"
    )
    assert example_catalog.SHARES_SCHEMA in error["detail"]


def test_an_older_schema_stays_for_entities_created_with_it(caller: Caller, entity: str) -> None:
    newer = example_catalog.items()
    newer[0]["schema"] |= {"id": "5c1e3a70-12ab-4d21-8f10-51d6b1a30009", "version": "2"}
    newer[0]["schema"]["sections"][0]["fields"].pop(3)
    store_catalog(newer)
    assert caller.answers(entity, activity="Trading").status_code == 200
    later = caller.entity()
    problem(caller.answers(later, activity="Trading"), 409, "schema_superseded")
    assert caller.get(f"/entities/{later}").json()["data"]["schema_version"] == "2"


def test_a_partys_answers_are_its_own(caller: Caller, entity: str) -> None:
    director, share_class = caller.person(entity, "director"), caller.share_class(entity)
    body = {
        "csp_form_schema_id": example_catalog.SHARES_SCHEMA,
        "scope": "party",
        "party_id": director,
        "csp_data": {"bvi.class_right": share_class},
    }
    answer = caller.post(f"/entities/{entity}/csp-data", body)
    assert answer.status_code == 200
    held = caller.get(f"/entities/{entity}/csp-data?party_id={director}").json()["data"]
    assert held["csp_data"] == {"bvi.class_right": share_class, "bvi.post": example_catalog.AGENT}
    assert (held["scope"], held["party_id"]) == ("party", director)
    assert "bvi.class_right" not in caller.get(f"/entities/{entity}/csp-data").json()["data"]["csp_data"]


def test_a_reference_names_a_share_class_of_the_same_entity(caller: Caller, entity: str) -> None:
    director, elsewhere = caller.person(entity, "director"), caller.entity()
    body = {
        "csp_form_schema_id": example_catalog.SHARES_SCHEMA,
        "scope": "party",
        "party_id": director,
        "csp_data": {"bvi.class_right": caller.share_class(elsewhere)},
    }
    answer = caller.post(f"/entities/{entity}/csp-data", body)
    problem(answer, 422, "validation_failed")
    assert answer.json()["errors"][0]["code"] == "unknown_share_class"


def test_a_share_classs_answers_are_its_own(caller: Caller, entity: str) -> None:
    share_class = caller.share_class(entity)
    body = {
        "csp_form_schema_id": example_catalog.SHARES_SCHEMA,
        "scope": "share_class",
        "share_class_id": share_class,
        "csp_data": {"bvi.class_note": "Founders"},
    }
    assert caller.post(f"/entities/{entity}/csp-data", body).status_code == 200
    held = caller.get(f"/entities/{entity}/csp-data?share_class_id={share_class}").json()["data"]
    assert held["csp_data"] == {"bvi.class_note": "Founders"}


@pytest.mark.parametrize(
    ("more", "where"),
    [
        ({"scope": "party"}, "/party_id"),
        ({"scope": "share_class"}, "/share_class_id"),
        ({"party_id": "pty_" + "0" * 24}, "/party_id"),
        ({"scope": "moon"}, "/scope"),
        ({"scope": []}, "/scope"),
    ],
)
def test_a_scope_and_its_id_go_together(caller: Caller, entity: str, more: dict[str, Any], where: str) -> None:
    body = {"csp_form_schema_id": example_catalog.SHARES_SCHEMA, "csp_data": {}, **more}
    answer = caller.post(f"/entities/{entity}/csp-data", body)
    assert answer.status_code == 422
    assert pointers(answer) == [where]


def test_a_party_that_is_not_there_has_no_answers(caller: Caller, entity: str) -> None:
    problem(caller.get(f"/entities/{entity}/csp-data?party_id=pty_{'0' * 24}"), 404, "not_found")
    problem(caller.get(f"/entities/{entity}/csp-data?party_id=%00"), 404, "not_found")


def test_a_closed_entity_takes_no_answers(caller: Caller, entity: str) -> None:
    Entity.objects.filter(id=entity).update(status=State.SUBMITTED_TO_CSP)
    problem(caller.answers(entity, activity="Trading"), 409, "invalid_state")
