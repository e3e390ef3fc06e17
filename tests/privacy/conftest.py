"""A complete application of the small product, and the embedded service that gets it."""

from pathlib import Path
from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from tests.relay.conftest import _files_go_nowhere_else, complete, draft, transport
from tests.relay.flaky_transport import FlakyTransport
from tests.reviews.conftest import colleague

__all__ = ["_files_go_nowhere_else", "colleague", "complete", "draft", "submitted", "transport"]


@pytest.fixture(autouse=True)
def _anchor_is_its_own(settings: Any, tmp_path: Path) -> None:
    """What is erased is looked for in the audit log, whose anchor others have written to."""
    settings.AUDIT_ANCHOR = tmp_path / "anchor"


@pytest.fixture(autouse=True)
def _service_is_there(transport: FlakyTransport) -> None:
    """For every test here: what is erased is erased there, too."""


@pytest.fixture
def submitted(complete: Draft, owner: Any) -> Draft:
    """Handed in for review."""
    services.submit(complete, by=owner, declaration="I declare it.")
    return complete
