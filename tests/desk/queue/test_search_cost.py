"""What the queue asks of the database doesn't grow with the cases: counted in steps of SQLite's machine, not timed."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from django.test import Client

from formation_portal.desk.models import Case
from formation_portal.desk.queue import search
from tests.campaigns.bench import desk
from tests.desk.factories import searched

pytestmark = [
    pytest.mark.django_db(databases=["default", "service"]),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="not run: only SQLite counts its steps"),
]
_FEW, _MANY = 150, 1_500
# What it takes to look through as many cases as are looked through for a page, at most.
_STEPS_A_LOOK = 800


@pytest.fixture
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """As few and many of thousands, with what is common and how far it is looked in the same proportion."""
    monkeypatch.setattr(search, "_MAX_SORTED", 20)
    monkeypatch.setattr(search, "_MAX_SCANNED", 60)


def steps(client: Client, query: str) -> int:
    """The steps that a page takes, to ten of them."""
    query = searched(client, query)
    return _steps(lambda: client.get(f"/desk/{query}").status_code == 200)


def next_steps(client: Client) -> int:
    """Those of the next case where two things that many cases have fit none: to be told so."""
    shown = searched(client, "?q=given3+given4")
    return _steps(lambda: client.post("/desk/next-case/", {"shown": shown})["Location"] == f"/desk/{shown}")


def _steps(action: Callable[[], bool]) -> int:
    counted = [0]

    def count() -> None:
        counted[0] += 1

    connection.connection.set_progress_handler(count, 10)
    try:
        assert action()
    finally:
        connection.connection.set_progress_handler(None, 0)
    return counted[0]


@pytest.mark.usefixtures("_small")
def test_ten_times_the_cases_take_no_more_steps(owner: Any, as_agent: Client) -> None:
    desk.create_filter_offers()
    desk.fill(owner, _FEW)
    few = _all_steps(as_agent)
    desk.fill(owner, _MANY - _FEW)
    many = _all_steps(as_agent)
    assert_not_grown(few, many)


@pytest.mark.usefixtures("_small")
def test_what_one_has_proposed_oneself_is_passed_over_at_no_more_cost(owner: Any, agent: Any, as_agent: Client) -> None:
    few, many = ({"confirm": _own_first(owner, agent, as_agent, count)} for count in (_FEW, _MANY))
    assert_not_grown(few, many)


def _own_first(owner: Any, agent: Any, as_agent: Client, count: int) -> int:
    """The steps of the view where all that waits is one's own, but for the newest case."""
    desk.fill(owner, count - Case.objects.count())
    at = F("submitted_at")
    Case.objects.update(open_since=at, waiting_since=at, confirm_since=at, proposed_by=agent.pk)
    Case.objects.filter(pk=Case.objects.latest("submitted_at").pk).update(proposed_by=owner.pk)
    return steps(as_agent, "?view=confirm")


def _all_steps(client: Client) -> dict[str, int]:
    return {name: steps(client, query) for name, query in desk.QUESTIONS.items()} | {"next": next_steps(client)}


def assert_not_grown(few: dict[str, int], many: dict[str, int]) -> None:
    grown = {name: (few[name], found) for name, found in many.items() if found > 1.5 * few[name] + _STEPS_A_LOOK}
    assert grown == {}
