"""Every test of the desk uses both databases, and files go into folders of its own."""

import pytest


def pytest_itemcollected(item: pytest.Item) -> None:
    if item.get_closest_marker("django_db") is None:
        item.add_marker(pytest.mark.django_db(databases=["default", "service"]))


@pytest.fixture(autouse=True)
def _files_go_nowhere_else(own_folders: None) -> None:
    """For every test here."""
