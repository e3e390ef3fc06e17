"""Five companies and foundations, formed in Chromium with and without script; then the service holds what was typed."""

from typing import Any

import pytest

from formation_portal.gateway.configuration import service
from formation_portal.relay.worker import drain
from tests.journeys.actors.generic_client import GenericClient
from tests.journeys.browser import TabBrowser
from tests.journeys.conftest import OpenTab, new_user
from tests.journeys.end_to_end.expected_record import expected_record
from tests.journeys.end_to_end.service_record import differences, read_service_record
from tests.journeys.page import Page
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

with_and_without_script = pytest.mark.parametrize(
    "has_script",
    [pytest.param(True, id="with-script"), pytest.param(False, id="without-script")],
)


def _schema(slug: str) -> Any:
    return next(item["schema"] for item in service().catalog().items or [] if item["product"]["slug"] == slug)


def _start(generic_client: GenericClient, slug: str) -> tuple[Page, str]:
    """From the catalog to the overview; gives it with the application's reference."""
    catalog = generic_client.browser.get("/")
    product = next(address for _, address in catalog.links() if address.endswith(f"/{slug}/"))
    overview = generic_client.start(generic_client.browser.get(product))
    return overview, overview.address.split("/")[-2]


@with_and_without_script
@pytest.mark.long
@pytest.mark.parametrize("slug", ["caymans-foundation-company", "delaware-llc", "gmbh-zug", "panama-foundation"])
def test_it_is_formed_in_chromium(slug: str, has_script: bool, open_tab: OpenTab) -> None:
    generic_client = GenericClient(open_tab(new_user(), has_script=has_script))
    overview, reference = _start(generic_client, slug)

    status = generic_client.submit(overview)
    drain()

    schema = _schema(slug)
    found = read_service_record(reference, schema)
    assert differences(expected_record(generic_client, schema), found) == []
    assert found.status == "submitted_for_review"
    assert reference in status.words


@with_and_without_script
@pytest.mark.long
def test_a_bvi_company_with_two_shareholders_and_one_class_is_held_as_typed(
    has_script: bool, open_tab: OpenTab
) -> None:
    tab = open_tab(new_user(), has_script=has_script)
    generic_client = GenericClient(tab)
    overview, reference = _start(generic_client, "bvi-limited-company")

    for _ in range(2):
        _add_shareholder(generic_client, tab, overview)
    status = generic_client.submit(overview)
    drain()

    schema = _schema("bvi-limited-company")
    expected, found = expected_record(generic_client, schema), read_service_record(reference, schema)
    assert differences(expected, found) == []
    shareholders = [name for name, party in found.parties.items() if "shareholder" in party.roles]
    assert len(shareholders) == 2
    assert len(found.classes) == 1
    assert sorted(holder for holder, _ in found.holdings) == sorted(shareholders)
    assert reference in status.words


def _add_shareholder(generic_client: GenericClient, tab: TabBrowser, overview: Page) -> None:
    """By the links of the page of people, as somebody would who wants two before anything asks for them."""
    people = tab.get(next(address for _, address in overview.links() if address.endswith("/people/")))
    generic_client.add(people, people.by_heading("Shareholders"), choice="person")
