"""An application of the small product (tests/applications/made.py), and the whole catalog where a test asks for it."""

from pathlib import Path
from typing import Any

import pytest

from formation_portal.applications import saving
from formation_portal.applications.drafts import Draft, open_draft
from formation_portal.applications.models import Application
from tests.applications import made
from tests.journeys.conftest import shelf

__all__ = ["shelf"]


@pytest.fixture(autouse=True)
def _uploads_go_nowhere_else(settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path / "documents"
    settings.RELAY_WAIT_MS = 0


@pytest.fixture
def application(owner: Any) -> Application:
    """A new draft of the owner's."""
    return saving.start(owner=owner, product=made.product())


@pytest.fixture
def draft(application: Application) -> Draft:
    """The same, opened."""
    return open_draft(application)


@pytest.fixture
def complete(draft: Draft, owner: Any) -> Draft:
    """A draft that needs nothing more."""
    made.fill_in(draft, by=owner)
    return draft


@pytest.fixture
def submitted(complete: Draft, owner: Any) -> Draft:
    """A draft that was handed in for review."""
    saving.submit(complete, by=owner, declaration="I declare it.")
    return complete
