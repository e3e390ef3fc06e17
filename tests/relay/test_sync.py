"""Without failures the embedded service holds exactly what was typed, and nothing is sent twice."""

from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.contract.fields.text import ONE_NAME
from formation_portal.contract.fields.values import Raw
from formation_portal.gateway import FormationService
from formation_portal.gateway.client import Collection
from formation_portal.gateway.errors import NotFound
from formation_portal.relay.calls.routes import Claim, MissingFile
from formation_portal.relay.models import Delivery, DeliveryState
from formation_portal.relay.service_profile import current_profile
from formation_portal.relay.sync import desired_state, sync
from formation_portal.relay.worker import drain
from formation_portal.service.catalog.loader import store_catalog
from formation_portal.service.models import Party as StoredParty
from tests import factories
from tests.encrypted_rows import values_of

from .conftest import download, row, save, save_class, save_first_party, submit
from .flaky_transport import FlakyTransport

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def test_things_go_in_the_order_of_the_design_and_what_was_acknowledged_is_never_sent_again(
    complete: Draft, transport: FlakyTransport, owner: Any
) -> None:
    assert drain() == 7
    assert transport.endpoints == [
        "POST entities",
        "POST entities/csp-data",
        "POST entities/share-classes",
        "POST entities/parties",
        "POST entities/csp-data",
        "POST entities/documents",
        "POST entities/shareholdings",
    ]
    assert all(call.key for call in transport.calls)
    assert len({call.key for call in transport.calls}) == 7
    assert drain() == 0
    save(complete, "the-company", factories.COMPANY)
    services.save_holdings(complete, {("ada", "ordinary"): "10 000"}, by=owner)
    assert drain() == 0
    assert len(transport.calls) == 7


def test_an_edit_sends_what_changed_and_nothing_else(complete: Draft, transport: FlakyTransport, owner: Any) -> None:
    drain()
    transport.clear()
    # What was sent before texts were cleaned.
    before = {
        ("entity", ""): {"entity.name": "Larkfield\u00ad  Holdings"},
        ("party", "ada"): {"person.last_name": "Love\u200blace"},
    }
    for name, answers in before.items():
        delivery = row(*name)
        delivery.acknowledged["answers"] |= answers
        delivery.wanted = delivery.acknowledged
        delivery.save()
    save(complete, "the-company", {"charter.purpose": "Ships"})
    save_first_party(complete, {"person.first_name": "Augusta"})
    services.save_holdings(complete, {("ada", "ordinary"): "7"}, by=owner)
    drain()
    assert [(call.endpoint, call.body) for call in transport.calls] == [
        ("PATCH entities", {"charter": {"purpose": "Ships"}}),
        ("PATCH entities/parties", {"first_name": "Augusta"}),
        ("PATCH entities/shareholdings", {"shares_held": 7}),
    ]


def test_the_service_holds_every_digit_of_a_unit_price(complete: Draft, service: FormationService) -> None:
    save_class(complete, "ordinary", {"share_class.par_value": "0.000000000001"})
    drain()
    [record] = service.records(row("entity").remote_id, Collection.SHARE_CLASSES)
    assert Decimal(str(record["par_value"])) == Decimal("0.000000000001")


def test_a_line_break_that_was_removed_is_sent(complete: Draft, transport: FlakyTransport) -> None:
    trading = {"xy.activity": "Trading"}
    save(complete, "the-company", trading | {"xy.goods": "Tea\nSpices"})
    drain()
    transport.clear()
    save(complete, "the-company", {"xy.goods": "Tea Spices"})
    drain()
    assert [made.body["csp_data"] for made in transport.calls] == [{"xy.goods": "Tea Spices"}]


def test_an_inactive_answer_is_cleared(complete: Draft, transport: FlakyTransport, service: FormationService) -> None:
    save(complete, "the-company", {"xy.activity": "Trading", "xy.goods": "Timber"})
    drain()
    transport.clear()
    save(complete, "the-company", {"xy.activity": "Holding company"})
    drain()
    (body,) = transport.bodies("POST entities/csp-data")
    assert body["csp_data"] == {"xy.activity": "Holding company", "xy.goods": None}
    assert "xy.goods" not in service.csp_data(row("entity").remote_id)["csp_data"]
    save(complete, "the-company", {"xy.activity": "Trading"})
    drain()
    assert service.csp_data(row("entity").remote_id)["csp_data"]["xy.goods"] == "Timber"


def test_a_thing_goes_once_it_has_what_its_call_needs(draft: Draft, transport: FlakyTransport, owner: Any) -> None:
    drain()
    assert transport.endpoints == ["POST entities"]
    services.add_party(draft, "person", ["director"], {"person.first_name": "Ada"}, by=owner, token="ada")
    services.add_share_class(draft, {"share_class.name": "Ordinary"}, by=owner, token="ordinary")
    drain()
    assert transport.endpoints == ["POST entities"]
    save_first_party(draft, factories.ADA)
    save_class(draft, "ordinary", factories.ORDINARY)
    drain()
    assert transport.endpoints[1:] == ["POST entities/share-classes", "POST entities/parties", "POST entities/csp-data"]


def test_a_sent_person_keeps_its_name_there_until_it_has_another(complete: Draft, transport: FlakyTransport) -> None:
    drain()
    transport.clear()
    save_first_party(complete, {"person.last_name": ""})
    assert drain() == 0
    save_first_party(complete, {"person.last_name": "King"})
    drain()
    assert transport.bodies("PATCH entities/parties") == [{"last_name": "King"}]


def test_a_sent_class_is_referred_to_while_it_lacks_a_name(complete: Draft, transport: FlakyTransport) -> None:
    save_first_party(complete, {"xy.person.appointed_by": "ordinary"})
    drain()
    transport.clear()
    save_class(complete, "ordinary", {"share_class.name": ""})
    sync(factories.again(complete))
    assert drain() == 0
    assert row("party_csp", "ada").needs == [["party", "ada"], ["share_class", "ordinary"]]


def test_other_answers_do_not_wait_for_a_class(complete: Draft, service: FormationService, owner: Any) -> None:
    services.add_share_class(complete, {"share_class.name": "B"}, by=owner, token="b")
    save_first_party(complete, {"xy.person.appointed_by": "b"})
    drain()
    entity_id, party_id = row("entity").remote_id, row("party", "ada").remote_id
    assert service.csp_data(entity_id, party_id=party_id)["csp_data"] == {"xy.person.is_pep": False}
    save_class(complete, "b", factories.ORDINARY | {"share_class.name": "B"})
    drain()
    sent = service.csp_data(entity_id, party_id=party_id)["csp_data"]
    assert sent["xy.person.appointed_by"] == row("share_class", "b").remote_id


def test_an_upload_is_replaced(
    complete: Draft, service: FormationService, transport: FlakyTransport, owner: Any
) -> None:
    drain()
    transport.clear()
    services.add_document(
        complete, complete.parties[0], "Passport", factories.upload(factories.PNG, "scan.png"), by=owner
    )
    drain()
    assert transport.endpoints == ["POST entities/documents"]
    (document,) = service.records(row("entity").remote_id, Collection.DOCUMENTS)
    assert (document["name"], document["mime_type"]) == ("scan.png", "image/png")
    services.remove_document(complete, complete.documents[0], by=owner)
    drain()
    assert service.records(row("entity").remote_id, Collection.DOCUMENTS) == []


def test_an_upload_of_the_entity_itself_has_no_scope(complete: Draft, transport: FlakyTransport, owner: Any) -> None:
    services.add_document(complete, None, "Business plan", factories.upload(), by=owner)
    drain()
    of_party, of_entity = transport.bodies("POST entities/documents")
    assert b'name="document_key"\r\n\r\nBusiness plan\r\n' in of_entity
    assert b"scope" not in of_entity
    assert b'name="document_key"\r\n\r\nPassport\r\n' in of_party
    assert b'name="scope"\r\n\r\nparty\r\n' in of_party
    assert row("party", "ada").remote_id.encode() in of_party


def test_a_draft_is_deleted_there_in_one_call(
    complete: Draft, service: FormationService, transport: FlakyTransport, owner: Any
) -> None:
    drain()
    entity_id = row("entity").remote_id
    transport.clear()
    services.delete_draft(complete.application, by=owner)
    drain()
    assert transport.endpoints == ["DELETE entities"]
    with pytest.raises(NotFound):
        service.entity(entity_id)
    kept = values_of(Delivery.objects, "wanted", "acknowledged", "sent")
    assert {value for values in kept for value in values} == {None}


def test_a_draft_that_was_deleted_before_anything_was_sent_sends_nothing(complete: Draft, owner: Any) -> None:
    services.delete_draft(complete.application, by=owner)
    assert drain() == 0


def test_saving_costs_the_same_number_of_queries_however_much_there_is(
    complete: Draft, owner: Any, django_assert_max_num_queries: Any
) -> None:
    for number in range(12):
        services.add_party(complete, "person", ["director"], factories.ADA, by=owner, token=f"p{number}")
    fresh = factories.again(complete)
    section, version = fresh.schema.section("the-company"), fresh.version("the-company")
    # With what is read of the application for it; on PostgreSQL one of them wakes the worker.
    with django_assert_max_num_queries(17 if connection.vendor == "sqlite" else 18):
        services.save_section(fresh, section, {"entity.name": "Other"}, version=version, by=owner)


def test_a_class_that_moves_up_has_its_new_place(complete: Draft, owner: Any) -> None:
    services.add_share_class(complete, factories.PREFERENCE, by=owner, token="preference")
    assert [row("share_class", token).position for token in ("ordinary", "preference")] == [0, 1]
    services.remove_share_class(complete, complete.share_classes[0], by=owner)
    assert row("share_class", "preference").position == 0


def counts_at_service(service: FormationService) -> tuple[int, ...]:
    entity = row("entity").remote_id
    collections = (Collection.PARTIES, Collection.DOCUMENTS, Collection.SHAREHOLDINGS)
    return tuple(len(service.records(entity, collection)) for collection in collections)


def test_a_removed_party_goes_and_comes_back_whole(complete: Draft, service: FormationService, owner: Any) -> None:
    drain()
    before = desired_state(complete)
    assert counts_at_service(service) == (1, 1, 1)
    services.remove_party(complete, complete.party("ada"), by=owner)
    drain()
    assert counts_at_service(service) == (0, 0, 0)
    services.restore_party(complete, "ada", by=owner)
    assert desired_state(complete) == before
    drain()
    assert counts_at_service(service) == (1, 1, 1)
    entity, party = row("entity").remote_id, row("party", "ada").remote_id
    assert service.csp_data(entity, party_id=party)["csp_data"] == {"xy.person.is_pep": False}
    assert download(service, entity, row("document", "ada/Passport").remote_id) == factories.PDF
    assert set(Delivery.objects.values_list("state", flat=True)) == {"done"}


def test_a_claimed_file_is_not_opened_once_its_party_was_removed(complete: Draft, owner: Any) -> None:
    drain()
    document = row("document", "ada/Passport")
    document.sent = document.acknowledged
    claim = Claim(document, uuid4(), complete.application, {}, current_profile(), request_id="one")
    with claim.open_file() as file:
        assert file.read() == factories.PDF
    services.remove_party(complete, complete.party("ada"), by=owner)
    with pytest.raises(MissingFile):
        claim.open_file()


def test_one_of_two_entries_takes_what_the_other_had(complete: Draft, service: FormationService, owner: Any) -> None:
    twin = factories.ADA | {"person.email": "b@example.com"}
    services.add_party(complete, "person", ["director"], twin, by=owner, token="first")
    drain()
    assert counts_at_service(service) == (2, 1, 1)
    services.merge_parties(complete, complete.party("ada"), complete.party("first"), by=owner)
    drain()
    assert counts_at_service(service) == (1, 1, 1)
    entity = row("entity").remote_id
    [party] = service.records(entity, Collection.PARTIES)
    assert (party["email"], party["roles"]) == ("b@example.com", ["director", "shareholder"])
    assert service.records(entity, Collection.DOCUMENTS)[0]["party_id"] == party["party_id"]
    assert service.records(entity, Collection.SHAREHOLDINGS)[0]["party_id"] == party["party_id"]
    assert set(Delivery.objects.values_list("state", flat=True)) == {"done"}


def members(record: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    """The members of a record that are expected."""
    return {name: record.get(name) for name in expected}


ENTITY = {"name": "Société d’Été & Fils", "status": "submitted_for_review"}
ANSWERS = {
    "xy.activity": "Trading",
    "xy.goods": "Tea and 'green' coffee",
    "xy.started_on": "2019-03-04",
    "xy.capital": {"amount": 1234567, "currency": "JPY"},
    "xy.turnover": {"amount": 89.125, "currency": "KWD"},
}
PARTIES = [
    {
        "party_type": "person",
        "first_name": "Siobhán",
        "last_name": "O’Brien",
        "email": "siobhan@example.com",
        "date_of_birth": "1971-06-05",
        "roles": ["director", "shareholder"],
    },
    {
        "party_type": "person",
        "first_name": "Zoë",
        "last_name": "D'Arcy",
        "email": "zoe@example.org",
        "date_of_birth": "1988-02-28",
        "roles": ["director", "shareholder", "manager"],
    },
    {
        "party_type": "corporate",
        "name": "Ørsted Holding ApS",
        "registration_number": "DK 36 45 17",
        "country": "DK",
        "roles": ["director"],
    },
]
OF_PARTIES = [
    {"xy.person.is_pep": False},
    {"xy.person.is_pep": True, "xy.person.pep_office": "Minister of Fisheries"},
]
CLASS_MEMBERS = ("name", "currency", "par_value", "voting_rights", "dividend_rights")
CLASSES = [
    ("Voting", "USD", 0.125, True, False),
    ("Préférence", "JPY", 500, False, True),
    ("Founders’", "KWD", 0.025, True, True),
]


def test_each_value_arrives_where_it_belongs(owner: Any, service: FormationService) -> None:
    store_catalog([factories.ITEM | {"schema": factories.VARIED_SCHEMA}])
    submit(factories.varied_draft(owner))
    drain()
    entity = row("entity").remote_id
    assert members(service.entity(entity), ENTITY) == ENTITY
    assert members(service.csp_data(entity)["csp_data"], ANSWERS) == ANSWERS

    parties = service.records(entity, Collection.PARTIES)
    assert [members(*pair) for pair in zip(parties, PARTIES, strict=True)] == PARTIES
    assert [party["pending_roles"] for party in parties] == [[], [], []]
    siobhan, zoe, orsted = [party["party_id"] for party in parties]
    assert [service.csp_data(entity, party_id=party)["csp_data"] for party in (siobhan, zoe)] == OF_PARTIES

    classes = service.records(entity, Collection.SHARE_CLASSES)
    assert [tuple(share_class[name] for name in CLASS_MEMBERS) for share_class in classes] == CLASSES
    voting, preference, founders = [share_class["id"] for share_class in classes]
    holdings = service.records(entity, Collection.SHAREHOLDINGS)
    assert {(held["party_id"], held["share_class_id"]): held["shares_held"] for held in holdings} == {
        (siobhan, preference): 222,
        (siobhan, voting): 1111,
        (zoe, founders): 4444,
        (zoe, voting): 33,
    }
    assert len(holdings) == 4

    documents = service.records(entity, Collection.DOCUMENTS)
    assert {(one["party_id"], one["document_key"]): download(service, entity, one["id"]) for one in documents} == {
        (siobhan, "Passport"): factories.PDF,
        (zoe, "Passport"): factories.JPEG,
        (orsted, "Register extract"): factories.PNG,
    }


@pytest.mark.parametrize("first", ["Ada", ONE_NAME, "-"], ids=["edited", "created", "typed"])
def test_a_person_with_one_name_only_arrives_with_a_dash(
    draft: Draft, owner: Any, service: FormationService, first: Raw
) -> None:
    party = services.add_party(draft, "person", ["director"], factories.ADA | {"person.first_name": first}, by=owner)
    drain()
    raw = {"person.first_name": ONE_NAME, "person.last_name": "Sukarno"}
    services.save_party(draft, party, raw, version=None, by=owner)
    drain()

    properties = StoredParty.objects.get().properties
    assert (properties["first_name"], properties["last_name"]) == ("-", "Sukarno")
    [record] = service.records(row("entity").remote_id, Collection.PARTIES)
    assert (record["first_name"], record["last_name"]) == ("", "Sukarno")
    assert row("party", party.token).state == DeliveryState.DONE
