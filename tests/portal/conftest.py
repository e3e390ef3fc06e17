"""An application of the small product (tests/applications/factories.py), and the whole catalog on request."""

from pathlib import Path
from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from tests.applications import factories
from tests.journeys.conftest import full_catalog

__all__ = ["full_catalog"]


@pytest.fixture(autouse=True)
def _uploads_go_nowhere_else(settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path / "documents"
    settings.RELAY_WAIT_MS = 0


@pytest.fixture
def application(owner: Any) -> Application:
    """A new draft of the owner's."""
    return services.start(owner=owner, product=factories.product())


@pytest.fixture
def draft(application: Application) -> Draft:
    """The same, opened."""
    return open_draft(application)


@pytest.fixture
def complete(draft: Draft, owner: Any) -> Draft:
    """A draft that needs nothing more."""
    factories.fill_in(draft, by=owner)
    return draft


@pytest.fixture
def submitted(complete: Draft, owner: Any) -> Draft:
    """A draft that was handed in for review."""
    services.submit(complete, by=owner, declaration="I declare it.")
    return complete
