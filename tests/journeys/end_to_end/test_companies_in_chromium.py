"""A company is formed in Chromium with and without script; then the service holds what was typed."""

import pytest

from formation_portal.relay.worker import drain
from tests.journeys.actors.generic_client import GenericClient
from tests.journeys.conftest import OpenTab, new_user
from tests.journeys.end_to_end.service_record import assert_held_as_typed


@pytest.mark.long
@pytest.mark.parametrize("has_script", [True, False], ids=["with-script", "without-script"])
@pytest.mark.parametrize("slug", ["bvi-limited-company", "caymans-foundation-company", "gmbh-zug"])
def test_a_company_is_formed_in_chromium_and_held_as_typed(slug: str, has_script: bool, open_tab: OpenTab) -> None:
    client = GenericClient(open_tab(new_user(), has_script=has_script))
    overview = client.start(client.browser.get(f"/products/{slug}/"))
    reference = overview.address.split("/")[-2]
    status = client.submit(overview)
    drain()
    assert_held_as_typed(client, slug, reference)
    assert reference in status.words
