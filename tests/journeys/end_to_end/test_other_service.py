"""The portal at a service of another make, which knows the documented calls alone and serves forms of its own."""

from typing import Any

import pytest

from formation_portal.gateway.catalog import forget
from formation_portal.relay.worker import drain
from tests.journeys.actors.generic_client import GenericClient
from tests.journeys.clients import InProcessBrowser
from tests.journeys.end_to_end.expected_record import expected_record
from tests.journeys.end_to_end.other_service import (
    AffirmativeClient,
    address_of,
    all_pages,
    browser,
    item_of,
    read_other_service_record,
    sections_of,
)
from tests.journeys.end_to_end.service_record import differences
from tests.journeys.page import Page, words
from tests.other_service import OtherService
from tests.other_service.fixtures import at_other_service, other_service
from tests.other_service.schemas import DEEP, USABLE

__all__ = ["at_other_service", "browser", "other_service"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])

USABLE_SLUGS = [item["product"]["slug"] for item in USABLE]
# The others in `make test-long`.
ALWAYS = {"every-type", "shares", "mark-up", "people-only"}
SLUGS = [slug if slug in ALWAYS else pytest.param(slug, marks=pytest.mark.long) for slug in USABLE_SLUGS]

CREATE = "POST .*/entities$"
NAME, WORDS = "Name of the company", "is taken since yesterday"


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
