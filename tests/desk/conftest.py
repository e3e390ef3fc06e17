"""Files go into folders of each test's own."""

import pytest


@pytest.fixture(autouse=True)
def _files_go_nowhere_else(own_folders: None) -> None:
    """For every test here."""
