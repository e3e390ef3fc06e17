"""A service of another make refuses, fails, is slow or down: it is reported in words, nothing is lost, never a 500."""

from collections.abc import Callable
from typing import Any

import pytest

from formation_portal.gateway.catalog import forget
from formation_portal.relay.models import Delivery
from formation_portal.relay.resolution import send_again
from formation_portal.relay.worker import drain
from tests.journeys.actors.generic_client import GenericClient
from tests.journeys.clients import InProcessBrowser
from tests.journeys.end_to_end.other_service import address_of, all_pages, browser, sections_of
from tests.journeys.page import Page
from tests.other_service import KEY, OtherService
from tests.other_service.fixtures import at_other_service, other_service

__all__ = ["at_other_service", "browser", "other_service"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])

CREATE = "POST .*/entities$"
NAME, WORDS = "Name of the company", "is taken since yesterday"


@pytest.fixture
def overview(browser: InProcessBrowser) -> Page:
    """An application for a small product, just begun."""
    return GenericClient(browser).start(browser.get("/products/warned/"))


def submitted(browser: InProcessBrowser, overview: Page) -> Page:
    """Filled in, submitted, and sent as far as the service lets it."""
    status = GenericClient(browser).submit(overview)
    drain()
    return browser.get(status.address)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (422, WORDS),
        (409, {"error": WORDS}),
        (422, {"detail": WORDS}),
        (422, {"error": {"code": "taken", "message": WORDS, "details": {"field": "register.shard"}}}),
        (422, {"error": {"code": "taken", "message": WORDS, "details": {"shard": 7}}}),
    ],
)
def test_a_refusal_that_names_no_question_is_our_teams_who_send_it_again(
    status: int, body: Any, overview: Page, browser: InProcessBrowser, at_other_service: OtherService, agent: Any
) -> None:
    at_other_service.answer(CREATE, status, body, times=1)
    submitted(browser, overview)
    home = browser.get(address_of(overview))
    assert "With our team" in home.words
    assert "Changes needed" not in home.words
    assert not any(WORDS in page.words for page in all_pages(browser, overview))
    held = Delivery.objects.get(kind="entity")
    send_again(held.pk, agent=agent, seen_at=held.updated_at)
    drain()
    assert at_other_service.only_entity().created["name"]


def test_a_path_through_a_question_stands_at_the_question(
    overview: Page, browser: InProcessBrowser, at_other_service: OtherService
) -> None:
    at_other_service.answer(CREATE, 422, {"message": WORDS, "errors": ["name.of.theirs"]}, times=1)
    submitted(browser, overview)
    section = browser.get(sections_of(overview)[0])
    assert section.errors == [WORDS]
    assert "theirs" not in section.words
    others = [browser.get(address) for address in sections_of(overview)[1:]]
    assert not any(WORDS in page.words for page in others)
    rename(browser, overview, "Larkspur")
    submitted(browser, overview)
    assert at_other_service.only_entity().created["name"] == "Larkspur"


def rename(browser: InProcessBrowser, overview: Page, name: str) -> None:
    """What the customer does about a name that was refused."""
    form = browser.get(sections_of(overview)[0]).form(button="Save")
    form.control(NAME).filled = [name]
    browser.send(form, form.button("Save"))


def _every_page_opens(browser: InProcessBrowser, overview: Page) -> None:
    assert len(list(all_pages(browser, overview))) > 8


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (422, {"errors": {"name": [WORDS]}}),
        (422, {"errors": [{"pointer": "/name", "code": "taken", "detail": WORDS}]}),
        (
            400,
            {
                "error": {
                    "code": "bad_answers",
                    "message": "Look again",
                    "details": [{"field": "name", "message": WORDS}],
                }
            },
        ),
        (422, {"detail": [{"loc": ["body", "name"], "msg": WORDS, "type": "value_error"}]}),
        (409, {"error": {"code": "taken", "message": "Look again", "details": {"name": [WORDS]}}}),
        (422, {"error": {"code": "taken", "message": WORDS, "details": {"field": "name"}}}),
        (422, {"errors": {"entity": {"name": [WORDS]}}}),
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

    rename(browser, overview, "Larkspur")
    submitted(browser, overview)
    assert at_other_service.only_entity().created["name"] == "Larkspur"
    assert "With our team" in browser.get(shown.address).words


Trouble = Callable[[OtherService], object]


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        (lambda other: other.answer(CREATE, 503, "Closed", headers={"Retry-After": "0"}), "Waiting to retry"),
        (lambda other: other.answer(CREATE, 429, {"error": "Slowly"}), "Waiting to retry"),
        (OtherService.stop, "Waiting to retry"),
        # It may have been done, and nobody can look: once nothing more can come of it our people settle that.
        (lambda other: other.answer(CREATE, 500, "<h1>Oops</h1>"), "With our team"),
        (lambda other: other.answer(CREATE, 500, {"error": {"code": "oops"}}), "With our team"),
        (lambda other: other.answer(CREATE, 201, "Thanks."), "With our team"),
        (lambda other: other.answer(CREATE, 201, {"data": {}}), "With our team"),
        (lambda other: other.answer(CREATE, 302, "", headers={"Location": "/elsewhere"}), "With our team"),
        (lambda other: other.answer(CREATE, 418, "I'm a teapot"), "With our team"),
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


@pytest.mark.parametrize(
    "trouble",
    [
        lambda other: other.answer("GET .*/catalog$", 500, "<h1>Oops</h1>"),
        lambda other: other.answer("GET .*/catalog$", 200, "no catalog"),
        lambda other: other.answer("GET .*/catalog$", 200, {"data": {"not": "a list"}}),
        lambda other: other.answer("GET .*/catalog$", 204, None),
        OtherService.stop,
    ],
)
def test_without_any_catalog_the_page_says_so(
    trouble: Trouble, browser: InProcessBrowser, at_other_service: OtherService
) -> None:
    trouble(at_other_service)
    for address in ("/", "/products/warned/"):
        page = browser.get(address)
        assert (page.status, page.heading) == (503, "The catalog is not available")
        assert "The formation service is not responding" in page.words
    assert browser.client.post("/applications/", {"product": "warned"}).status_code == 503
    assert browser.get("/applications/").status == 200


def test_an_old_catalog_is_shown_with_a_note(browser: InProcessBrowser, at_other_service: OtherService) -> None:
    browser.get("/")
    at_other_service.stop()
    forget()
    for address in ("/", "/products/warned/"):
        page = browser.get(address)
        assert page.status == 200
        assert "The formation service cannot be reached at the moment. These products and prices are from" in page.words
    assert GenericClient(browser).start(browser.get("/products/warned/")).status == 200


# A wrong key


def errors(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What an operator is told, by us."""
    records = [one for one in caplog.records if one.levelname == "ERROR" and one.name.startswith("formation_portal")]
    return [one.getMessage() for one in records]


def test_a_wrong_key_is_said_to_people_and_once_to_the_operator(
    browser: InProcessBrowser, at_other_service: OtherService, caplog: pytest.LogCaptureFixture
) -> None:
    at_other_service.key = "another"
    for address in ("/", "/products/warned/", "/"):
        page = browser.get(address)
        assert (page.status, page.heading) == (503, "The catalog is not available")
        assert "The formation service did not accept our connection. Our team has to fix this." in page.words
    (line,) = errors(caplog)
    assert line == (
        f"Could not refresh the catalog of {at_other_service.url}: "
        "The formation service does not accept the portal's key (401: Who are you?)"
    )
    assert KEY not in caplog.text


def test_answers_wait_until_the_key_is_right(
    overview: Page, browser: InProcessBrowser, at_other_service: OtherService, caplog: pytest.LogCaptureFixture
) -> None:
    at_other_service.key = "another"
    shown = submitted(browser, overview)
    assert "Waiting to retry" in shown.words
    (line,) = errors(caplog)
    assert line.startswith("The formation service rejects the portal's key (status 401, request ")
    _every_page_opens(browser, overview)
    at_other_service.key = KEY
    drain()
    assert at_other_service.only_entity().created["name"]
