"""A service of another make: its customer's browser, a client that says yes, all pages, and what was recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

import pytest
from django.test import Client

from tests.journeys.actors.generic_client import GenericClient
from tests.journeys.clients import InProcessBrowser
from tests.journeys.conftest import new_user
from tests.journeys.end_to_end.expected_record import Holder, Json
from tests.journeys.end_to_end.service_record import ServiceRecord
from tests.journeys.page import Control, Page
from tests.other_service import OtherService
from tests.other_service.schemas import CATALOG
from tests.other_service.service import Entity

_CALL_KEYS = ("jurisdiction_product_id", "client_reference", "party_type", "roles")
_PAGES = ("", "people/", "people/new/", "shares/", "documents/", "check/", "status/", "withdrawal/")


@pytest.fixture
def browser(at_other_service: OtherService, settings: Any) -> InProcessBrowser:
    """The browser without script of a customer, of a portal that uses the other make."""
    settings.RELAY_WAIT_MS = 0
    client = Client()
    client.force_login(new_user())
    return InProcessBrowser(client)


class AffirmativeClient(GenericClient):
    """Says yes wherever that can be said, so that the longest chain of rules opens."""

    def _fitting_value(self, control: Control) -> str:
        fitting = super()._fitting_value(control)
        return next((option.value for option in control.options if option.label == "Yes"), fitting)

    def save(self, page: Page) -> None:
        """Answer what the page asks at first sight, and save."""
        form = page.form(button="Save")
        self._fill(form)
        self._send(form, form.button("Save"), follow=False)


def item_of(slug: str) -> Json:
    items = (item for item in CATALOG if isinstance(item, dict) and "schema" in item)
    return next(item for item in items if item["product"].get("slug") == slug)


def address_of(page: Page) -> str:
    return "/".join(page.address.split("/")[:3]) + "/"


def sections_of(overview: Page) -> list[str]:
    addresses = (address.partition("#")[0] for _, address in overview.links() if "/sections/" in address)
    return list(dict.fromkeys(addresses))


def all_pages(browser: InProcessBrowser, overview: Page) -> Iterator[Page]:
    """Every page of the application and the catalog's; none may be a fault of the portal's."""
    home = address_of(overview)
    for address in ("/", "/applications/", *(home + path for path in _PAGES), *sections_of(overview)):
        page = browser.get(address)
        assert page.status in (200, 404) or (page.status == 503 and address == "/"), f"{address}: {page.status}"
        yield page


def read_other_service_record(entity: Entity) -> ServiceRecord:
    """Everything of the entity exactly as it was sent; parties and classes go by their names."""
    names = {class_id: ("share class", body["name"]) for class_id, body in entity.share_classes.items()}
    # This service has no call that submits an application.
    found = ServiceRecord("", _holder(entity.created, entity.csp_data, names))
    parties, classes = {}, {}
    for party_id, body in entity.parties.items():
        party = parties[party_id] = _holder(body, entity.party_csp_data.get(party_id, {}), names)
        party.kind, party.roles = body["party_type"], set(body["roles"])
    for class_id, body in entity.share_classes.items():
        classes[class_id] = _holder(body, entity.share_class_csp_data.get(class_id, {}), names)
    for holding in entity.shareholdings:
        pair = parties[holding["party_id"]].name, classes[holding["share_class_id"]].name
        assert pair not in found.holdings, "one shareholding came twice"
        found.holdings[pair] = holding["shares_held"]
    for form, (_, _, content) in entity.documents:
        holder = parties[form["party_id"]] if form.get("scope") == "party" else found.entity
        assert form["document_key"] not in holder.documents, "one document came twice"
        holder.documents[form["document_key"]] = sha256(content).hexdigest()
    found.parties = {party.name: party for party in parties.values()}
    found.classes = {share_class.name: share_class for share_class in classes.values()}
    assert len(found.parties) == len(parties), "one party came twice"
    assert len(found.classes) == len(classes), "one class came twice"
    return found


def _holder(body: Json, csp: Json, names: Mapping[str, Any]) -> Holder:
    properties = {name: value for name, value in body.items() if name not in _CALL_KEYS}
    return Holder(properties=_named(properties, names), csp=_named(csp, names))


def _named(answers: Json, names: Mapping[str, Any]) -> Json:
    """The answers, with the name of a class where its id stands."""
    return {name: names.get(value, value) if isinstance(value, str) else value for name, value in answers.items()}
