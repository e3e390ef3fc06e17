"""Every product of the catalog, from catalog to submitted, by a client that knows none; the service then holds it."""

from typing import Any

import pytest

from formation_portal.gateway.configuration import service
from formation_portal.relay.worker import drain
from tests.embedded_catalog import catalog_items
from tests.journeys.actors.generic_client import GenericClient
from tests.journeys.clients import InProcessBrowser
from tests.journeys.end_to_end.expected_record import expected_record
from tests.journeys.end_to_end.service_record import differences, read_service_record

pytestmark = pytest.mark.django_db(databases=["default", "service"])

SLUGS = [item["product"]["slug"] for item in catalog_items()]

# A foundation in every run, as a company's forms are sent by test_every_post_twice.py; all in `make test-long`.
SHORT = "ch-foundation"
TRIED = [slug if slug == SHORT else pytest.param(slug, marks=pytest.mark.long) for slug in SLUGS]


@pytest.mark.parametrize("slug", TRIED)
def test_every_product_is_submitted_by_a_generic_client_and_held_as_typed(slug: str, browser: InProcessBrowser) -> None:
    generic_client = GenericClient(browser, is_thorough=True)
    catalog = browser.get("/")
    product = browser.get(next(address for _, address in catalog.links() if address.endswith(f"/{slug}/")))

    overview = generic_client.start(product)
    reference = overview.address.split("/")[-2]
    status = generic_client.submit(overview)
    drain()

    schema = _schema(slug)
    found = read_service_record(reference, schema)
    assert differences(expected_record(generic_client, schema), found) == []
    assert found.status == "submitted_for_review"
    assert "Submitted" in status.words


def test_every_product_is_in_the_catalog(browser: InProcessBrowser) -> None:
    offered = [address for _, address in browser.get("/").links() if "/products/" in address]
    assert sorted(offered) == sorted(f"/products/{slug}/" for slug in SLUGS)
    assert len(offered) == 32


def _schema(slug: str) -> Any:
    items = service().catalog().items or []
    return next(item["schema"] for item in items if item["product"]["slug"] == slug)
