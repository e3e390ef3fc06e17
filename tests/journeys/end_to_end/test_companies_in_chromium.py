"""A company is formed in Chromium with and without script; then the service holds what was typed."""

from typing import Any

import pytest

from formation_portal.gateway.configuration import service
from formation_portal.relay.worker import drain
from tests.journeys.actors.generic_client import GenericClient
from tests.journeys.conftest import OpenTab, new_user
from tests.journeys.end_to_end.expected_record import expected_record
from tests.journeys.end_to_end.service_record import differences, read_service_record
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.long, pytest.mark.browser, needed("Chromium", has_chromium())]


def schema_of(slug: str) -> Any:
    return next(item["schema"] for item in service().catalog().items or [] if item["product"]["slug"] == slug)


@pytest.mark.parametrize("has_script", [True, False], ids=["with-script", "without-script"])
@pytest.mark.parametrize("slug", ["bvi-limited-company", "caymans-foundation-company", "gmbh-zug"])
def test_it_is_formed_in_chromium(slug: str, has_script: bool, open_tab: OpenTab) -> None:
    generic_client = GenericClient(open_tab(new_user(), has_script=has_script))
    overview = generic_client.start(generic_client.browser.get(f"/products/{slug}/"))
    reference = overview.address.split("/")[-2]

    status = generic_client.submit(overview)
    drain()

    schema = schema_of(slug)
    found = read_service_record(reference, schema)
    assert differences(expected_record(generic_client, schema), found) == []
    assert found.status == "submitted_for_review"
    assert reference in status.words
