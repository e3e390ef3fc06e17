"""What the queue asks of the database doesn't grow with the cases: counted in steps of SQLite's machine, not timed."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client

from formation_portal.desk import queue_search
from tests.bench import desk

pytestmark = [
    pytest.mark.django_db(databases=["default", "service"]),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="not run: only SQLite counts its steps"),
]
_FEW, _MANY = 150, 1_500
# What it takes to look through as many cases as are looked through for a page, at most.
_A_LOOK = 800


@pytest.fixture
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """As few and many of thousands, with what is common and how far it is looked in the same proportion."""
    monkeypatch.setattr(queue_search, "_RARE", 20)
    monkeypatch.setattr(queue_search, "_LOOKED_THROUGH", 60)


def steps(client: Client, query: str) -> int:
    """The steps that a page takes, to ten of them."""
    counted = [0]

    def count() -> None:
        counted[0] += 1

    connection.connection.set_progress_handler(count, 10)
    try:
        assert client.get(f"/desk/{query}").status_code == 200
    finally:
        connection.connection.set_progress_handler(None, 0)
    return counted[0]


@pytest.mark.usefixtures("_small")
def test_ten_times_the_cases_take_no_more_steps(owner: Any, as_agent: Client) -> None:
    desk.offer_all()
    desk.fill(owner, _FEW)
    few = {name: steps(as_agent, query) for name, query in desk.QUESTIONS.items()}
    desk.fill(owner, _MANY - _FEW)
    many = {name: steps(as_agent, query) for name, query in desk.QUESTIONS.items()}
    grown = {name: (few[name], found) for name, found in many.items() if found > 1.5 * few[name] + _A_LOOK}
    assert grown == {}
