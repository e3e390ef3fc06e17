"""Files go into folders of each test's own; the whole catalog on request."""

import pytest

from tests.journeys.conftest import full_catalog

__all__ = ["full_catalog"]


@pytest.fixture(autouse=True)
def _files_go_nowhere_else(own_folders: None) -> None:
    """For every test here."""
