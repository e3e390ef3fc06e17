"""A complete application of the small product, and the embedded service that gets it."""

from pathlib import Path
from typing import Any

import pytest

from tests.relay.conftest import _files_go_nowhere_else, draft, transport
from tests.relay.flaky_transport import FlakyTransport

__all__ = ["_files_go_nowhere_else", "draft", "transport"]


@pytest.fixture(autouse=True)
def _anchor_is_its_own(settings: Any, tmp_path: Path) -> None:
    """What is erased is looked for in the audit log, whose anchor others have written to."""
    settings.AUDIT_ANCHOR = tmp_path / "anchor"


@pytest.fixture(autouse=True)
def _service_is_there(transport: FlakyTransport) -> None:
    """For every test here: what is erased is erased there, too."""
