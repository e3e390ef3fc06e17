from typing import Any

import pytest

from formation_portal.service.models import Event
from tests.service.caller import Caller, ordinary, problem

pytestmark = pytest.mark.django_db(databases=["service"])


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("dividend_rights", None, "validation_failed"),
        ("currency", "usd", "currency_not_allowed"),
        ("par_value", -1, "validation_failed"),
        ("par_value", "1", "validation_failed"),
        ("voting_rights", "yes", "validation_failed"),
        ("colour", "red", "unknown_field"),
    ],
)
def test_a_property_of_the_wrong_shape_is_refused(
    caller: Caller, entity: str, name: str, value: Any, code: str
) -> None:
    answer = caller.post(f"/entities/{entity}/share-classes", {**ordinary(), name: value})
    problem(answer, 422, code, f"/{name}")


def test_a_class_has_five_properties_and_a_name_of_its_own(caller: Caller, entity: str) -> None:
    classes = f"/entities/{entity}/share-classes"
    answer = caller.post(classes, ordinary() | {"currency": "XDR"})
    assert answer.status_code == 201
    data = answer.json()["data"]
    path = f"{classes}/{data['id']}"
    assert data["id"].startswith("sc_")
    assert {name: data[name] for name in ordinary()} == ordinary() | {"currency": "XDR"}
    assert caller.get(classes).json()["data"] == [data]
    assert caller.get(path).json()["data"] == data
    second = caller.share_class(entity, "Preferred")
    problem(caller.patch(f"{classes}/{second}", {"name": "Ordinary"}), 409, "conflict")
    for name in ("ORDINARY", "ordinary\u200b"):
        assert problem(caller.post(classes, ordinary(name)), 409, "conflict")["existing_id"] == data["id"]
    assert caller.share_class(caller.entity()), "in another entity"
    changed = caller.patch(path, {"par_value": 0.5, "name": "Common"}).json()["data"]
    assert (changed["par_value"], changed["name"], changed["currency"]) == (0.5, "Common", "XDR")
    problem(caller.patch(path, {"currency": None}), 422, "validation_failed", "/currency")


def test_a_shareholding_is_made_once_told_changed_listed_and_removed_before_its_class(
    caller: Caller, entity: str
) -> None:
    share_class, party = caller.share_class(entity), caller.person(entity, "shareholder")
    holding = caller.holding(entity, party, share_class)
    path = f"/entities/{entity}/shareholdings"
    data = {"entity_id": entity, "shareholding_id": holding, "party_id": party, "share_class_id": share_class}
    assert Event.objects.get(type="shareholding.created").data == {**data, "shares_held": 100}
    body = {"party_id": party, "share_class_id": share_class, "shares_held": 1}
    assert problem(caller.post(path, body), 409, "conflict")["existing_id"] == holding
    assert caller.patch(f"{path}/{holding}", {"shares_held": 7}).json()["data"]["shares_held"] == 7
    listed = caller.get(path).json()
    assert [held["id"] for held in listed["data"]] == [holding]
    assert caller.get(f"{path}/{holding}").json()["data"] == listed["data"][0]
    director = caller.person(entity, "director")
    problem(caller.post(path, body | {"party_id": director}), 409, "conflict")
    problem(caller.delete(f"/entities/{entity}/share-classes/{share_class}"), 409, "conflict")
    assert caller.delete(f"{path}/{holding}").status_code == 204
    assert caller.delete(f"/entities/{entity}/share-classes/{share_class}").status_code == 204


@pytest.mark.parametrize("shares", [101, 1_000_000_000_000_000])
def test_a_holding_has_at_most_a_million_billion_shares(caller: Caller, entity: str, shares: int) -> None:
    holding = caller.holding(entity, caller.person(entity, "shareholder"), caller.share_class(entity), shares)
    path = f"/entities/{entity}/shareholdings/{holding}"
    assert caller.get(path).json()["data"]["shares_held"] == shares
    assert caller.patch(path, {"shares_held": shares - 1}).json()["data"]["shares_held"] == shares - 1
    assert caller.patch(path, {"shares_held": shares}).json()["data"]["shares_held"] == shares


@pytest.mark.parametrize("shares", [0, -1, 1.5, "10", True, None, 1_000_000_000_000_001])
def test_shares_are_counted_in_whole_numbers(caller: Caller, entity: str, shares: Any) -> None:
    party, share_class = caller.person(entity, "shareholder"), caller.share_class(entity)
    body = {"party_id": party, "share_class_id": share_class, "shares_held": shares}
    answers = [caller.post(f"/entities/{entity}/shareholdings", body)]
    holding = caller.holding(entity, party, share_class)
    answers.append(caller.patch(f"/entities/{entity}/shareholdings/{holding}", {"shares_held": shares}))
    for answer in answers:
        problem(answer, 422, "validation_failed", "/shares_held")


@pytest.mark.parametrize("member", ["party_id", "share_class_id"])
def test_what_a_shareholding_names_is_of_the_same_entity(caller: Caller, entity: str, member: str) -> None:
    elsewhere = caller.entity()
    there = {"party_id": caller.person(elsewhere, "shareholder"), "share_class_id": caller.share_class(elsewhere)}
    here = {"party_id": caller.person(entity, "shareholder"), "share_class_id": caller.share_class(entity)}
    body = {**here, member: there[member], "shares_held": 1}
    problem(caller.post(f"/entities/{entity}/shareholdings", body), 404, "not_found", f"/{member}")
