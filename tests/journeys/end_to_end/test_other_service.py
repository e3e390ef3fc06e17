"""The portal at a service of another make, which knows the documented calls alone and serves forms of its own."""

from collections.abc import Callable
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
    sections_of,
)
from tests.journeys.end_to_end.other_service_record import read_other_service_record
from tests.journeys.end_to_end.service_record import differences
from tests.journeys.page import Page, words
from tests.other_service import KEY, OtherService
from tests.other_service.fixtures import at_other_service, other_service
from tests.other_service.schemas import DEEP, MARK_UP, ODD_NAME, ODD_OPTIONS, USABLE

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
    assert (
        differences(expected_record(generic_client, item_of(slug)["schema"]), read_other_service_record(entity)) == []
    )
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


def test_mark_up_in_a_schema_stays_text_on_every_page(browser: InProcessBrowser) -> None:
    overview = GenericClient(browser).start(browser.get("/products/mark-up/"))
    about = ("/", "/products/mark-up/", "/products/mark-up/checklist/", "/compare/?product=mark-up")
    pages = [*map(browser.get, about), *all_pages(browser, overview)]
    assert sum(MARK_UP in page.words for page in pages) >= 5, "the words themselves must be read"
    for page in pages:
        assert MARK_UP not in page.text, page.address
        assert not page.root.xpath("//b"), page.address
    section = browser.get(next(address for _, address in overview.links() if "/sections/" in address))
    legend = " ".join(ODD_NAME.split())
    choice = next(one for one in section.form(button="Save").controls if one.words.startswith(legend) and one.options)
    assert [one.value for one in choice.options if one.value] == ODD_OPTIONS
    assert [one.label for one in choice.options if one.value] == [" ".join(one.split()) for one in ODD_OPTIONS]


# In trouble: it is reported in words, nothing is lost, and never a 500.


@pytest.fixture
def overview(browser: InProcessBrowser) -> Page:
    """An application for a small product, just begun."""
    return GenericClient(browser).start(browser.get("/products/warned/"))


def submitted(browser: InProcessBrowser, overview: Page) -> Page:
    """Filled in, submitted, and sent as far as the service lets it."""
    status = GenericClient(browser).submit(overview)
    drain()
    return browser.get(status.address)


def _every_page_opens(browser: InProcessBrowser, overview: Page) -> None:
    assert len(list(all_pages(browser, overview))) > 8


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (422, {"errors": {"name": [WORDS]}}),
        (409, {"error": {"code": "taken", "message": "Look again", "details": {"name": [WORDS]}}}),
        (422, {"error": {"code": "taken", "message": WORDS, "details": {"field": "name"}}}),
    ],
)
def test_a_refused_field_says_so_in_the_services_words_and_can_be_mended(
    status: int, body: Any, overview: Page, browser: InProcessBrowser, at_other_service: OtherService
) -> None:
    at_other_service.answer(CREATE, status, body, times=1)
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
    _every_page_opens(browser, overview)

    form = section.form(button="Save")
    form.control(NAME).filled = ["Larkspur"]
    browser.send(form, form.button("Save"))
    submitted(browser, overview)
    assert at_other_service.only_entity().created["name"] == "Larkspur"
    assert "With our team" in browser.get(shown.address).words


Trouble = Callable[[OtherService], object]


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        (lambda other: other.answer(CREATE, 503, "Closed", headers={"Retry-After": "0"}), "Waiting to retry"),
        (OtherService.stop, "Waiting to retry"),
        # It may have been done, and nobody can look: once nothing more can come of it our people settle that.
        (lambda other: other.answer(CREATE, 500, "<h1>Oops</h1>"), "With our team"),
        (lambda other: other.answer(CREATE, 201, {"data": {}}), "With our team"),
        (lambda other: other.cut(CREATE, is_done=False, times=None), "With our team"),
    ],
)
def test_a_service_in_trouble_loses_nothing_and_is_never_our_fault(
    trouble: Trouble, words: str, overview: Page, browser: InProcessBrowser, at_other_service: OtherService
) -> None:
    trouble(at_other_service)
    shown = submitted(browser, overview)
    if words == "With our team" and "Checking delivery" in shown.words:
        drain()
        shown = browser.get(shown.address)
    assert words in shown.words
    assert "Waiting for our reviewer" in shown.words
    assert not shown.errors
    _every_page_opens(browser, overview)
    assert at_other_service.entities == {}
    if words == "Waiting to retry":
        at_other_service.heal()
        if trouble is OtherService.stop:
            at_other_service.start()
        drain()
        assert at_other_service.only_entity().created["name"]
        assert "Waiting to retry" not in browser.get(shown.address).words


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


def test_answers_wait_until_the_key_is_right(
    overview: Page, browser: InProcessBrowser, at_other_service: OtherService, caplog: pytest.LogCaptureFixture
) -> None:
    at_other_service.key = "another"
    shown = submitted(browser, overview)
    assert "Waiting to retry" in shown.words
    ours = [one for one in caplog.records if one.levelname == "ERROR" and one.name.startswith("formation_portal")]
    (line,) = [record.getMessage() for record in ours]
    assert line.startswith("The formation service rejects the portal's key (status 401, request ")
    _every_page_opens(browser, overview)
    at_other_service.key = KEY
    drain()
    assert at_other_service.only_entity().created["name"]
