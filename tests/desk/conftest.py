"""A submitted application, on the desk, and a second agent."""

from typing import Any

import pytest
from django.test import Client

from tests.portal.conftest import _uploads_go_nowhere_else, application, complete, draft, submitted
from tests.reviews.conftest import colleague

__all__ = ["_uploads_go_nowhere_else", "application", "colleague", "complete", "draft", "submitted"]


@pytest.fixture
def as_colleague(colleague: Any) -> Client:
    """The second agent's browser."""
    client = Client()
    client.force_login(colleague)
    return client
