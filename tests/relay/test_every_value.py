"""Each value of an application arrives at the service where it belongs. No two are the same."""

from typing import Any

import pytest

from formation_portal.gateway import FormationService
from formation_portal.gateway.client import Collection
from formation_portal.relay.worker import drain
from formation_portal.service.catalog.loader import store_catalog
from tests import factories

from .conftest import download, row, submit

pytestmark = pytest.mark.django_db(databases=["default", "service"])


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
