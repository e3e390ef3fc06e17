"""The portal at a service of another make: it knows the documented calls alone, and serves forms that nobody here wrote."""

from typing import Any

import pytest
from django.test import Client

from formation_portal import relay
from tests.journeys.clients import InProcessBrowser
from tests.journeys.conftest import new_user
from tests.journeys.held import differences
from tests.journeys.held_elsewhere import held_elsewhere
from tests.journeys.stranger import Stranger
from tests.journeys.typed import said
from tests.other_service import OtherService
from tests.other_service.fixtures import at_other_service, other_service
from tests.other_service.schemas import DEEP, FAULTY, USABLE

__all__ = ["at_other_service", "other_service"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])

SLUGS = [item["product"]["slug"] for item in USABLE]


@pytest.fixture
def browser(at_other_service: OtherService, settings: Any) -> InProcessBrowser:
    """A customer's browser without script."""
    settings.RELAY_WAIT_MS = 0
    client = Client()
    client.force_login(new_user())
    return InProcessBrowser(client)


class Agreeable(Stranger):
    def _fitting(self, control):
        if [o.label for o in control.options] == ["Yes", "No"]:
            return control.options[0].value
        return super()._fitting(control)

@pytest.mark.parametrize("slug", SLUGS)
def test_every_usable_product(slug: str, browser: InProcessBrowser, at_other_service: OtherService) -> None:
    stranger = Agreeable(browser, is_thorough=True)
    overview = stranger.start(browser.get(f"/products/{slug}/"))
    if slug == "deep":
        links = [a for t, a in overview.links() if "/sections/" in a]
        links = list(dict.fromkeys(a.partition("#")[0] for a in links))
        print(links)
        for _ in range(DEEP):
            for link in links:
                stranger.work_on(browser.get(link))
    status = stranger.submit(overview)
    relay.drain()
    item = next(item for item in USABLE if item["product"]["slug"] == slug)
    found = held_elsewhere(at_other_service.only_entity())
    diff = differences(said(stranger, item["schema"]), found)
    print(status.words)
    print(browser.get(status.address).words)
    assert diff == []
    print(overview.words)
