from typing import Any

import pytest

from formation_portal.contract.lifecycle import State
from formation_portal.service.catalog.loader import store_catalog
from formation_portal.service.models import Entity, Event, EventDelivery, Party
from tests.service import example_catalog
from tests.service.caller import Caller, pointers, problem

pytestmark = pytest.mark.django_db(databases=["service"])

PERSON = {"party_type": "person", "first_name": "Ada", "last_name": "Byron", "email": "ada@example.com"}


def test_a_shareholder_without_shares_is_a_potential_one(caller: Caller, entity: str) -> None:
    answer = caller.post(f"/entities/{entity}/parties", {**PERSON, "roles": ["shareholder", "director"]})
    assert answer.status_code == 201
    party = answer.json()["data"]
    assert party["party_id"].startswith("pty_")
    assert (party["roles"], party["pending_roles"]) == (["director"], ["shareholder"])
    assert party["email"] == "ada@example.com"


def test_shares_make_a_potential_shareholder_an_active_one(caller: Caller, entity: str) -> None:
    party = caller.person(entity, "shareholder")
    holding = caller.holding(entity, party, caller.share_class(entity))
    listed = caller.get(f"/entities/{entity}/parties").json()["data"][0]
    assert (listed["roles"], listed["pending_roles"]) == (["shareholder"], [])
    caller.delete(f"/entities/{entity}/shareholdings/{holding}")
    again = caller.get(f"/entities/{entity}/parties/{party}").json()["data"]
    assert (again["roles"], again["pending_roles"]) == ([], ["shareholder"])


def test_a_list_of_active_shareholders_leaves_out_potential_ones(caller: Caller, entity: str) -> None:
    caller.person(entity, "shareholder")
    holder = caller.person(entity, "shareholder")
    caller.holding(entity, holder, caller.share_class(entity))
    found = caller.get(f"/entities/{entity}/parties?role=shareholder").json()["data"]
    assert [party["party_id"] for party in found] == [holder]


def test_parties_are_found_by_role_and_kind(caller: Caller, entity: str) -> None:
    director = caller.person(entity, "director")
    caller.person(entity, "ubo")
    found = caller.get(f"/entities/{entity}/parties?role=director").json()
    assert [party["party_id"] for party in found["data"]] == [director]
    assert caller.get(f"/entities/{entity}/parties?role=direct").json()["meta"]["total"] == 0
    assert caller.get(f"/entities/{entity}/parties?party_type=corporate").json()["meta"]["total"] == 0
    problem(caller.get(f"/entities/{entity}/parties?party_type=ghost"), 422, "validation_failed")


def test_a_list_asks_the_database_as_often_for_six_as_for_one(caller: Caller, entity: str) -> None:
    caller.person(entity, "director")
    for_one = caller.queries_of(f"/entities/{entity}/parties")
    for _ in range(5):
        caller.person(entity, "director")
    assert caller.queries_of(f"/entities/{entity}/parties") == for_one


@pytest.mark.parametrize("missing", ["first_name", "last_name", "roles"])
def test_a_person_needs_names_and_roles(caller: Caller, entity: str, missing: str) -> None:
    body = {**PERSON, "roles": ["director"]}
    del body[missing]
    answer = caller.post(f"/entities/{entity}/parties", body)
    problem(answer, 422, "validation_failed")
    assert pointers(answer) == [f"/{missing}"]
    assert answer.json()["errors"][0]["code"] == "required"


def test_a_company_needs_a_name(caller: Caller, entity: str) -> None:
    answer = caller.post(f"/entities/{entity}/parties", {"party_type": "corporate", "roles": ["director"]})
    problem(answer, 422, "validation_failed")
    assert pointers(answer) == ["/name"]


def test_a_company_may_say_what_companies_are_asked(caller: Caller, entity: str) -> None:
    body = {
        "party_type": "corporate",
        "name": "Holdco",
        "registration_number": "1",
        "country": "GB",
        "roles": ["director"],
    }
    assert caller.post(f"/entities/{entity}/parties", body).json()["data"]["country"] == "GB"
    answer = caller.post(f"/entities/{entity}/parties", {**body, "country": "XX"})
    problem(answer, 422, "validation_failed")
    assert pointers(answer) == ["/country"]


@pytest.mark.parametrize(
    ("kind", "role"),
    [("corporate", "ubo"), ("foundation", "director"), ("foundation", "member"), ("corporate", "officer")],
)
def test_a_role_section_says_which_kinds_it_takes(caller: Caller, entity: str, kind: str, role: str) -> None:
    answer = caller.post(f"/entities/{entity}/parties", {"party_type": kind, "name": "Holdco", "roles": [role]})
    problem(answer, 422, "party_type_not_allowed")
    assert pointers(answer) == ["/roles/0"]


def test_a_role_of_the_table_is_taken_without_a_section(caller: Caller, entity: str) -> None:
    assert caller.person(entity, "officer", "member")


def test_a_company_has_a_name_though_the_form_asks_companies_for_something_else(caller: Caller) -> None:
    changed = example_catalog.items()
    for section in changed[0]["schema"]["sections"][1:4]:
        section["corporate_fields"] = [example_catalog.csp("bvi.trade", "Trade")]
    store_catalog(changed)
    body = {"party_type": "corporate", "name": "Nominees", "roles": ["director"]}
    answer = caller.post(f"/entities/{caller.entity()}/parties", body)
    assert answer.json()["data"]["name"] == "Nominees"


def test_a_role_that_only_the_schema_has_is_taken(caller: Caller) -> None:
    foundation = caller.entity(example_catalog.PLAIN_PRODUCT)
    body = {"party_type": "foundation", "name": "Elder foundation", "roles": ["manager"]}
    assert caller.post(f"/entities/{foundation}/parties", body).status_code == 201


def test_a_role_that_nobody_has_is_refused(caller: Caller, entity: str) -> None:
    answer = caller.post(f"/entities/{entity}/parties", {**PERSON, "roles": ["director", "jester"]})
    problem(answer, 422, "validation_failed")
    assert pointers(answer) == ["/roles/1"]


def test_a_role_stands_once(caller: Caller, entity: str) -> None:
    answer = caller.post(f"/entities/{entity}/parties", {**PERSON, "roles": ["director", "director"]})
    problem(answer, 422, "validation_failed")
    assert pointers(answer) == ["/roles"]


def test_a_kind_that_nobody_knows_is_refused(caller: Caller, entity: str) -> None:
    for body in ({"party_type": "ghost", "roles": ["director"]}, {"roles": ["director"]}):
        answer = caller.post(f"/entities/{entity}/parties", body)
        problem(answer, 422, "validation_failed")
        assert pointers(answer) == ["/party_type"]


def test_an_unknown_property_is_refused(caller: Caller, entity: str) -> None:
    answer = caller.post(f"/entities/{entity}/parties", {**PERSON, "roles": ["director"], "shoe_size": 9})
    problem(answer, 422, "unknown_field")
    assert pointers(answer) == ["/shoe_size"]


def test_a_date_of_birth_lies_in_the_past(caller: Caller, entity: str) -> None:
    body = {**PERSON, "roles": ["director"], "date_of_birth": "2999-01-01"}
    answer = caller.post(f"/entities/{entity}/parties", body)
    problem(answer, 422, "validation_failed")
    assert answer.json()["errors"][0] == {
        "pointer": "/date_of_birth",
        "field": "person.date_of_birth",
        "code": "not_past",
        "detail": "“Date of birth” must be in the past",
    }


def test_an_address_that_is_none_is_refused(caller: Caller, entity: str) -> None:
    answer = caller.post(f"/entities/{entity}/parties", {**PERSON, "roles": ["director"], "email": "ada"})
    problem(answer, 422, "validation_failed")
    [error] = answer.json()["errors"]
    assert (error["pointer"], error["code"]) == ("/email", "not_an_email_address")


def test_a_party_changes_its_roles_and_properties(caller: Caller, entity: str) -> None:
    party = caller.person(entity, "director", email="ada@example.com")
    body = {"roles": ["ubo"], "last_name": "Lovelace", "email": None}
    changed = caller.patch(f"/entities/{entity}/parties/{party}", body).json()["data"]
    assert (changed["roles"], changed["last_name"]) == (["ubo"], "Lovelace")
    assert "email" not in changed


def test_the_kind_of_a_party_stays(caller: Caller, entity: str) -> None:
    party = caller.person(entity, "director")
    answer = caller.patch(f"/entities/{entity}/parties/{party}", {"party_type": "corporate"})
    problem(answer, 422, "unknown_field")


def test_who_holds_shares_is_not_removed_and_stays_a_shareholder(caller: Caller, entity: str) -> None:
    party = caller.person(entity, "shareholder", "director")
    caller.holding(entity, party, caller.share_class(entity))
    problem(caller.delete(f"/entities/{entity}/parties/{party}"), 409, "conflict")
    problem(caller.patch(f"/entities/{entity}/parties/{party}", {"roles": ["director"]}), 409, "conflict")


def test_a_party_is_removed(caller: Caller, entity: str) -> None:
    party = caller.person(entity, "director")
    assert caller.delete(f"/entities/{entity}/parties/{party}").status_code == 204
    problem(caller.get(f"/entities/{entity}/parties/{party}"), 404, "not_found")


def test_a_party_of_another_entity_is_not_found(caller: Caller, entity: str) -> None:
    elsewhere = caller.entity()
    party = caller.person(elsewhere, "director")
    problem(caller.get(f"/entities/{entity}/parties/{party}"), 404, "not_found")


def test_what_happens_to_parties_is_told(caller: Caller, entity: str) -> None:
    party = caller.person(entity, "director")
    caller.patch(f"/entities/{entity}/parties/{party}", {"last_name": "Lovelace"})
    caller.delete(f"/entities/{entity}/parties/{party}")
    data = {"entity_id": entity, "party_id": party, "party_type": "person", "roles": ["director"]}
    events = Event.objects.filter(type__startswith="party.").order_by("number")
    assert [(event.type, event.data) for event in events] == [
        ("party.added", data),
        ("party.updated", data),
        ("party.removed", data),
    ]


def events_of(party: str) -> list[tuple[str, list[str]]]:
    """What was told of a party: the kind of event, and the roles in it."""
    events = Event.objects.filter(type__startswith="party.").order_by("number")
    return [(event.type, event.data["roles"]) for event in events if event.data["party_id"] == party]


def shown(caller: Caller, entity: str, party: str) -> list[str]:
    return list(caller.get(f"/entities/{entity}/parties/{party}").json()["data"]["roles"])


def test_an_event_names_only_roles_that_the_record_shows(caller: Caller, entity: str) -> None:
    party = caller.person(entity, "shareholder", "director")
    assert events_of(party) == [("party.added", ["director"])]
    assert shown(caller, entity, party) == ["director"]


def test_becoming_an_active_shareholder_is_told_and_no_longer_being_one(caller: Caller, entity: str) -> None:
    party = caller.person(entity, "shareholder")
    first = caller.holding(entity, party, caller.share_class(entity))
    second = caller.holding(entity, party, caller.share_class(entity, name="B"))
    assert events_of(party) == [("party.added", []), ("party.updated", ["shareholder"])], "once, with the first shares"
    caller.delete(f"/entities/{entity}/shareholdings/{first}")
    assert len(events_of(party)) == 2
    caller.delete(f"/entities/{entity}/shareholdings/{second}")
    assert events_of(party)[2:] == [("party.updated", [])]
    assert shown(caller, entity, party) == []


def test_a_change_of_a_partys_answers_is_told_and_the_same_again_is_not(caller: Caller, entity: str) -> None:
    party = caller.person(entity, "director")
    share_class = caller.share_class(entity)
    body = {
        "csp_form_schema_id": example_catalog.SHARES_SCHEMA,
        "scope": "party",
        "party_id": party,
        "csp_data": {"bvi.class_right": share_class},
    }
    for _ in range(2):
        assert caller.post(f"/entities/{entity}/csp-data", body).status_code == 200
    caller.answers(entity, activity="Trading")
    assert events_of(party) == [("party.added", ["director"]), ("party.updated", ["director"])]


def test_deleting_a_draft_is_told_of_each_of_its_parties(
    caller: Caller, entity: str, django_assert_max_num_queries: Any
) -> None:
    caller.webhook("https://hooks.example.com/in", "party.removed")
    parties = [caller.person(entity, role) for role in ("director", "ubo", "shareholder")]
    with django_assert_max_num_queries(30, using="service"):
        assert caller.delete(f"/entities/{entity}").status_code == 204
    removed = Event.objects.filter(type="party.removed").order_by("number")
    assert [(event.data["party_id"], event.data["roles"]) for event in removed] == [
        (parties[0], ["director"]),
        (parties[1], ["ubo"]),
        (parties[2], []),
    ]
    assert EventDelivery.objects.filter(event__in=removed, about=entity).count() == 3


def test_nobody_is_told_of_what_was_refused(caller: Caller, entity: str) -> None:
    caller.post(f"/entities/{entity}/parties", {**PERSON, "roles": ["jester"]})
    assert not Event.objects.filter(type="party.added").exists()


def test_a_closed_entity_takes_no_parties(caller: Caller, entity: str) -> None:
    party = caller.person(entity, "director")
    Entity.objects.filter(id=entity).update(status=State.IN_REVIEW)
    path = f"/entities/{entity}/parties"
    problem(caller.post(path, {**PERSON, "roles": ["director"]}), 409, "invalid_state")
    problem(caller.patch(f"{path}/{party}", {"last_name": "L"}), 409, "invalid_state")
    problem(caller.delete(f"{path}/{party}"), 409, "invalid_state")


def test_an_entity_has_at_most_two_hundred_parties(caller: Caller, entity: str) -> None:
    source = caller.person(entity, "director")
    Party.objects.bulk_create(
        Party(entity_id=entity, party_type="person", roles=["director"], properties={"first_name": f"Given{number}"})
        for number in range(198)
    )
    assert caller.post(f"/entities/{entity}/parties", {**PERSON, "roles": ["director"]}).status_code == 201
    reuse = {"source_party_id": source, "roles": ["ubo"]}
    for path, body in (("parties", {**PERSON, "roles": ["director"]}), ("parties/reuse", reuse)):
        refused = problem(caller.post(f"/entities/{entity}/{path}", body), 422, "too_many_parties")
        assert refused["detail"] == "An entity can have at most 200 parties. Remove one before you add another."
    assert caller.get(f"/entities/{entity}/parties").json()["meta"]["total"] == 200
    caller.delete(f"/entities/{entity}/parties/{source}")
    assert caller.post(f"/entities/{entity}/parties", {**PERSON, "roles": ["ubo"]}).status_code == 201
