"""What is not asked never leaves: its answer stays in the draft, and what had been sent is cleared at the service."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from formation_portal import gateway
from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.gateway import FormationService
from formation_portal.gateway.client import Collection
from formation_portal.gateway.transports.in_process import BASE_URL
from formation_portal.relay.worker import drain
from formation_portal.service.auth import portal_key
from formation_portal.service.catalog.loader import store_catalog
from tests import factories
from tests.relay.flaky_transport import FlakyTransport

pytestmark = pytest.mark.django_db(databases=["default", "service"])

Json = dict[str, Any]


@pytest.fixture
def transport(full_catalog: None, db: None, monkeypatch: pytest.MonkeyPatch) -> FlakyTransport:
    """Writes down every call to the embedded service, which has the whole catalog."""
    key, transport = portal_key(), FlakyTransport()
    service = FormationService(base_url=BASE_URL, read_key=lambda: key, adapter=transport)
    monkeypatch.setattr(gateway, "service", lambda: service)
    return transport


@pytest.fixture
def complete(transport: FlakyTransport, owner: Any) -> Draft:
    """A complete draft that says what is asked of traders and of politically exposed persons; nothing has left."""
    store_catalog([factories.ITEM])
    draft = factories.new_draft(owner)
    _save(draft, "the-company", factories.COMPANY | {"xy.activity": "Trading", "xy.goods": "Secret goods"}, owner)
    _save(draft, "funds", factories.FUNDS, owner)
    ada = factories.ADA | {"xy.person.is_pep": "true", "xy.person.pep_office": "Secret office"}
    services.add_party(draft, "person", ["director", "shareholder"], ada, by=owner, token="ada")
    services.add_share_class(draft, factories.ORDINARY, by=owner, token="ordinary")
    services.save_holdings(draft, {("ada", "ordinary"): "10,000"}, by=owner)
    services.add_document(draft, draft.party("ada"), "Passport", factories.upload(), by=owner)
    assert draft.needs == ()
    return draft


def _save(draft: Draft, key: str, raw: Json, by: Any) -> None:
    section = draft.schema.section(key)
    assert section is not None
    services.save_section(draft, section, raw, version=draft.version(key), by=by)


def turn(client: Client, draft: Draft, *, activity: str, is_pep: str) -> None:
    """Answer the two questions that open others, each on its page."""
    home = f"/applications/{draft.application.reference}/"
    for address, control, value in (
        ("sections/the-company/", "q:activity", activity),
        ("people/ada/", "q:xy.person.is_pep", is_pep),
    ):
        text = client.get(home + address).content.decode()
        assert f'name="{control}"' in text
        version = re.findall(r'name="version"[^>]*\svalue="(\d+)"', text)[0]
        assert client.post(home + address, {control: value, "version": version}).status_code == 302


def submit(client: Client, draft: Draft) -> None:
    answer = client.post(f"/applications/{draft.application.reference}/submission/", {"declaration": "1"})
    assert answer["Location"].endswith("/status/")
    drain()


def test_what_was_turned_off_is_not_submitted(complete: Draft, as_owner: Client, transport: FlakyTransport) -> None:
    turn(as_owner, complete, activity="Holding company", is_pep="false")
    submit(as_owner, complete)
    assert transport.endpoints[-1] == "POST entities/submit"
    assert "Secret" not in str([made.body for made in transport.calls])
    fresh = open_draft(complete.application)
    assert fresh.entity_raw["xy.goods"] == "Secret goods"
    assert fresh.parties[0].raw["xy.person.pep_office"] == "Secret office"


def test_what_had_been_sent_is_cleared_and_comes_back(
    complete: Draft, as_owner: Client, transport: FlakyTransport
) -> None:
    service = gateway.service()

    def held() -> tuple[Any, Any]:
        (entity,) = service.entities(client_reference=complete.application.reference)
        (party,) = service.records(entity["id"], Collection.PARTIES)
        about_party = service.csp_data(entity["id"], party_id=party["party_id"])["csp_data"]
        about_entity = service.csp_data(entity["id"])["csp_data"]
        return about_entity.get("xy.goods"), about_party.get("xy.person.pep_office")

    drain()
    assert held() == ("Secret goods", "Secret office")
    transport.clear()
    turn(as_owner, complete, activity="Holding company", is_pep="false")
    drain()
    assert held() == (None, None)
    cleared = {
        name: value for body in transport.bodies("POST entities/csp-data") for name, value in body["csp_data"].items()
    }
    assert cleared.items() >= {"xy.goods": None, "xy.person.pep_office": None}.items()
    turn(as_owner, complete, activity="Trading", is_pep="true")
    submit(as_owner, complete)
    assert held() == ("Secret goods", "Secret office")
