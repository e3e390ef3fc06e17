"""Status changes by agents, for the tests of how they reach the service."""

from typing import Any

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.relay.models import Delivery
from formation_portal.relay.worker import drain
from formation_portal.service.models import Entity
from tests.relay.flaky_transport import FlakyTransport

STATUS, SUBMIT, READ = "POST entities/status", "POST entities/submit", "GET entities"
RETURNED = ["begin_review", "return"]


def advance(draft: Draft, *transitions: str, by: Any, note: str = "") -> None:
    for transition in transitions:
        services.advance(draft, transition, by=by, note=note)


def status_there() -> str:
    """Where the entity stands at the service."""
    return Entity.objects.get().status


def sent_statuses(transport: FlakyTransport) -> list[str]:
    return [body["status"] for body in transport.bodies(STATUS)]


def status_row(status: str) -> Delivery:
    found = [one for one in Delivery.objects.filter(kind="status") if status in str([one.wanted, one.sent])]
    return found[-1]


def drain_until_still() -> None:
    """Until nothing moves any more, whatever time it takes in life."""
    for _ in range(8):
        drain()
