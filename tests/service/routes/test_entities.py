import pytest

from formation_portal.contract.lifecycle import TRANSITIONS, State
from formation_portal.service.models import Entity, Event
from tests.service import example_catalog
from tests.service.caller import Caller, pointers, problem

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


def test_canonical_answers_are_properties_and_other_prefixes_are_objects(caller: Caller) -> None:
    entity = caller.entity(name="  Larkfield  Limited ", company={"purpose": "Holds shares."})
    data = caller.get(f"/entities/{entity}").json()["data"]
    assert data["name"] == "Larkfield Limited"
    assert data["company"] == {"purpose": "Holds shares."}


def test_what_the_agent_provides_is_filled_in(caller: Caller, entity: str) -> None:
    assert caller.get(f"/entities/{entity}").json()["data"]["office"] == example_catalog.AGENT


def test_what_the_agent_provides_is_taken_from_nobody_else(caller: Caller) -> None:
    body = {"jurisdiction_product_id": example_catalog.SHARES_PRODUCT, "office": example_catalog.AGENT}
    answer = caller.post("/entities", body)
    problem(answer, 422, "validation_failed")
    assert pointers(answer) == ["/office"]


def test_an_unknown_product_is_not_found(caller: Caller) -> None:
    problem(caller.post("/entities", {"jurisdiction_product_id": example_catalog.SHARES_SCHEMA}), 404, "not_found")


def test_a_body_without_product_is_refused(caller: Caller) -> None:
    answer = caller.post("/entities", {"name": "Larkfield"})
    problem(answer, 422, "validation_failed")
    assert answer.json()["errors"][0]["code"] == "required"
    assert pointers(answer) == ["/jurisdiction_product_id"]


@pytest.mark.parametrize("body", [{"colour": "red"}, {"status": "incorporated"}, {"company": {"colour": "red"}}])
def test_an_unknown_property_is_refused_where_it_stands(caller: Caller, body: dict[str, object]) -> None:
    answer = caller.post("/entities", {"jurisdiction_product_id": example_catalog.SHARES_PRODUCT, **body})
    problem(answer, 422, "unknown_field")
    assert pointers(answer) == ["/company/colour" if "company" in body else f"/{next(iter(body))}"]


def test_a_client_reference_names_one_entity_of_a_key(caller: Caller, other_account: Caller) -> None:
    body = {"jurisdiction_product_id": example_catalog.SHARES_PRODUCT, "client_reference": "FP-1"}
    first = caller.post("/entities", body).json()["data"]["id"]
    error = problem(caller.post("/entities", body), 409, "conflict")
    assert error["existing_id"] == first
    assert other_account.post("/entities", body).status_code == 201
    found = caller.get("/entities?client_reference=FP-1").json()["data"]
    assert [one["id"] for one in found] == [first]


def test_entities_without_client_reference_are_all_different(caller: Caller) -> None:
    assert caller.entity() != caller.entity()


def test_a_list_holds_ones_own_newest_first(caller: Caller, other_account: Caller) -> None:
    first, second = caller.entity(), caller.entity()
    other_account.entity()
    listed = caller.get("/entities").json()
    assert [one["id"] for one in listed["data"]] == [second, first]
    assert listed["meta"] == {"page": 1, "per_page": 20, "total": 2, "total_pages": 1}


def test_a_list_is_filtered_by_state(caller: Caller, entity: str) -> None:
    assert caller.get("/entities?status=draft").json()["meta"]["total"] == 1
    assert caller.get("/entities?status=in_review").json()["meta"]["total"] == 0
    problem(caller.get("/entities?status=lost"), 422, "validation_failed")


def test_pages_follow_each_other(caller: Caller) -> None:
    made = [caller.entity() for _ in range(3)]
    page = caller.get("/entities?page=2&per_page=2").json()
    assert [one["id"] for one in page["data"]] == [made[0]]
    assert page["meta"] == {"page": 2, "per_page": 2, "total": 3, "total_pages": 2}
    assert caller.get("/entities?page=9").json()["data"] == []


@pytest.mark.parametrize("query", ["page=0", "page=-1", "page=x", "page=1_0", "per_page=0", "per_page=101"])
def test_a_page_that_cannot_be_is_refused(caller: Caller, query: str) -> None:
    answer = caller.get(f"/entities?{query}")
    problem(answer, 422, "validation_failed")
    assert pointers(answer) == [f"/{query.partition('=')[0]}"]


def test_a_list_asks_the_database_as_often_for_six_as_for_one(caller: Caller) -> None:
    caller.entity(name="Larkfield")
    for_one = caller.queries_of("/entities")
    for _ in range(5):
        caller.entity(name="Larkfield")
    assert caller.queries_of("/entities") == for_one


def test_properties_change_and_null_clears(caller: Caller, entity: str) -> None:
    changed = caller.patch(f"/entities/{entity}", {"name": "Other", "company": {"purpose": "Trades."}}).json()["data"]
    assert (changed["name"], changed["company"]) == ("Other", {"purpose": "Trades."})
    cleared = caller.patch(f"/entities/{entity}", {"company": {"purpose": None}}).json()["data"]
    assert "company" not in cleared
    assert cleared["name"] == "Other"


def test_nothing_changes_where_one_answer_is_refused(caller: Caller, entity: str) -> None:
    answer = caller.patch(f"/entities/{entity}", {"name": "Other", "company": {"purpose": "\u0007"}})
    problem(answer, 422, "validation_failed")
    assert pointers(answer) == ["/company/purpose"]
    assert caller.get(f"/entities/{entity}").json()["data"]["name"] == "Larkfield Limited"


def test_a_draft_is_deleted_with_all_that_hangs_on_it(caller: Caller, entity: str) -> None:
    holder = caller.person(entity, "shareholder")
    caller.holding(entity, holder, caller.share_class(entity))
    assert caller.delete(f"/entities/{entity}").status_code == 204
    problem(caller.get(f"/entities/{entity}"), 404, "not_found")


def test_only_a_draft_is_deleted(caller: Caller, entity: str) -> None:
    Entity.objects.filter(id=entity).update(status=State.RETURNED_FOR_CHANGES)
    problem(caller.delete(f"/entities/{entity}"), 409, "invalid_state")


@pytest.mark.parametrize("state", [state for state in State if not state.is_open])
def test_a_closed_entity_is_not_written_to(caller: Caller, entity: str, state: State) -> None:
    Entity.objects.filter(id=entity).update(status=state)
    problem(caller.patch(f"/entities/{entity}", {"name": "Other"}), 409, "invalid_state")


@pytest.mark.parametrize("source", State)
@pytest.mark.parametrize("target", [state for state in State if state not in (State.DRAFT, State.SUBMITTED_FOR_REVIEW)])
def test_a_status_moves_only_by_a_transition(caller: Caller, entity: str, source: State, target: State) -> None:
    Entity.objects.filter(id=entity).update(status=source)
    answer = caller.post(f"/entities/{entity}/status", {"status": target, "note": "Because."})
    if any(transition.target is target and source in transition.sources for transition in TRANSITIONS.values()):
        assert answer.status_code == 200
        assert (answer.json()["data"]["status"], answer.json()["data"]["status_note"]) == (target, "Because.")
        data = Event.objects.get(type="entity.status_changed").data
        assert data == {"entity_id": entity, "status": target, "previous_status": source, "note": "Because."}
    else:
        problem(answer, 409, "invalid_state")
        assert Entity.objects.get(id=entity).status == source


@pytest.mark.parametrize("status", ["draft", "submitted_for_review", "lost"])
def test_a_status_to_which_nobodys_transition_leads_is_refused(caller: Caller, entity: str, status: str) -> None:
    answer = caller.post(f"/entities/{entity}/status", {"status": status})
    problem(answer, 422, "validation_failed")
    assert pointers(answer) == ["/status"]


def test_an_agents_transition_needs_the_scope_of_agents(caller: Caller, entity: str) -> None:
    Entity.objects.filter(id=entity).update(status=State.SUBMITTED_FOR_REVIEW)
    customer = Caller.without(["entities:review"], account="ours")
    problem(customer.post(f"/entities/{entity}/status", {"status": "in_review"}), 403, "insufficient_scope")
    assert customer.post(f"/entities/{entity}/status", {"status": "withdrawn"}).status_code == 200


def test_withdrawing_needs_the_scope_of_customers(caller: Caller, entity: str) -> None:
    agent = Caller.with_scopes("entities:review", account="ours")
    problem(agent.post(f"/entities/{entity}/status", {"status": "withdrawn"}), 403, "insufficient_scope")


def test_creating_is_told(caller: Caller, entity: str) -> None:
    event = Event.objects.get(type="entity.created")
    assert event.id.startswith("evt_")
    assert event.data["entity_id"] == entity
