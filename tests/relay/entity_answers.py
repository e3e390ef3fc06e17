"""What the service says of an entity, for the tests of its own decisions and of payment."""

from pathlib import Path
from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.relay.models import EntityReading
from formation_portal.relay.worker import drain
from tests.relay.conftest import row
from tests.relay.flaky_transport import FlakyTransport, answers


@pytest.fixture(autouse=True)
def _anchor_of_its_own(settings: Any, tmp_path: Path) -> None:
    """What other tests have committed is in another anchor."""
    settings.AUDIT_ANCHOR = tmp_path / "anchor"


READ, SUBMIT = "GET entities", "POST entities/submit"


def shows(transport: FlakyTransport, status: str, **members: Any) -> None:
    """From now on the service's record of the only entity shows this."""
    transport.clear()
    record = {"id": row("entity").remote_id, "status": status, **members}
    transport.fail_on(READ, answers(200, {"data": record}))


def lets_time_pass() -> None:
    """Every reading is due by now."""
    EntityReading.objects.update(next_at="2026-01-01T00:00:00Z")


def approve(draft: Draft, agent: Any) -> None:
    """Our review has approved it, and the service knows."""
    for transition in ("begin_review", "approve"):
        services.advance(draft, transition, by=agent)
    drain()
