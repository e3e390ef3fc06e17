from io import StringIO
from typing import Any

import pytest
from django.core.management.base import OutputWrapper

from formation_portal.contract.lifecycle import State
from formation_portal.core import encryption
from formation_portal.core.encryption import new_key, read_ring_again
from formation_portal.core.key_rotation import reencrypt_all
from formation_portal.service.models import Entity, Event, EventDelivery, Party
from tests.service import example_catalog
from tests.service.caller import Caller, pointers, problem

pytestmark = pytest.mark.django_db(databases=["service"])

PERSON = {"party_type": "person", "first_name": "Ada", "last_name": "Byron", "email": "ada@example.com"}


def test_shares_make_a_potential_shareholder_an_active_one_and_each_is_told_once(caller: Caller, entity: str) -> None:
    answer = caller.post(f"/entities/{entity}/parties", {**PERSON, "roles": ["shareholder", "director"]})
    assert answer.status_code == 201
    party = answer.json()["data"]
    path = f"/entities/{entity}/parties/{party['party_id']}"
    holders = f"/entities/{entity}/parties?role=shareholder"

    def roles() -> tuple[list[str], list[str]]:
        data = caller.get(path).json()["data"]
        return data["roles"], data["pending_roles"]

    assert party["party_id"].startswith("pty_")
    assert (party["roles"], party["pending_roles"]) == (["director"], ["shareholder"])
    assert party["email"] == "ada@example.com"
    assert caller.get(holders).json()["data"] == []
    first = caller.holding(entity, party["party_id"], caller.share_class(entity))
    second = caller.holding(entity, party["party_id"], caller.share_class(entity, name="B"))
    assert roles() == (["shareholder", "director"], [])
    assert [holder["party_id"] for holder in caller.get(holders).json()["data"]] == [party["party_id"]]
    problem(caller.delete(path), 409, "conflict")
    problem(caller.patch(path, {"roles": ["director"]}), 409, "conflict")
    caller.delete(f"/entities/{entity}/shareholdings/{first}")
    assert len(events_of(party["party_id"])) == 2
    caller.delete(f"/entities/{entity}/shareholdings/{second}")
    assert roles() == (["director"], ["shareholder"])
    assert events_of(party["party_id"]) == [
        ("party.added", ["director"]),
        ("party.updated", ["shareholder", "director"]),
        ("party.updated", ["director"]),
    ]


def test_parties_are_found_by_role_and_kind(caller: Caller, entity: str) -> None:
    director = caller.person(entity, "director")
    caller.person(entity, "ubo")
    found = caller.get(f"/entities/{entity}/parties?role=director").json()
    assert [party["party_id"] for party in found["data"]] == [director]
    assert caller.get(f"/entities/{entity}/parties?role=direct").json()["meta"]["total"] == 0
    assert caller.get(f"/entities/{entity}/parties?party_type=corporate").json()["meta"]["total"] == 0
    problem(caller.get(f"/entities/{entity}/parties?party_type=ghost"), 422, "validation_failed")


def test_roles_of_the_schema_and_of_the_table_are_taken(caller: Caller, entity: str) -> None:
    foundation = caller.entity(example_catalog.PLAIN_PRODUCT)
    body = {"party_type": "foundation", "name": "Elder foundation", "roles": ["manager"]}
    assert caller.post(f"/entities/{foundation}/parties", body).status_code == 201
    assert caller.person(entity, "officer", "member"), "without a section"


@pytest.mark.parametrize(
    ("change", "code", "where"),
    [
        ({"first_name": None}, "required", "/first_name"),
        ({"roles": None}, "required", "/roles"),
        ({"roles": ["director", "jester"]}, "validation_failed", "/roles/1"),
        ({"roles": ["director", "director"]}, "validation_failed", "/roles"),
        ({"party_type": "ghost"}, "validation_failed", "/party_type"),
        ({"party_type": "corporate", "name": None}, "validation_failed", "/name"),
        ({"party_type": "corporate", "name": "Holdco", "country": "XX"}, "validation_failed", "/country"),
        ({"party_type": "corporate", "name": "Holdco", "roles": ["ubo"]}, "party_type_not_allowed", "/roles/0"),
        ({"party_type": "corporate", "name": "Holdco", "roles": ["officer"]}, "party_type_not_allowed", "/roles/0"),
        ({"party_type": "foundation", "name": "Elder"}, "party_type_not_allowed", "/roles/0"),
        ({"shoe_size": 9}, "unknown_field", "/shoe_size"),
        ({"email": "ada"}, "not_an_email_address", "/email"),
        ({"date_of_birth": "2999-01-01"}, "not_past", "/date_of_birth"),
    ],
)
def test_what_no_party_can_be_is_refused_at_its_member_and_told_to_nobody(
    caller: Caller, entity: str, change: dict[str, Any], code: str, where: str
) -> None:
    person = PERSON if change.get("party_type", "person") == "person" else {}
    body = {**person, "roles": ["director"], **change}
    answer = caller.post(
        f"/entities/{entity}/parties", {name: value for name, value in body.items() if value is not None}
    )
    assert answer.status_code == 422
    assert pointers(answer) == [where]
    assert code in (answer.json()["code"], answer.json()["errors"][0]["code"])
    assert not Event.objects.filter(type="party.added").exists()


def test_a_party_is_changed_and_removed_and_each_is_told(caller: Caller, entity: str) -> None:
    party = caller.person(entity, "director", email="ada@example.com")
    path = f"/entities/{entity}/parties/{party}"
    body = {"roles": ["ubo"], "last_name": "Lovelace", "email": None}
    changed = caller.patch(path, body).json()["data"]
    assert (changed["roles"], changed["last_name"]) == (["ubo"], "Lovelace")
    assert "email" not in changed
    problem(caller.patch(path, {"party_type": "corporate"}), 422, "unknown_field")
    problem(caller.get(f"/entities/{caller.entity()}/parties/{party}"), 404, "not_found")
    assert caller.delete(path).status_code == 204
    problem(caller.get(path), 404, "not_found")
    event = Event.objects.get(type="party.added")
    assert event.data == {"entity_id": entity, "party_id": party, "party_type": "person", "roles": ["director"]}
    assert events_of(party) == [
        ("party.added", ["director"]),
        ("party.updated", ["ubo"]),
        ("party.removed", ["ubo"]),
    ]


def events_of(party: str) -> list[tuple[str, list[str]]]:
    """What was told of a party: the kind of event, and the roles in it."""
    events = Event.objects.filter(type__startswith="party.").order_by("number")
    return [(event.type, event.data["roles"]) for event in events if event.data["party_id"] == party]


def test_deleting_a_draft_is_told_of_each_of_its_parties(
    caller: Caller, entity: str, django_assert_max_num_queries: Any
) -> None:
    caller.webhook("https://hooks.example.com/in", "party.removed")
    parties = [caller.person(entity, role) for role in ("director", "ubo", "shareholder")]
    with django_assert_max_num_queries(30, using="service"):
        assert caller.delete(f"/entities/{entity}").status_code == 204
    assert [events_of(party)[1:] for party in parties] == [
        [("party.removed", ["director"])],
        [("party.removed", ["ubo"])],
        [("party.removed", [])],
    ]
    assert EventDelivery.objects.filter(event__type="party.removed", about=entity).count() == 3


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


def found(caller: Caller, query: str = "") -> list[str]:
    return [party["party_id"] for party in caller.get(f"/parties{query}").json()["data"]]


def test_parties_are_found_by_words_of_their_names_over_all_entities(caller: Caller, other_account: Caller) -> None:
    ada = caller.person(caller.entity(), "director", first_name="Åda", email="countess@example.com")
    bob = caller.person(caller.entity(), "ubo", first_name="Bob")
    other_account.person(other_account.entity(), "ubo", first_name="Bob")
    assert found(caller) == [bob, ada]
    assert found(caller, "?search=byron BOB") == [bob]
    assert found(caller, "?search=åd") == found(caller, "?search=countess@") == [ada]
    assert found(caller, "?search=%25") == []


@pytest.mark.django_db(databases=["default", "service"])
def test_parties_are_found_under_a_new_key_and_while_it_is_new(caller: Caller, settings: Any, tmp_path: Any) -> None:
    settings.MEDIA_ROOT, settings.SERVICE_DOCUMENTS = tmp_path / "documents", tmp_path / "service-documents"
    bob = caller.person(caller.entity(), "ubo", first_name="Bob")
    settings.FIELD_KEYS = [new_key(), *settings.FIELD_KEYS]
    try:
        read_ring_again()
        assert found(caller, "?search=bob") == [bob]
        assert reencrypt_all(OutputWrapper(StringIO())) == 0
        settings.FIELD_KEYS = settings.FIELD_KEYS[:1]
        read_ring_again()
        assert found(caller, "?search=bob") == [bob]
        assert caller.get("/parties").json()["data"][0]["first_name"] == "Bob"
    finally:
        encryption._ring = None


def test_a_party_is_used_again_elsewhere_with_the_answers_that_the_form_asks_for(caller: Caller, entity: str) -> None:
    source = caller.person(entity, "director", date_of_birth="1985-03-27")
    answer = caller.answers(entity, "party", source, class_right=caller.share_class(entity))
    assert answer.status_code == 200

    def reuse(elsewhere: str, role: str) -> dict[str, Any]:
        answer = caller.post(f"/entities/{elsewhere}/parties/reuse", {"source_party_id": source, "roles": [role]})
        assert answer.status_code == 201
        return dict(answer.json()["data"])

    foundation, other = caller.entity(example_catalog.PLAIN_PRODUCT), caller.entity()
    manager, director = reuse(foundation, "manager"), reuse(other, "director")
    assert manager["party_id"] != source
    assert (manager["first_name"], manager["roles"], manager["entity_id"]) == ("Ada", ["manager"], foundation)
    assert "date_of_birth" not in manager
    assert director["date_of_birth"] == "1985-03-27"
    held = caller.get(f"/entities/{other}/csp-data?party_id={director['party_id']}").json()["data"]["csp_data"]
    assert "bvi.class_right" not in held, "a class of shares stays behind"
    assert Event.objects.filter(type="party.added").count() == 3


def test_nobody_of_another_account_in_another_role_or_for_a_closed_entity_is_used_again(
    caller: Caller, other_account: Caller, entity: str
) -> None:
    path = f"/entities/{entity}/parties/reuse"
    theirs = other_account.person(other_account.entity(), "director")
    answer = caller.post(path, {"source_party_id": theirs, "roles": ["director"]})
    problem(answer, 404, "not_found", "/source_party_id")
    body = {"party_type": "corporate", "name": "Holdco", "roles": ["director"]}
    company = caller.made(f"/entities/{entity}/parties", body, "party_id")
    problem(caller.post(path, {"source_party_id": company, "roles": ["ubo"]}), 422, "party_type_not_allowed")
    Entity.objects.filter(id=entity).update(status=State.INCORPORATED)
    problem(caller.post(path, {"source_party_id": company, "roles": ["director"]}), 409, "invalid_state")
