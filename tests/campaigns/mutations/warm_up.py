"""The first test of a process that forks: it has the databases made, and starts no process or thread."""

import pytest


@pytest.mark.django_db
def test_the_databases_are_there() -> None:
    pass
