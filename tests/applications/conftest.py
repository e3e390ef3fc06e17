"""A customer with a draft of the small product."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application

from . import factories


@pytest.fixture(autouse=True)
def _uploads_go_nowhere_else(settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path / "documents"


@pytest.fixture
def owner(db: None) -> Any:
    return get_user_model().objects.create_user("owner@example.com")


@pytest.fixture
def other_customer(db: None) -> Any:
    return get_user_model().objects.create_user("stranger@example.com")


@pytest.fixture
def application(owner: Any) -> Application:
    return services.start(owner=owner, product=factories.product())


@pytest.fixture
def draft(application: Application) -> Draft:
    return open_draft(application)


@pytest.fixture
def complete(draft: Draft, owner: Any) -> Draft:
    """A draft that needs nothing more."""
    factories.fill_in(draft, by=owner)
    return draft
