from typing import Any

import pytest

from formation_portal.contract.lifecycle import State
from formation_portal.service.catalog.loader import store_catalog
from formation_portal.service.entity_forms import parsed_form
from formation_portal.service.models import Entity, Event
from formation_portal.service.submission_check import record_of
from tests import factories
from tests.encrypted_rows import update_each
from tests.service import example_catalog
from tests.service.caller import Caller, problem

pytestmark = pytest.mark.django_db(databases=["service"])


@pytest.fixture
def ready(caller: Caller) -> dict[str, str]:
    """An entity that lacks nothing, with the ids of its parts."""
    entity = caller.entity(name="Larkfield Limited")
    caller.answers(entity, activity="Holding company")
    party = caller.person(entity, "director", "shareholder", email="ada@example.com", date_of_birth="1985-03-27")
    holding = caller.holding(entity, party, caller.share_class(entity))
    document = upload(caller, entity, party).json()["data"]["id"]
    return {"entity": entity, "party": party, "holding": holding, "document": document}


def upload(caller: Caller, entity: str, party: str) -> Any:
    form = {"file": factories.upload(), "document_key": "Passport", "scope": "party", "party_id": party}
    return caller.upload(f"/entities/{entity}/documents", **form)


def needed(caller: Caller, entity: str) -> list[tuple[str, str]]:
    body = problem(caller.post(f"/entities/{entity}/submit"), 422, "requirements_not_met")
    return [(error["code"], error["pointer"]) for error in body["errors"]]


def test_what_lacks_nothing_is_submitted_once_and_again_after_it_was_returned(
    caller: Caller, ready: dict[str, str]
) -> None:
    path = f"/entities/{ready['entity']}"
    answer = caller.post(f"{path}/submit")
    assert answer.status_code == 200
    assert answer.json()["data"]["status"] == State.SUBMITTED_FOR_REVIEW
    assert Event.objects.get(type="entity.status_changed").data["status"] == State.SUBMITTED_FOR_REVIEW
    problem(caller.post(f"{path}/submit"), 409, "invalid_state")
    rows = Entity.objects.filter(id=ready["entity"])
    first = rows.get().first_submitted_at
    assert first is not None
    update_each(rows, status=State.RETURNED_FOR_CHANGES, status_note="Mend it.")
    assert caller.patch(path, {"name": "Other Limited"}).status_code == 200
    assert caller.post(f"{path}/submit").status_code == 200
    assert rows.get().first_submitted_at == first


def test_everything_that_is_needed_is_said(caller: Caller) -> None:
    assert needed(caller, caller.entity()) == [
        ("required", "/name"),
        ("required", "/csp_data/bvi.activity"),
        ("minimum", "/parties"),
        ("minimum", "/parties"),
        ("share_class", "/share_classes"),
    ]


def test_a_partys_needs_are_named_by_property_slot_and_section(caller: Caller, ready: dict[str, str]) -> None:
    path, party = f"/entities/{ready['entity']}", ready["party"]
    caller.delete(f"{path}/documents/{ready['document']}")
    [error] = problem(caller.post(f"{path}/submit"), 422, "requirements_not_met")["errors"]
    assert error == {
        "pointer": f"/parties/{party}/documents/Passport",
        "code": "document",
        "detail": "Ada Byron: upload “Passport”",
        "section": "directors",
        "party_id": party,
        "slot": "Passport",
    }
    upload(caller, ready["entity"], party)
    caller.delete(f"{path}/shareholdings/{ready['holding']}")
    assert needed(caller, ready["entity"]) == [("holding", f"/parties/{party}/shareholdings")]
    caller.patch(f"{path}/parties/{party}", {"email": None, "date_of_birth": None})
    assert {("required", f"/parties/{party}/email"), ("required", f"/parties/{party}/date_of_birth")} <= set(
        needed(caller, ready["entity"])
    )
    caller.answers(ready["entity"], activity="Trading")
    conditional = {("required", "/csp_data/bvi.partners"), ("minimum", "/parties")}
    assert conditional <= set(needed(caller, ready["entity"]))


def test_the_record_of_an_entity_has_its_own_shares_alone(caller: Caller, ready: dict[str, str]) -> None:
    other = caller.entity()
    caller.holding(other, caller.person(other, "shareholder"), caller.share_class(other), 7)
    entity = Entity.objects.get(id=other)
    record = record_of(entity, parsed_form(entity.form))
    assert [holding.shares for holding in record.holdings] == [7]


def test_a_reference_to_a_removed_class_is_no_answer(caller: Caller) -> None:
    items = example_catalog.items()
    items[0]["schema"]["sections"][1]["person_fields"][1]["required"] = True
    store_catalog(items)
    entity = caller.entity(name="Larkfield Limited")
    party, share_class = caller.person(entity, "director"), caller.share_class(entity, "Lost")
    assert caller.answers(entity, "party", party, class_right=share_class).status_code == 200
    missing = ("required", f"/parties/{party}/csp_data/bvi.class_right")
    assert missing not in needed(caller, entity)
    caller.delete(f"/entities/{entity}/share-classes/{share_class}")
    assert missing in needed(caller, entity)


def test_a_rule_of_the_schema_that_does_not_hold_is_refused_in_its_own_words(
    caller: Caller, ready: dict[str, str]
) -> None:
    items = example_catalog.items()
    items[0]["schema"]["validations"] = [
        {
            "rule": "entity['bvi.staff'] < 50.0",
            "message": "Holding companies have fewer than 50 staff.",
            "level": "error",
            "field": "bvi.staff",
        },
        {
            "rule": "size(parties) > 1",
            "message": "There must be two people.",
            "level": "error",
            "section": "role:director",
        },
    ]
    store_catalog(items)
    caller.answers(ready["entity"], staff=50)
    body = problem(caller.post(f"/entities/{ready['entity']}/submit"), 422, "requirements_not_met")
    assert body["detail"] == "2 things must be corrected."
    assert [(error["code"], error["pointer"], error["detail"]) for error in body["errors"]] == [
        ("contradictory", "/csp_data/bvi.staff", "Holding companies have fewer than 50 staff."),
        ("contradictory", "/parties", "There must be two people."),
    ]
