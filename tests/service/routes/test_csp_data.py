from typing import Any

import pytest

from formation_portal.service.catalog.loader import store_catalog
from formation_portal.service.models import Event
from tests.service import example_catalog
from tests.service.caller import Caller, pointers, problem

pytestmark = pytest.mark.django_db(databases=["service"])


def test_answers_merge_key_by_key_and_null_clears(caller: Caller, entity: str) -> None:
    assert caller.answers(entity, activity="Trading", partners="Many").status_code == 200
    caller.answers(entity, partners=None, started="2026-11-24")
    held = caller.get(f"/entities/{entity}/csp-data").json()["data"]["csp_data"]
    assert held == {"bvi.activity": "Trading", "bvi.started": "2026-11-24", "bvi.agent_office": example_catalog.AGENT}


@pytest.mark.parametrize(
    ("key", "value", "code", "detail"),
    [
        ("activity", "Fishing", "not_an_option", "bvi.activity must be one of these: Holding company, Trading."),
        ("activity", ["Trading"], "not_an_option", "bvi.activity must be one of these: Holding company, Trading."),
        ("partners", "x" * 501, "too_long", "Shorten bvi.partners to 500 characters or fewer. It has 501."),
        ("partners", "\x01", "control_characters", "Send bvi.partners without control characters."),
        (
            "capital",
            {"amount": 5, "currency": "EUR"},
            "currency_not_allowed",
            "currency of bvi.capital must be one of these: USD.",
        ),
        (
            "capital",
            {"amount": 0.001, "currency": "USD"},
            "too_precise",
            "Enter bvi.capital with at most 2 decimals in USD.",
        ),
        ("capital", {"amount": 5}, "required", "currency of bvi.capital is missing."),
        ("mail", {"street1": "1 Main St"}, "incomplete_address", "city and country of bvi.mail are missing."),
        (
            "mail",
            {"zip": "VG1110"},
            "unknown_part",
            "Leave out zip in bvi.mail. Its parts are street1, street2, city, region, postcode, country.",
        ),
        (
            "substance",
            ["Banking", "None of these"],
            "not_an_option",
            "bvi.substance must have no other entry beside “None of these”.",
        ),
        (
            "agent_office",
            example_catalog.AGENT,
            "provided_by_agent",
            "Leave out bvi.agent_office. The agent answers it.",
        ),
    ],
)
def test_a_value_of_the_wrong_shape_is_refused_at_its_field(
    caller: Caller, entity: str, key: str, value: Any, code: str, detail: str
) -> None:
    answer = caller.answers(entity, **{key: value})
    problem(answer, 422, code if code == "currency_not_allowed" else "validation_failed")
    error = answer.json()["errors"][0]
    assert (error["pointer"], error["field"], error["code"]) == (f"/csp_data/bvi.{key}", f"bvi.{key}", code)
    assert error["detail"] == detail


@pytest.mark.parametrize(
    ("key", "value", "where", "detail"),
    [
        ("listed", "true", "/bvi.listed", "bvi.listed must be true or false."),
        ("staff", "12", "/bvi.staff", "bvi.staff must be a number, like 10000."),
        ("staff", True, "/bvi.staff", "bvi.staff must be a number, like 10000."),
        (
            "capital",
            {"amount": "5", "currency": "USD"},
            "/bvi.capital/amount",
            "amount of bvi.capital must be a number.",
        ),
        ("capital", 5, "/bvi.capital", "bvi.capital must be an object with amount and currency, like 10000 and USD."),
        (
            "started",
            {"day": "24", "month": "11", "year": "2026"},
            "/bvi.started",
            "bvi.started must be a real date as a text, like 1985-03-27.",
        ),
        ("markets", "Europe", "/bvi.markets", "bvi.markets must be a list of some of these: Europe, Asia."),
        (
            "mail",
            {"street1": 1, "city": "Road Town", "country": "VG"},
            "/bvi.mail/street1",
            "street1 of bvi.mail must be a text.",
        ),
    ],
)
def test_a_value_of_another_json_type_is_refused_and_not_converted(
    caller: Caller, entity: str, key: str, value: Any, where: str, detail: str
) -> None:
    answer = caller.answers(entity, **{key: value})
    [error] = problem(answer, 422, "validation_failed", f"/csp_data{where}")["errors"]
    assert error["detail"] == detail
    assert f"bvi.{key}" not in caller.get(f"/entities/{entity}/csp-data").json()["data"]["csp_data"]


def test_values_of_every_json_type_are_taken_and_with_an_unknown_key_none(caller: Caller, entity: str) -> None:
    answers = {"listed": False, "staff": 12.5, "markets": ["Asia"], "capital": {"amount": 5.0, "currency": "USD"}}
    assert caller.answers(entity, **answers).status_code == 200
    refused = caller.answers(entity, activity="Trading", **{"a/b~c": "red"})
    problem(refused, 422, "unknown_field", "/csp_data/bvi.a~1b~0c")
    held = caller.get(f"/entities/{entity}/csp-data").json()["data"]["csp_data"]
    assert {name: held[f"bvi.{name}"] for name in answers} == answers
    assert "bvi.activity" not in held


def test_an_older_schema_stays_for_entities_created_with_it(caller: Caller, entity: str) -> None:
    newer = example_catalog.items()
    newer[0]["schema"] |= {"id": "5c1e3a70-12ab-4d21-8f10-51d6b1a30009", "version": "2"}
    newer[0]["schema"]["sections"][0]["fields"].pop(3)
    store_catalog(newer)
    assert caller.answers(entity, activity="Trading").status_code == 200
    later = caller.entity()
    error = problem(caller.answers(later, activity="Trading"), 409, "schema_superseded")
    assert "5c1e3a70-12ab-4d21-8f10-51d6b1a30009" in error["detail"]
    assert caller.get(f"/entities/{later}").json()["data"]["schema_version"] == "2"


def test_a_partys_and_a_share_classs_answers_are_their_own(caller: Caller, entity: str) -> None:
    director, share_class = caller.person(entity, "director"), caller.share_class(entity)
    path = f"/entities/{entity}/csp-data"
    for _ in range(2):
        assert caller.answers(entity, "party", director, class_right=share_class).status_code == 200
    assert Event.objects.filter(type="party.updated").count() == 1, "the same again is not told"
    assert caller.answers(entity, "share_class", share_class, class_note="Founders").status_code == 200
    held = caller.get(f"{path}?party_id={director}").json()["data"]
    assert held["csp_data"] == {"bvi.class_right": share_class, "bvi.post": example_catalog.AGENT}
    assert (held["scope"], held["party_id"]) == ("party", director)
    held = caller.get(f"{path}?share_class_id={share_class}").json()["data"]
    assert held["csp_data"] == {"bvi.class_note": "Founders"}
    assert not {"bvi.class_right", "bvi.class_note"} & caller.get(path).json()["data"]["csp_data"].keys()
    of_another = caller.share_class(caller.entity())
    answer = caller.answers(entity, "party", director, class_right=of_another)
    assert problem(answer, 422, "validation_failed")["errors"][0]["code"] == "unknown_share_class"


@pytest.mark.parametrize(
    ("more", "where"),
    [
        ({"scope": "party"}, "/party_id"),
        ({"scope": "share_class"}, "/share_class_id"),
        ({"party_id": "pty_" + "0" * 24}, "/party_id"),
        ({"scope": "moon"}, "/scope"),
    ],
)
def test_a_scope_and_its_id_go_together(caller: Caller, entity: str, more: dict[str, Any], where: str) -> None:
    body = {"csp_form_schema_id": example_catalog.SHARES_SCHEMA, "csp_data": {}, **more}
    answer = caller.post(f"/entities/{entity}/csp-data", body)
    assert (answer.status_code, pointers(answer)) == (422, [where])
