"""What agents do with an application, for the tests of how the service is told."""

from typing import Any

import pytest

from formation_portal.applications import saving
from formation_portal.applications.drafts import Draft
from formation_portal.relay.capabilities import EMBEDDED, Capabilities
from formation_portal.relay.models import Delivery
from formation_portal.relay.profile import remember
from formation_portal.relay.worker import drain
from formation_portal.service.models import Entity

from .weather import Weather

STATUS, SUBMIT, READ = "POST entities/status", "POST entities/submit", "GET entities"
ROUND = ["begin_review", "return"]


@pytest.fixture
def submitted(complete: Draft, weather: Weather, owner: Any) -> Draft:
    """Submitted, and received whole."""
    saving.submit(complete, by=owner)
    drain()
    weather.clear()
    return complete


def advance(draft: Draft, *deeds: str, by: Any, note: str = "") -> None:
    for deed in deeds:
        saving.advance(draft, deed, by=by, note=note)


def there() -> str:
    """Where the entity stands at the service."""
    return Entity.objects.get().status


def told(weather: Weather) -> list[str]:
    return [body["status"] for body in weather.bodies(STATUS)]


@pytest.fixture
def without_keys(settings: Any, weather: Weather) -> Weather:
    """A service that does again what comes again, and whose records can be read."""
    remember(capabilities=Capabilities(lists=EMBEDDED.lists, merges_csp_data=True), can_edit=True)
    weather.forgets_keys = True
    return weather


def status_row(status: str) -> Delivery:
    found = [one for one in Delivery.objects.filter(kind="status") if status in str([one.wanted, one.sent])]
    return found[-1]


def drained() -> None:
    """Until nothing moves any more, whatever time it takes in life."""
    for _ in range(8):
        drain()
