"""The portal at a service of another make, which knows the documented calls alone and serves forms of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

import pytest
from django.test import Client

from formation_portal.gateway.catalog import forget
from formation_portal.relay.worker import drain
from tests.journeys.actors.generic_client import GenericClient
from tests.journeys.clients import InProcessBrowser
from tests.journeys.conftest import new_user
from tests.journeys.end_to_end.expected_record import Holder, Json, expected_record
from tests.journeys.end_to_end.service_record import ServiceRecord, differences
from tests.journeys.page import Control, Page, words
from tests.other_service import OtherService
from tests.other_service.fixtures import at_other_service, other_service
from tests.other_service.schemas import CATALOG, DEEP, USABLE
from tests.other_service.service import Entity

__all__ = ["at_other_service", "other_service"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])

USABLE_SLUGS = [item["product"]["slug"] for item in USABLE]
# The others in `make test-long`.
ALWAYS = {"every-type", "shares", "mark-up", "people-only"}
SLUGS = [slug if slug in ALWAYS else pytest.param(slug, marks=pytest.mark.long) for slug in USABLE_SLUGS]

CREATE = "POST .*/entities$"
NAME, WORDS = "Name of the company", "is taken since yesterday"
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
    return {name: names.get(value, value) if isinstance(value, str) else value for name, value in answers.items()}


@pytest.mark.parametrize("slug", SLUGS)
def test_every_usable_product_arrives_as_typed(
    slug: str, browser: InProcessBrowser, at_other_service: OtherService
) -> None:
    generic_client = AffirmativeClient(browser, is_thorough=True)
    overview = generic_client.start(browser.get(f"/products/{slug}/"))
    if slug == "deep":
        _descend(generic_client, overview)
    status = generic_client.submit(overview)
    assert {request.method for request in at_other_service.received} == {"GET"}, "nothing may leave before"
    drain()

    entity = at_other_service.only_entity()
    typed = expected_record(generic_client, item_of(slug)["schema"])
    assert differences(typed, read_other_service_record(entity)) == []
    # It lacks the submission: the portal reads whether the entity is there, and asks for nothing else.
    reads = {request.path for request in at_other_service.received if request.method == "GET"}
    assert reads == {"/api/v1/catalog", f"/api/v1/entities/{entity.id}", f"/api/v1/entities/{entity.id}/parties"}
    assert {request.method for request in at_other_service.received} == {"GET", "POST"}
    assert "With our team" in browser.get(status.address).words


def _descend(generic_client: AffirmativeClient, overview: Page) -> None:
    """Each answer in one section asks the next question in the other."""
    sections = sections_of(overview)
    for depth in range(DEEP + 1):
        generic_client.save(generic_client.browser.get(sections[depth % 2]))
    assert any(control == f"q:step{DEEP}" for _, _, control in generic_client.typed)


def test_a_product_without_a_price_is_not_said_to_cost_nothing(browser: InProcessBrowser) -> None:
    rows = [words(row) for row in browser.get("/").root.xpath("//main//*[@role='row' or self::tr]")]
    assert "Nowhere Society 1 member Compare Society, Nowhere" in rows
    assert "Set-up fee" not in browser.get("/products/people-only/").words


# In trouble: it is reported in words, nothing is lost, and never a 500. How the relay goes on: tests/relay.


@pytest.fixture
def overview(browser: InProcessBrowser) -> Page:
    return GenericClient(browser).start(browser.get("/products/warned/"))


def submitted(browser: InProcessBrowser, overview: Page) -> Page:
    """Filled in, submitted, and sent as far as the service lets it; every page opens meanwhile."""
    status = GenericClient(browser).submit(overview)
    drain()
    assert len(list(all_pages(browser, overview))) > 8
    return browser.get(status.address)


def test_a_refused_field_says_so_in_the_services_words_and_can_be_mended(
    overview: Page, browser: InProcessBrowser, at_other_service: OtherService
) -> None:
    at_other_service.answer(CREATE, 422, {"errors": {"name": [WORDS]}}, times=1)
    shown = submitted(browser, overview)
    assert "Changes needed" in shown.words

    section = browser.get(sections_of(overview)[0])
    assert section.errors == [WORDS]
    field = section.root.get_element_by_id(section.form(button="Save").control(NAME).id)
    error = section.root.get_element_by_id(f"{field.get('id')}-error")
    assert WORDS in error.text_content()
    assert error.get("id") in field.get("aria-describedby").split()
    assert field.get("value"), "kept as typed"
    assert WORDS in browser.get(address_of(overview)).words

    form = section.form(button="Save")
    form.control(NAME).filled = ["Larkspur"]
    browser.send(form, form.button("Save"))
    submitted(browser, overview)
    assert at_other_service.only_entity().created["name"] == "Larkspur"
    assert "With our team" in browser.get(shown.address).words


def test_a_service_that_is_down_loses_nothing_and_is_never_our_fault(
    overview: Page, browser: InProcessBrowser, at_other_service: OtherService
) -> None:
    at_other_service.stop()
    shown = submitted(browser, overview)
    assert "Waiting to retry" in shown.words
    assert "Waiting for our reviewer" in shown.words
    assert not shown.errors
    at_other_service.start()
    drain()
    assert at_other_service.only_entity().created["name"]
    assert "Waiting to retry" not in browser.get(shown.address).words


@pytest.mark.parametrize(("status", "body"), [(500, "<h1>Oops</h1>"), (201, {"data": {}})])
def test_an_answer_that_says_nothing_is_settled_by_our_people(
    status: int, body: Any, overview: Page, browser: InProcessBrowser, at_other_service: OtherService
) -> None:
    """It may have been done, and nobody can look."""
    at_other_service.answer(CREATE, status, body)
    shown = submitted(browser, overview)
    drain()
    shown = browser.get(shown.address)
    assert "With our team" in shown.words
    assert not shown.errors
    assert at_other_service.entities == {}


def test_a_service_that_takes_too_long_is_not_waited_for(
    overview: Page, browser: InProcessBrowser, at_other_service: OtherService, settings: Any
) -> None:
    settings.ENV = settings.ENV.model_copy(update={"read_timeout": 0.2, "call_timeout": 0.2})
    forget()
    at_other_service.hold(CREATE)
    shown = submitted(browser, overview)
    assert "Checking delivery" in shown.words
    at_other_service.heal()
    drain()
    assert "With our team" in browser.get(shown.address).words
    assert len(at_other_service.entities) == 1, "it may have arrived, so it is not sent twice"
