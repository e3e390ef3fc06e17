"""Five companies and foundations, formed in Chromium with and without script; then the service holds what was typed."""

from typing import Any

import pytest

from formation_portal import relay
from formation_portal.gateway.configuration import service
from tests.journeys.actors.generic_client import Stranger
from tests.journeys.browser import TabBrowser
from tests.journeys.conftest import OpenTab, new_user
from tests.journeys.end_to_end.expected_record import said
from tests.journeys.end_to_end.service_record import differences, held
from tests.journeys.page import Page
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

with_and_without_script = pytest.mark.parametrize(
    "has_script",
    [pytest.param(True, id="with-script"), pytest.param(False, id="without-script")],
)


def _schema(slug: str) -> Any:
    return next(item["schema"] for item in service().catalog().items or [] if item["product"]["slug"] == slug)


def _start(stranger: Stranger, slug: str) -> tuple[Page, str]:
    """From the catalog to the overview; gives it with the application's reference."""
    catalog = stranger.browser.get("/")
    product = next(address for _, address in catalog.links() if address.endswith(f"/{slug}/"))
    overview = stranger.start(stranger.browser.get(product))
    return overview, overview.address.split("/")[-2]


@with_and_without_script
@pytest.mark.long
@pytest.mark.parametrize("slug", ["caymans-foundation-company", "delaware-llc", "gmbh-zug", "panama-foundation"])
def test_it_is_formed_in_chromium(slug: str, has_script: bool, open_tab: OpenTab) -> None:
    stranger = Stranger(open_tab(new_user(), has_script=has_script))
    overview, reference = _start(stranger, slug)

    status = stranger.submit(overview)
    relay.drain()

    schema = _schema(slug)
    found = held(reference, schema)
    assert differences(said(stranger, schema), found) == []
    assert found.status == "submitted_for_review"
    assert reference in status.words


@with_and_without_script
@pytest.mark.long
def test_a_bvi_company_with_two_shareholders_and_one_class_is_held_as_typed(
    has_script: bool, open_tab: OpenTab
) -> None:
    tab = open_tab(new_user(), has_script=has_script)
    stranger = Stranger(tab)
    overview, reference = _start(stranger, "bvi-limited-company")

    for _ in range(2):
        _add_shareholder(stranger, tab, overview)
    status = stranger.submit(overview)
    relay.drain()

    schema = _schema("bvi-limited-company")
    told, found = said(stranger, schema), held(reference, schema)
    assert differences(told, found) == []
    shareholders = [name for name, party in found.parties.items() if "shareholder" in party.roles]
    assert len(shareholders) == 2
    assert len(found.classes) == 1
    assert sorted(holder for holder, _ in found.holdings) == sorted(shareholders)
    assert reference in status.words


def _add_shareholder(stranger: Stranger, tab: TabBrowser, overview: Page) -> None:
    """By the links of the page of people, as somebody would who wants two before anything asks for them."""
    people = tab.get(next(address for _, address in overview.links() if address.endswith("/people/")))
    stranger.add(people, people.by_heading("Shareholders"), choice="person")
