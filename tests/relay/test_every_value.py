"""Each value of an application arrives at the service where it belongs. No two are the same."""

from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.gateway import FormationService
from formation_portal.gateway.client import Collection
from formation_portal.relay.worker import drain
from formation_portal.service.catalog.loader import store_catalog
from tests import factories

from .conftest import download, row

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def names_by_party(service: FormationService, entity: str) -> dict[str, str]:
    return {
        party["party_id"]: party.get("first_name") or party["name"]
        for party in service.records(entity, Collection.PARTIES)
    }


def assert_entity(entity: str, service: FormationService) -> None:
    record = service.entity(entity)
    assert record["name"] == "Société d’Été & Fils"
    assert record["status"] == "submitted_for_review"
    answers = service.csp_data(entity)["csp_data"]
    assert answers["xy.activity"] == "Trading"
    assert answers["xy.goods"] == "Tea and 'green' coffee"
    assert answers["xy.started_on"] == "2019-03-04"
    assert answers["xy.capital"] == {"amount": 1234567, "currency": "JPY"}
    assert answers["xy.turnover"] == {"amount": 89.125, "currency": "KWD"}


def assert_people(entity: str, service: FormationService) -> None:
    siobhan, zoe, _ = service.records(entity, Collection.PARTIES)
    assert (siobhan["party_type"], siobhan["first_name"], siobhan["last_name"]) == ("person", "Siobhán", "O’Brien")
    assert (siobhan["email"], siobhan["date_of_birth"]) == ("siobhan@example.com", "1971-06-05")
    assert (siobhan["roles"], siobhan["pending_roles"]) == (["director", "shareholder"], [])
    assert service.csp_data(entity, party_id=siobhan["party_id"])["csp_data"] == {"xy.person.is_pep": False}
    assert (zoe["party_type"], zoe["first_name"], zoe["last_name"]) == ("person", "Zoë", "D'Arcy")
    assert (zoe["email"], zoe["date_of_birth"]) == ("zoe@example.org", "1988-02-28")
    assert (zoe["roles"], zoe["pending_roles"]) == (["director", "shareholder", "manager"], [])
    assert service.csp_data(entity, party_id=zoe["party_id"])["csp_data"] == {
        "xy.person.is_pep": True,
        "xy.person.pep_office": "Minister of Fisheries",
    }


def assert_company(entity: str, service: FormationService) -> None:
    company = service.records(entity, Collection.PARTIES)[2]
    assert (company["party_type"], company["name"]) == ("corporate", "Ørsted Holding ApS")
    assert (company["registration_number"], company["country"]) == ("DK 36 45 17", "DK")
    assert (company["roles"], company["pending_roles"]) == (["director"], [])


def assert_shares(entity: str, service: FormationService) -> None:
    voting, preference, founders = service.records(entity, Collection.SHARE_CLASSES)
    assert (voting["name"], voting["currency"], voting["par_value"]) == ("Voting", "USD", 0.125)
    assert (voting["voting_rights"], voting["dividend_rights"]) == (True, False)
    assert (preference["name"], preference["currency"], preference["par_value"]) == ("Préférence", "JPY", 500)
    assert (preference["voting_rights"], preference["dividend_rights"]) == (False, True)
    assert (founders["name"], founders["currency"], founders["par_value"]) == ("Founders’", "KWD", 0.025)
    assert (founders["voting_rights"], founders["dividend_rights"]) == (True, True)
    people = names_by_party(service, entity)
    classes = {voting["id"]: "Voting", preference["id"]: "Préférence", founders["id"]: "Founders’"}
    holdings = [
        (people[holding["party_id"]], classes[holding["share_class_id"]], holding["shares_held"])
        for holding in service.records(entity, Collection.SHAREHOLDINGS)
    ]
    assert sorted(holdings) == [
        ("Siobhán", "Préférence", 222),
        ("Siobhán", "Voting", 1111),
        ("Zoë", "Founders’", 4444),
        ("Zoë", "Voting", 33),
    ]


def assert_documents(entity: str, service: FormationService) -> None:
    people = names_by_party(service, entity)
    documents = {
        (people[document["party_id"]], document["document_key"]): download(service, entity, document["id"])
        for document in service.records(entity, Collection.DOCUMENTS)
    }
    assert documents == {
        ("Siobhán", "Passport"): factories.PDF,
        ("Zoë", "Passport"): factories.JPEG,
        ("Ørsted Holding ApS", "Register extract"): factories.PNG,
    }


def test_each_value_arrives_where_it_belongs(owner: Any, service: FormationService) -> None:
    store_catalog([factories.ITEM | {"schema": factories.VARIED_SCHEMA}])
    services.submit(factories.varied_draft(owner), by=owner)
    drain()
    entity = row("entity").remote_id
    assert_entity(entity, service)
    assert_people(entity, service)
    assert_company(entity, service)
    assert_shares(entity, service)
    assert_documents(entity, service)
