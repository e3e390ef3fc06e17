from typing import Any

import pytest

from formation_portal.contract.lifecycle import State
from formation_portal.service.models import Entity, Event
from tests.service.caller import Caller, ordinary, pointers, problem

pytestmark = pytest.mark.django_db(databases=["service"])


def test_a_class_of_shares_has_the_five_properties(caller: Caller, entity: str) -> None:
    answer = caller.post(f"/entities/{entity}/share-classes", ordinary())
    assert answer.status_code == 201
    data = answer.json()["data"]
    assert data["id"].startswith("sc_")
    assert {name: data[name] for name in ordinary()} == ordinary()
    assert caller.get(f"/entities/{entity}/share-classes").json()["data"] == [data]
    assert caller.get(f"/entities/{entity}/share-classes/{data['id']}").json()["data"] == data


@pytest.mark.parametrize("missing", list(ordinary()))
def test_each_of_the_five_is_required(caller: Caller, entity: str, missing: str) -> None:
    body = {name: value for name, value in ordinary().items() if name != missing}
    answer = caller.post(f"/entities/{entity}/share-classes", body)
    problem(answer, 422, "validation_failed")
    assert pointers(answer) == [f"/{missing}"]


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("name", " ", "validation_failed"),
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
    problem(answer, 422, code)
    assert pointers(answer) == [f"/{name}"]


def test_a_currency_that_no_country_pays_with_is_one_all_the_same(caller: Caller, entity: str) -> None:
    answer = caller.post(f"/entities/{entity}/share-classes", {**ordinary(), "currency": "XDR"})
    assert answer.json()["data"]["currency"] == "XDR"


def test_a_name_stands_once_in_an_entity(caller: Caller, entity: str) -> None:
    first = caller.share_class(entity)
    error = problem(caller.post(f"/entities/{entity}/share-classes", ordinary()), 409, "conflict")
    assert error["existing_id"] == first
    second = caller.share_class(entity, "Preferred")
    answer = caller.patch(f"/entities/{entity}/share-classes/{second}", {"name": "Ordinary"})
    problem(answer, 409, "conflict")
    assert caller.share_class(caller.entity())


def test_a_class_changes_and_keeps_what_it_must_have(caller: Caller, entity: str) -> None:
    share_class = caller.share_class(entity)
    path = f"/entities/{entity}/share-classes/{share_class}"
    changed = caller.patch(path, {"par_value": 0.5, "name": "Common"}).json()["data"]
    assert (changed["par_value"], changed["name"], changed["currency"]) == (0.5, "Common", "USD")
    answer = caller.patch(path, {"currency": None})
    problem(answer, 422, "validation_failed")
    assert pointers(answer) == ["/currency"]


def test_a_class_is_removed_while_nobody_holds_shares_of_it(caller: Caller, entity: str) -> None:
    share_class, party = caller.share_class(entity), caller.person(entity, "shareholder")
    holding = caller.holding(entity, party, share_class)
    problem(caller.delete(f"/entities/{entity}/share-classes/{share_class}"), 409, "conflict")
    assert caller.delete(f"/entities/{entity}/shareholdings/{holding}").status_code == 204
    assert caller.delete(f"/entities/{entity}/share-classes/{share_class}").status_code == 204


def test_a_shareholding_is_made_told_changed_and_listed(caller: Caller, entity: str) -> None:
    share_class, party = caller.share_class(entity), caller.person(entity, "shareholder")
    holding = caller.holding(entity, party, share_class)
    data = {"entity_id": entity, "shareholding_id": holding, "party_id": party, "share_class_id": share_class}
    assert Event.objects.get(type="shareholding.created").data == {**data, "shares_held": 100}
    path = f"/entities/{entity}/shareholdings/{holding}"
    assert caller.patch(path, {"shares_held": 7}).json()["data"]["shares_held"] == 7
    listed = caller.get(f"/entities/{entity}/shareholdings").json()
    assert [one["id"] for one in listed["data"]] == [holding]
    assert caller.get(path).json()["data"] == listed["data"][0]


def test_a_party_holds_a_class_once(caller: Caller, entity: str) -> None:
    share_class, party = caller.share_class(entity), caller.person(entity, "shareholder")
    holding = caller.holding(entity, party, share_class)
    body = {"party_id": party, "share_class_id": share_class, "shares_held": 1}
    assert problem(caller.post(f"/entities/{entity}/shareholdings", body), 409, "conflict")["existing_id"] == holding


@pytest.mark.parametrize("shares", [0, -1, 1.5, "10", True, None])
def test_shares_are_counted_in_whole_numbers(caller: Caller, entity: str, shares: Any) -> None:
    body = {
        "party_id": caller.person(entity, "shareholder"),
        "share_class_id": caller.share_class(entity),
        "shares_held": shares,
    }
    answer = caller.post(f"/entities/{entity}/shareholdings", body)
    problem(answer, 422, "validation_failed")
    assert pointers(answer) == ["/shares_held"]


@pytest.mark.parametrize(
    ("shares", "is_taken"),
    [(1, True), (101, True), (1_000_000_000_000_000, True), (1_000_000_000_000_001, False)],
)
def test_a_holding_has_at_most_a_million_billion_shares(
    caller: Caller, entity: str, shares: int, is_taken: bool
) -> None:
    party, share_class = caller.person(entity, "shareholder"), caller.share_class(entity)
    holding = caller.holding(entity, party, share_class, 7)
    path = f"/entities/{entity}/shareholdings"
    changed = caller.patch(f"{path}/{holding}", {"shares_held": shares})
    caller.delete(f"{path}/{holding}")
    added = caller.post(path, {"party_id": party, "share_class_id": share_class, "shares_held": shares})
    if is_taken:
        assert changed.json()["data"]["shares_held"] == added.json()["data"]["shares_held"] == shares
    else:
        for answer in (changed, added):
            problem(answer, 422, "validation_failed")
            assert pointers(answer) == ["/shares_held"]


def test_only_a_shareholder_gets_shares(caller: Caller, entity: str) -> None:
    body = {
        "party_id": caller.person(entity, "director"),
        "share_class_id": caller.share_class(entity),
        "shares_held": 1,
    }
    problem(caller.post(f"/entities/{entity}/shareholdings", body), 409, "conflict")


@pytest.mark.parametrize("member", ["party_id", "share_class_id"])
def test_what_a_shareholding_names_is_of_the_same_entity(caller: Caller, entity: str, member: str) -> None:
    elsewhere = caller.entity()
    there = {"party_id": caller.person(elsewhere, "shareholder"), "share_class_id": caller.share_class(elsewhere)}
    here = {"party_id": caller.person(entity, "shareholder"), "share_class_id": caller.share_class(entity)}
    body = {**here, member: there[member], "shares_held": 1}
    answer = caller.post(f"/entities/{entity}/shareholdings", body)
    problem(answer, 404, "not_found")
    assert pointers(answer) == [f"/{member}"]


def test_a_closed_entity_keeps_its_shares_as_they_are(caller: Caller, entity: str) -> None:
    share_class, party = caller.share_class(entity), caller.person(entity, "shareholder")
    holding = caller.holding(entity, party, share_class)
    Entity.objects.filter(id=entity).update(status=State.SUBMITTED_FOR_REVIEW)
    body = {"party_id": party, "share_class_id": share_class, "shares_held": 1}
    refused = (
        caller.post(f"/entities/{entity}/share-classes", ordinary("Other")),
        caller.patch(f"/entities/{entity}/share-classes/{share_class}", {"name": "Other"}),
        caller.delete(f"/entities/{entity}/share-classes/{share_class}"),
        caller.post(f"/entities/{entity}/shareholdings", body),
        caller.patch(f"/entities/{entity}/shareholdings/{holding}", {"shares_held": 2}),
        caller.delete(f"/entities/{entity}/shareholdings/{holding}"),
    )
    for answer in refused:
        problem(answer, 409, "invalid_state")
