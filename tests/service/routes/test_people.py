from io import StringIO
from typing import Any

import pytest
from django.core.management.base import OutputWrapper

from formation_portal.contract.lifecycle import State
from formation_portal.core import encryption
from formation_portal.core.encryption import new_key, read_ring_again
from formation_portal.core.key_rotation import reencrypt_all
from formation_portal.service.models import Entity, Event
from tests.service import example_catalog
from tests.service.caller import Caller, problem

pytestmark = pytest.mark.django_db(databases=["service"])


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
    company = caller.post(f"/entities/{entity}/parties", body).json()["data"]["party_id"]
    problem(caller.post(path, {"source_party_id": company, "roles": ["ubo"]}), 422, "party_type_not_allowed")
    Entity.objects.filter(id=entity).update(status=State.INCORPORATED)
    problem(caller.post(path, {"source_party_id": company, "roles": ["director"]}), 409, "invalid_state")
