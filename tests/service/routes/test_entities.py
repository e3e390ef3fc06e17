import pytest

from formation_portal.contract.lifecycle import State
from formation_portal.service.models import Entity, Event
from tests.service import example_catalog
from tests.service.caller import Caller, problem

pytestmark = pytest.mark.django_db(databases=["service"])


def test_an_entity_needs_only_its_product(caller: Caller) -> None:
    answer = caller.post("/entities", {"jurisdiction_product_id": example_catalog.SHARES_PRODUCT})
    assert answer.status_code == 201
    entity = answer.json()["data"]
    assert entity["id"].startswith("ent_")
    assert entity["status"] == "draft"
    assert entity["schema_id"] == example_catalog.SHARES_SCHEMA
    assert entity["jurisdiction"]["slug"] == "bvi"
    assert entity["product"]["slug"] == "shares-company"
    assert entity["office"] == example_catalog.AGENT, "what the agent provides is filled in"
    event = Event.objects.get(type="entity.created")
    assert event.id.startswith("evt_")
    assert event.data["entity_id"] == entity["id"]
    assert caller.entity() != entity["id"], "without a reference each is another"


@pytest.mark.parametrize(
    ("body", "code", "where"),
    [
        ({"colour": "red"}, "unknown_field", "/colour"),
        ({"status": "incorporated"}, "unknown_field", "/status"),
        ({"company": {"colour": "red"}}, "unknown_field", "/company/colour"),
        ({"jurisdiction_product_id": None}, "validation_failed", "/jurisdiction_product_id"),
        ({"office": example_catalog.AGENT}, "validation_failed", "/office"),
    ],
)
def test_an_unknown_property_and_one_that_the_agent_provides_are_refused_where_they_stand(
    caller: Caller, body: dict[str, object], code: str, where: str
) -> None:
    answer = caller.post("/entities", {"jurisdiction_product_id": example_catalog.SHARES_PRODUCT, **body})
    problem(answer, 422, code, where)


def test_a_client_reference_names_one_entity_of_a_key(caller: Caller, other_account: Caller) -> None:
    body = {"jurisdiction_product_id": example_catalog.SHARES_PRODUCT, "client_reference": "FP-1"}
    first = caller.post("/entities", body).json()["data"]["id"]
    error = problem(caller.post("/entities", body), 409, "conflict")
    assert error["existing_id"] == first
    assert other_account.post("/entities", body).status_code == 201
    found = caller.get("/entities?client_reference=FP-1").json()["data"]
    assert [one["id"] for one in found] == [first]


def test_a_list_holds_ones_own_newest_first_page_by_page_and_by_state(caller: Caller, other_account: Caller) -> None:
    first, second, third = (caller.entity() for _ in range(3))
    other_account.entity()
    listed = caller.get("/entities").json()
    assert [entity["id"] for entity in listed["data"]] == [third, second, first]
    assert listed["meta"] == {"page": 1, "per_page": 20, "total": 3, "total_pages": 1}
    page = caller.get("/entities?page=2&per_page=2").json()
    assert [entity["id"] for entity in page["data"]] == [first]
    assert page["meta"] == {"page": 2, "per_page": 2, "total": 3, "total_pages": 2}
    assert caller.get("/entities?page=9").json()["data"] == []
    Entity.objects.filter(id=second).update(status=State.IN_REVIEW)
    assert [entity["id"] for entity in caller.get("/entities?status=in_review").json()["data"]] == [second]
    for query in ("page=0", "page=1_0", "per_page=101", "status=lost"):
        problem(caller.get(f"/entities?{query}"), 422, "validation_failed", f"/{query.partition('=')[0]}")


@pytest.mark.parametrize("path", ["/entities", "/parties", "/entities/{entity}/parties"])
def test_a_list_asks_the_database_as_often_for_six_as_for_one(caller: Caller, entity: str, path: str) -> None:
    caller.person(entity, "director")
    for_one = caller.queries_of(path.format(entity=entity))
    for _ in range(5):
        for company in (entity, caller.entity(name="Larkfield")):
            caller.person(company, "director")
    assert caller.queries_of(path.format(entity=entity)) == for_one


def test_properties_change_together_or_not_at_all_and_null_clears(caller: Caller) -> None:
    entity = caller.entity(name="  Larkfield  Limited ", company={"purpose": "Holds shares."})
    data = caller.get(f"/entities/{entity}").json()["data"]
    assert (data["name"], data["company"]) == ("Larkfield Limited", {"purpose": "Holds shares."})
    changed = caller.patch(f"/entities/{entity}", {"name": "Other", "company": {"purpose": "Trades."}}).json()["data"]
    assert (changed["name"], changed["company"]) == ("Other", {"purpose": "Trades."})
    answer = caller.patch(f"/entities/{entity}", {"name": "Third", "company": {"purpose": "\u0007"}})
    problem(answer, 422, "validation_failed", "/company/purpose")
    cleared = caller.patch(f"/entities/{entity}", {"company": {"purpose": None}}).json()["data"]
    assert "company" not in cleared
    assert cleared["name"] == "Other"


def test_a_draft_alone_is_deleted_with_all_that_hangs_on_it(caller: Caller, entity: str) -> None:
    holder = caller.person(entity, "shareholder")
    caller.holding(entity, holder, caller.share_class(entity))
    Entity.objects.filter(id=entity).update(status=State.RETURNED_FOR_CHANGES)
    problem(caller.delete(f"/entities/{entity}"), 409, "invalid_state")
    Entity.objects.filter(id=entity).update(status=State.DRAFT)
    assert caller.delete(f"/entities/{entity}").status_code == 204
    problem(caller.get(f"/entities/{entity}"), 404, "not_found")


@pytest.mark.parametrize(
    ("source", "target", "is_possible"),
    [
        (State.SUBMITTED_FOR_REVIEW, State.IN_REVIEW, True),
        (State.IN_REVIEW, State.RETURNED_FOR_CHANGES, True),
        (State.RETURNED_FOR_CHANGES, State.WITHDRAWN, True),
        (State.DRAFT, State.IN_REVIEW, False),
        (State.IN_REVIEW, State.INCORPORATED, False),
        (State.REJECTED, State.WITHDRAWN, False),
    ],
)
def test_a_status_moves_only_by_a_transition(
    caller: Caller, entity: str, source: State, target: State, is_possible: bool
) -> None:
    Entity.objects.filter(id=entity).update(status=source)
    answer = caller.post(f"/entities/{entity}/status", {"status": target, "note": "Because."})
    if is_possible:
        entity_data = answer.json()["data"]
        assert (entity_data["status"], entity_data["status_note"]) == (target, "Because.")
        data = Event.objects.get(type="entity.status_changed").data
        assert data == {"entity_id": entity, "status": target, "previous_status": source, "note": "Because."}
    else:
        problem(answer, 409, "invalid_state")
        assert Entity.objects.get(id=entity).status == source
    for status in ("draft", "submitted_for_review", "lost"):
        answer = caller.post(f"/entities/{entity}/status", {"status": status})
        problem(answer, 422, "validation_failed", "/status")
