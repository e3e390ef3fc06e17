"""Without failures the embedded service holds exactly what was typed, and nothing is sent twice."""

from decimal import Decimal
from typing import Any

import pytest
from django.db import connection

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.gateway import FormationService
from formation_portal.gateway.client import Collection
from formation_portal.gateway.errors import NotFound
from formation_portal.relay.models import Delivery
from formation_portal.relay.sync import sync
from formation_portal.relay.worker import drain
from tests import factories
from tests.encrypted_rows import values_of

from .conftest import row, save
from .flaky_transport import FlakyTransport

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def test_things_go_in_the_order_of_the_design(complete: Draft, transport: FlakyTransport) -> None:
    drain()
    assert transport.endpoints == [
        "POST entities",
        "POST entities/csp-data",
        "POST entities/share-classes",
        "POST entities/parties",
        "POST entities/csp-data",
        "POST entities/documents",
        "POST entities/shareholdings",
    ]
    assert all(made.key for made in transport.calls)
    assert len({made.key for made in transport.calls}) == 7


def test_what_was_acknowledged_is_never_sent_again(complete: Draft, transport: FlakyTransport, owner: Any) -> None:
    assert drain() == 7
    assert drain() == 0
    save(complete, "the-company", factories.COMPANY, owner)
    services.save_holdings(complete, {("ada", "ordinary"): "10 000"}, by=owner)
    assert drain() == 0
    assert len(transport.calls) == 7


def test_a_difference_that_only_cleaning_makes_is_not_sent_again(
    complete: Draft, transport: FlakyTransport, owner: Any
) -> None:
    """The service has what was sent before texts were cleaned."""
    drain()
    transport.clear()
    before = {
        ("entity", ""): {"entity.name": "Larkfield\u00ad  Holdings"},
        ("party", "ada"): {"person.last_name": "Love\u200blace"},
    }
    for name, answers in before.items():
        delivery = row(*name)
        delivery.acknowledged["answers"] |= answers
        delivery.wanted = delivery.acknowledged
        delivery.save()
    save(complete, "the-company", {"charter.purpose": "Ships"}, owner)
    services.save_party(complete, complete.parties[0], {"person.first_name": "Augusta"}, version=1, by=owner)
    drain()
    assert [(made.endpoint, made.body) for made in transport.calls] == [
        ("PATCH entities", {"charter": {"purpose": "Ships"}}),
        ("PATCH entities/parties", {"first_name": "Augusta"}),
    ]


def test_the_service_holds_every_digit_of_a_unit_price(complete: Draft, service: FormationService, owner: Any) -> None:
    share_class = complete.share_classes[0]
    services.save_share_class(complete, share_class, {"share_class.par_value": "0.000000000001"}, version=1, by=owner)
    drain()
    [record] = service.records(row("entity").remote_id, Collection.SHARE_CLASSES)
    assert Decimal(str(record["par_value"])) == Decimal("0.000000000001")


def test_a_line_break_that_was_removed_is_sent(complete: Draft, transport: FlakyTransport, owner: Any) -> None:
    trading = {"xy.activity": "Trading"}
    save(complete, "the-company", trading | {"xy.goods": "Tea\nSpices"}, owner)
    drain()
    transport.clear()
    save(complete, "the-company", {"xy.goods": "Tea Spices"}, owner)
    drain()
    assert [made.body["csp_data"] for made in transport.calls] == [{"xy.goods": "Tea Spices"}]


def test_an_edit_sends_what_changed_and_nothing_else(complete: Draft, transport: FlakyTransport, owner: Any) -> None:
    drain()
    transport.clear()
    save(complete, "the-company", {"entity.name": "Larkspur", "charter.purpose": "Ships"}, owner)
    services.save_party(complete, complete.parties[0], {"person.last_name": "King"}, version=1, by=owner)
    services.save_holdings(complete, {("ada", "ordinary"): "7"}, by=owner)
    drain()
    assert [(made.endpoint, made.body) for made in transport.calls] == [
        ("PATCH entities", {"name": "Larkspur", "charter": {"purpose": "Ships"}}),
        ("PATCH entities/parties", {"last_name": "King"}),
        ("PATCH entities/shareholdings", {"shares_held": 7}),
    ]


def test_what_becomes_inactive_is_cleared_and_comes_back(
    complete: Draft, transport: FlakyTransport, service: FormationService, owner: Any
) -> None:
    save(complete, "the-company", {"xy.activity": "Trading", "xy.goods": "Timber"}, owner)
    drain()
    transport.clear()
    save(complete, "the-company", {"xy.activity": "Holding company"}, owner)
    drain()
    (body,) = transport.bodies("POST entities/csp-data")
    assert body["csp_data"] == {"xy.activity": "Holding company", "xy.goods": None}
    assert "xy.goods" not in service.csp_data(row("entity").remote_id)["csp_data"]
    save(complete, "the-company", {"xy.activity": "Trading"}, owner)
    drain()
    assert service.csp_data(row("entity").remote_id)["csp_data"]["xy.goods"] == "Timber"


def test_an_inactive_answer_never_leaves(complete: Draft, transport: FlakyTransport, owner: Any) -> None:
    save(complete, "the-company", {"xy.goods": "Secret timber"}, owner)
    services.save_party(complete, complete.parties[0], {"xy.person.pep_office": "Secret office"}, version=1, by=owner)
    drain()
    assert "Secret" not in str([made.body for made in transport.calls])


def test_a_thing_goes_once_it_has_what_its_call_needs(draft: Draft, transport: FlakyTransport, owner: Any) -> None:
    drain()
    assert transport.endpoints == ["POST entities"]
    services.add_party(draft, "person", ["director"], {"person.first_name": "Ada"}, by=owner, token="ada")
    services.add_share_class(draft, {"share_class.name": "Ordinary"}, by=owner, token="ordinary")
    drain()
    assert transport.endpoints == ["POST entities"]
    services.save_party(draft, draft.parties[0], factories.ADA, version=1, by=owner)
    services.save_share_class(draft, draft.share_classes[0], factories.ORDINARY, version=1, by=owner)
    drain()
    assert transport.endpoints[1:] == ["POST entities/share-classes", "POST entities/parties", "POST entities/csp-data"]


def test_a_sent_person_keeps_its_name_there_until_it_has_another(
    complete: Draft, transport: FlakyTransport, owner: Any
) -> None:
    drain()
    transport.clear()
    services.save_party(complete, complete.parties[0], {"person.last_name": ""}, version=1, by=owner)
    assert drain() == 0
    services.save_party(complete, complete.parties[0], {"person.last_name": "King"}, version=2, by=owner)
    drain()
    assert transport.bodies("PATCH entities/parties") == [{"last_name": "King"}]


def test_a_sent_class_is_referred_to_while_it_lacks_a_name(
    complete: Draft, transport: FlakyTransport, owner: Any
) -> None:
    services.save_party(complete, complete.parties[0], {"xy.person.appointed_by": "ordinary"}, version=1, by=owner)
    drain()
    transport.clear()
    ordinary = complete.share_class("ordinary")
    assert ordinary is not None
    services.save_share_class(complete, ordinary, {"share_class.name": ""}, version=1, by=owner)
    sync(factories.again(complete))
    assert drain() == 0
    assert row("party_csp", "ada").needs == [["party", "ada"], ["share_class", "ordinary"]]


def test_other_answers_do_not_wait_for_a_class_that_is_not_ready(
    complete: Draft, service: FormationService, owner: Any
) -> None:
    services.add_share_class(complete, {"share_class.name": "B"}, by=owner, token="b")
    services.save_party(complete, complete.parties[0], {"xy.person.appointed_by": "b"}, version=1, by=owner)
    drain()
    entity_id, party_id = row("entity").remote_id, row("party", "ada").remote_id
    assert service.csp_data(entity_id, party_id=party_id)["csp_data"] == {"xy.person.is_pep": False}
    b = complete.share_class("b")
    assert b is not None
    services.save_share_class(complete, b, factories.ORDINARY | {"share_class.name": "B"}, version=1, by=owner)
    drain()
    sent = service.csp_data(entity_id, party_id=party_id)["csp_data"]
    assert sent["xy.person.appointed_by"] == row("share_class", "b").remote_id


def test_a_replaced_upload_is_sent_again(
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


def test_a_deleted_draft_is_deleted_there_in_one_call(
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
    section = fresh.schema.section("the-company")
    assert section is not None
    # With what is read of the application for it; on PostgreSQL one of them wakes the worker.
    with django_assert_max_num_queries(17 if connection.vendor == "sqlite" else 18):
        services.save_section(fresh, section, {"entity.name": "Other"}, version=fresh.version(section.key), by=owner)


def test_a_class_that_moves_up_has_its_new_place(complete: Draft, owner: Any) -> None:
    services.add_share_class(complete, factories.PREFERENCE, by=owner, token="preference")
    assert [row("share_class", token).position for token in ("ordinary", "preference")] == [0, 1]
    services.remove_share_class(complete, complete.share_classes[0], by=owner)
    assert row("share_class", "preference").position == 0
