"""One method an endpoint: what each sends, what each gives back, and what a service of another make can't do."""

import io
from collections.abc import Callable
from typing import Any

import pytest

from formation_portal.gateway import FormationService
from formation_portal.gateway.client import Collection
from formation_portal.gateway.errors import (
    Busy,
    Conflict,
    GatewayError,
    Unclear,
    Unsupported,
)
from tests.other_service import OtherService
from tests.other_service.schemas import ODD_NAME, USABLE, id_of

PERSON = {"party_type": "person", "first_name": "Ada", "last_name": "Løvås", "email": "ada@example.com"}
CLASS = {"name": "A", "currency": "EUR", "par_value": 0.5, "voting_rights": True, "dividend_rights": False}


def schema_id(slug: str) -> str:
    return str(next(item["schema"]["id"] for item in USABLE if item["product"]["slug"] == slug))


@pytest.fixture
def entity_id(client: FormationService) -> str:
    body = {"jurisdiction_product_id": id_of("shares"), "name": "Larkfield", "client_reference": "FP-1"}
    return str(client.create_entity(body, key="k-entity")["id"])


def test_the_documented_calls_bring_everything_over(
    client: FormationService, other_service: OtherService, entity_id: str
) -> None:
    shares = schema_id("shares")
    holder = PERSON | {"roles": ["director", "shareholder"]}
    client.post_csp_data(entity_id, schema_id=shares, data={"lark.votes": "Some"}, key="k1")
    class_id = client.add_record(entity_id, Collection.SHARE_CLASSES, CLASS, key="k2")["id"]
    client.post_csp_data(entity_id, schema_id=shares, data={"lark.colour": "Grün"}, share_class_id=class_id, key="k3")
    party_id = client.add_record(entity_id, Collection.PARTIES, holder, key="k4")["party_id"]
    client.post_csp_data(entity_id, schema_id=shares, data={"lark.class": class_id}, party_id=party_id, key="k5")
    holding = {"party_id": party_id, "share_class_id": class_id, "shares_held": 100}
    assert [party["roles"] for party in client.records(entity_id, Collection.PARTIES)] == [["director"]]
    client.add_record(entity_id, Collection.SHAREHOLDINGS, holding, key="k6")
    assert [party["roles"] for party in client.records(entity_id, Collection.PARTIES)] == [["director", "shareholder"]]

    held = other_service.only_entity()
    assert held.id == entity_id
    assert held.csp_data == {"lark.votes": "Some"}
    assert held.share_classes == {class_id: CLASS}
    assert held.share_class_csp_data == {class_id: {"lark.colour": "Grün"}}
    assert held.parties == {party_id: holder}
    assert held.party_csp_data == {party_id: {"lark.class": class_id}}
    assert held.shareholdings == [holding]
    keys = [one.headers.get("Idempotency-Key") for one in other_service.received if one.method == "POST"]
    assert keys == ["k-entity", "k1", "k2", "k3", "k4", "k5", "k6"]


@pytest.mark.parametrize("as_file", [True, False], ids=["file", "bytes"])
def test_a_document_arrives_byte_by_byte_under_its_slots_name(
    client: FormationService, other_service: OtherService, as_file: bool
) -> None:
    body = {"jurisdiction_product_id": id_of("mark-up"), "name": "x"}
    entity_id = client.create_entity(body, key="k")["id"]
    party_id = client.add_record(entity_id, Collection.PARTIES, PERSON | {"roles": ["director"]}, key="k")["party_id"]
    content = b"%PDF-1.7\r\n" + bytes(range(256)) * 40 + b"\r\n--boundary--\r\n"
    for slot, party in ((ODD_NAME, None), ("../../etc/passwd", party_id)):
        file = io.BytesIO(content) if as_file else content
        named = {"filename": "Päss.pdf", "mime_type": "application/pdf", "document_key": slot, "party_id": party}
        client.upload_document(entity_id, file=file, key=f"k {slot[:1]}", **named)
    documents = other_service.only_entity().documents
    assert [file for _, file in documents] == [("Päss.pdf", "application/pdf", content)] * 2
    assert [form for form, _ in documents] == [
        {"document_key": ODD_NAME},
        {"document_key": "../../etc/passwd", "scope": "party", "party_id": party_id},
    ]


Supplement = Callable[[FormationService], Any]

SUPPLEMENTS_CALLS: dict[str, Supplement] = {
    "entities": lambda client: client.entities(client_reference="FP-1"),
    "entity": lambda client: client.entity("E-1"),
    "update_entity": lambda client: client.update_entity("E-1", {"name": "B"}, key="k"),
    "delete_entity": lambda client: client.delete_entity("E-1"),
    "submit": lambda client: client.submit("E-1", key="k"),
    "send_test_event": lambda client: client.send_test_event("wh_1", key="k"),
    "set_status": lambda client: client.set_status("E-1", "withdrawn", key="k"),
    "csp_data": lambda client: client.csp_data("E-1", party_id="pty_1"),
    "update_party": lambda client: client.update_record(
        "E-1", Collection.PARTIES, "pty_1", {"email": "b@c.de"}, key="k"
    ),
    "remove_share_class": lambda client: client.remove_record("E-1", Collection.SHARE_CLASSES, "sc_1"),
    "shareholdings": lambda client: client.records("E-1", Collection.SHAREHOLDINGS),
    "documents": lambda client: client.records("E-1", Collection.DOCUMENTS),
    "add_webhook": lambda client: client.add_webhook({"url": "https://hooks.example.com/"}, key="k"),
    "webhooks": lambda client: client.webhooks(),
    "remove_webhook": lambda client: client.remove_webhook("wh_1"),
}


@pytest.mark.usefixtures("entity_id")
@pytest.mark.parametrize("name", SUPPLEMENTS_CALLS)
def test_a_call_that_only_the_supplement_names_is_unsupported_at_another_make(
    client: FormationService, other_service: OtherService, name: str
) -> None:
    before = vars(other_service.only_entity()).copy()
    with pytest.raises(Unsupported):
        SUPPLEMENTS_CALLS[name](client)
    assert vars(other_service.only_entity()) == before


ANSWERS: list[tuple[dict[str, Any], type[GatewayError]]] = [
    ({"status": 409, "body": {"code": "conflict", "existing_id": "ent_7"}}, Conflict),
    ({"status": 409, "body": {"code": "request_in_progress"}}, Busy),
    ({"status": 200, "body": "<html>Sign in to the network</html>"}, Unclear),
    ({"status": 201, "body": {"data": {"id": 7}}}, Unclear),
    ({"status": 204}, Unclear),
]


@pytest.mark.parametrize(("answer", "means"), ANSWERS, ids=lambda value: str(value)[:50])
def test_creating_fails_in_the_way_that_the_table_says(
    client: FormationService, other_service: OtherService, answer: dict[str, Any], means: type[GatewayError]
) -> None:
    other_service.answer("POST .*/entities", **answer)
    with pytest.raises(GatewayError) as caught:
        client.create_entity({}, key="k")
    assert caught.type is means
    assert len(other_service.received) == 1
    assert not other_service.entities


@pytest.mark.parametrize("is_done", [True, False])
def test_a_cut_line_is_unclear_and_no_call_is_made_again(
    client: FormationService, other_service: OtherService, is_done: bool
) -> None:
    other_service.cut(".*", is_done=is_done, times=None)
    with pytest.raises(Unclear):
        client.create_entity({"jurisdiction_product_id": id_of("shares")}, key="k")
    assert len(other_service.received) == 1
    assert len(other_service.entities) == is_done
    for number, name in enumerate(("entity", "remove_webhook", "update_party", "submit")):
        with pytest.raises(Unclear):
            SUPPLEMENTS_CALLS[name](client)
        assert len(other_service.received) == number + 2


def test_all_pages_of_a_list_are_read_unless_it_has_no_end(
    client: FormationService, other_service: OtherService
) -> None:
    for number in (1, 2, 3):
        page = {"data": [{"party_id": f"pty_{number}"}], "meta": {"page": number, "total_pages": 3}}
        other_service.answer("GET .*/parties", 200, page, times=1)
    assert [party["party_id"] for party in client.records("E-1", Collection.PARTIES)] == ["pty_1", "pty_2", "pty_3"]
    other_service.answer("GET .*/parties", 200, {"data": [{}], "meta": {"total_pages": 10**9}})
    with pytest.raises(Unclear):
        client.records("E-1", Collection.PARTIES)
    assert [request.query for request in other_service.received] == ["", "page=2", "page=3", ""]


def test_an_answer_may_be_empty_where_the_interface_shows_none_and_an_id_have_its_long_name(
    client: FormationService, other_service: OtherService
) -> None:
    other_service.answer("POST", 204, times=1)
    assert client.add_record("E-1", Collection.SHAREHOLDINGS, {}, key="k") == {}
    other_service.answer("POST", 200, "Thank you", times=1)
    with pytest.raises(Unclear):
        client.add_record("E-1", Collection.SHAREHOLDINGS, {}, key="k")
    other_service.answer("POST .*/entities", 201, {"data": {"entity_id": "ent_7"}})
    assert client.create_entity({}, key="k")["id"] == "ent_7"
