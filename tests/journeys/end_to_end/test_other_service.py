"""The portal at a service of another make, which knows the documented calls alone and serves forms of its own."""

import pytest

from formation_portal.relay.worker import drain
from tests.journeys.actors.generic_client import GenericClient
from tests.journeys.clients import InProcessBrowser
from tests.journeys.end_to_end.expected_record import expected_record
from tests.journeys.end_to_end.other_service import AffirmativeClient, all_pages, browser, item_of, sections_of
from tests.journeys.end_to_end.other_service_record import read_other_service_record
from tests.journeys.end_to_end.service_record import differences
from tests.journeys.page import Page, words
from tests.other_service import OtherService
from tests.other_service.fixtures import at_other_service, other_service
from tests.other_service.schemas import DEEP, FAULTY, MANY, MARK_UP, ODD_NAME, ODD_OPTIONS, USABLE

__all__ = ["at_other_service", "browser", "other_service"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])

SLUGS = [item["product"]["slug"] for item in USABLE]
LATER = "Saved. We send it when you submit."
TOGETHER = "The formation service can’t change what it has received, so we send your answers together when you submit."
COUNTS_HERE = "We can’t send a submission or withdrawal to the formation service automatically."


@pytest.mark.parametrize("slug", [pytest.param(one, marks=pytest.mark.long) if one == "deep" else one for one in SLUGS])
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


def test_what_the_service_cannot_do_is_said_plainly(browser: InProcessBrowser, at_other_service: OtherService) -> None:
    generic_client = GenericClient(browser)
    overview = generic_client.start(browser.get("/products/stranger/"))
    assert LATER in overview.words
    assert TOGETHER in overview.words
    drain()
    assert LATER in browser.get(overview.address).words

    status = generic_client.submit(overview)
    drain()
    shown = browser.get(status.address)
    assert COUNTS_HERE in shown.words
    assert "With our team" in shown.words
    assert LATER not in shown.words

    form = browser.get(shown.link("Withdraw")).form(button="Withdraw")
    withdrawn = browser.send(form, form.button("Withdraw"))
    drain()
    assert COUNTS_HERE in browser.get(status.address).words
    assert "You withdrew" in withdrawn.words
    assert len(at_other_service.entities) == 1
    assert len(list(all_pages(browser, overview))) > 8


# The catalog


@pytest.fixture
def catalog(browser: InProcessBrowser) -> Page:
    """The catalog as the page shows it."""
    return browser.get("/")


def row_of(catalog: Page, name: str) -> str:
    """What stands in the row of a product, by its name."""
    rows = [words(row) for row in catalog.root.xpath("//main//*[@role='row' or self::tr]")]
    return next(row for row in rows if name in row)


@pytest.mark.parametrize("item", USABLE, ids=SLUGS)
def test_usable_products_are_offered(item: dict, catalog: Page, browser: InProcessBrowser) -> None:  # type: ignore[type-arg]
    name = item["product"]["name"]
    assert "Not available" not in row_of(catalog, name)
    assert browser.get(catalog.link(name)).form(button="Start").buttons


@pytest.mark.parametrize(
    ("slug", "reason"),
    [
        ("circle", "The rules form a circle: one / entity / a → two / entity / b → one / entity / a"),
        ("twice", "The key a stands twice in “The company”"),
        ("no-id", "The schema has no id, so that answers can't be sent"),
        ("no-sections", "The schema has no sections that ask anything"),
        ("odd-sections", "The schema has no sections that ask anything"),
        (
            "no-schema",
            "The schema has no id, so that answers can't be sent; The schema has no sections that ask anything",
        ),
    ],
)
def test_faulty_products_are_unavailable_with_the_reason(
    slug: str, reason: str, catalog: Page, browser: InProcessBrowser
) -> None:
    name = item_of(slug)["product"]["name"]
    assert f"Not available. {reason}" in row_of(catalog, name)
    page = browser.get(f"/products/{slug}/")
    assert f"Not available at the moment: {reason}" in page.words
    assert not any(form.has_button("Start") for form in page.forms)
    started = browser.client.post("/applications/", {"product": slug})
    assert started.status_code < 500
    assert "You have no applications yet" in browser.get("/applications/").words


def test_every_faulty_product_of_the_service_is_tried_here() -> None:
    tried = test_faulty_products_are_unavailable_with_the_reason.pytestmark[0].args[1]  # type: ignore[attr-defined]
    assert [slug for slug, _ in tried] == [item["product"]["slug"] for item in FAULTY]


def test_entries_that_are_no_products_are_unavailable_and_take_no_other_along(catalog: Page) -> None:
    unreadable = "Not available. The catalog entry cannot be read"
    where = "at jurisdiction_product_id: It is missing"
    assert f"{unreadable}, {where}" in row_of(catalog, "Company without its own id")
    assert catalog.words.count(f"{unreadable}: it is not a product") == 2
    assert "17 of 17 company types" in catalog.words


def test_a_product_without_a_price_is_not_said_to_cost_nothing(catalog: Page, browser: InProcessBrowser) -> None:
    assert row_of(catalog, "Society") == "Nowhere Society 1 member Compare Society, Nowhere"
    assert "Set-up fee" not in browser.get("/products/people-only/").words


# What the pages draw


def started(browser: InProcessBrowser, slug: str) -> Page:
    return GenericClient(browser).start(browser.get(f"/products/{slug}/"))


def test_mark_up_in_a_schema_stays_text_on_every_page(browser: InProcessBrowser, catalog: Page) -> None:
    overview = started(browser, "mark-up")
    about = ("/products/mark-up/", "/products/mark-up/checklist/", "/compare/?product=mark-up")
    pages = [catalog, *map(browser.get, about), *all_pages(browser, overview)]
    assert sum(MARK_UP in page.words for page in pages) >= 5, "the words themselves must be read"
    for page in pages:
        assert MARK_UP not in page.text, page.address
        assert not page.root.xpath("//b"), page.address
    section = browser.get(next(address for _, address in overview.links() if "/sections/" in address))
    legend = " ".join(ODD_NAME.split())
    choice = next(one for one in section.form(button="Save").controls if one.words.startswith(legend) and one.options)
    assert [one.value for one in choice.options if one.value] == ODD_OPTIONS
    assert [one.label for one in choice.options if one.value] == [" ".join(one.split()) for one in ODD_OPTIONS]


def test_a_role_and_a_field_type_that_nobody_knows_are_drawn(browser: InProcessBrowser) -> None:
    overview = started(browser, "stranger")
    assert "Protectors" in overview.words
    assert browser.get(overview.link("Protectors")).by_heading("Protectors") is not None
    section = browser.get(overview.link("The company"))
    seal = section.form(button="Save").control("Colour of the seal")
    assert (seal.kind, seal.is_optional) == ("text", False)
    assert "don’t recognise this type of question" in section.words


def test_all_of_300_questions_are_asked(browser: InProcessBrowser) -> None:
    overview = started(browser, "many")
    asked = [
        control.label for one in sections_of(overview) for control in browser.get(one).form(button="Save").controls
    ]
    assert {f"Question {number}" for number in range(MANY)} <= {label.removesuffix(" (optional)") for label in asked}
    assert len(asked) == MANY + 1


def test_what_cannot_be_asked_is_not_drawn_or_says_why(browser: InProcessBrowser) -> None:
    overview = started(browser, "warned")
    assert "Nothing here" not in overview.words
    assert "Unknown scope" not in overview.words
    section = browser.get(overview.link("The company"))
    form = section.form(button="Save")
    assert [(control.label, control.is_optional) for control in form.controls] == [
        ("Name of the company", False),
        ("Asked", False),
    ]
    for reason in (
        "It has no options",
        "We don’t have the agent’s address",
        "This company type has no share classes",
    ):
        assert reason in section.words
    assert {text for text, _ in browser.get(overview.link("Check your answers")).needs} == {
        "Enter “Name of the company”",
        "Enter “Asked”",
    }
