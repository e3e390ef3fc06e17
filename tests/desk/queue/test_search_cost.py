"""What the queue asks of the database doesn't grow with the cases: counted in steps of SQLite's machine, not timed."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction
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
_FEW, _MANY = 150, 900
# What it takes to look through as many cases as are looked through for a page, at most.
_STEPS_A_LOOK = 800


def steps(client: Client, query: str) -> int:
    """The steps that a page takes, to ten of them."""
    query = searched(client, query)
    return _steps(lambda: client.get(f"/desk/{query}").status_code == 200)


def steps_of_everything(client: Client, owner: Any, agent: Any) -> dict[str, int]:
    """Of each page, of the next case where none fits, and of what is to confirm where almost all is one's own."""
    counted = {name: steps(client, query) for name, query in desk.QUESTIONS.items()}
    shown = searched(client, "?q=given3+given4")
    counted["next"] = _steps(lambda: client.post("/desk/next-case/", {"shown": shown})["Location"] == f"/desk/{shown}")
    with transaction.atomic():
        at = F("submitted_at")
        Case.objects.update(open_since=at, waiting_since=at, confirm_since=at, proposed_by=agent.pk)
        Case.objects.filter(pk=Case.objects.latest("submitted_at").pk).update(proposed_by=owner.pk)
        counted["confirm one's own"] = steps(client, "?view=confirm")
        transaction.set_rollback(True)
    return counted


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


def test_six_times_the_cases_take_no_more_steps(
    owner: Any, agent: Any, as_agent: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As few and many of thousands, with what is common and how far it is looked in the same proportion.
    monkeypatch.setattr(search, "_MAX_SORTED", 20)
    monkeypatch.setattr(search, "_MAX_SCANNED", 60)
    desk.create_filter_offers()
    desk.fill(owner, _FEW)
    few = steps_of_everything(as_agent, owner, agent)
    desk.fill(owner, _MANY - _FEW)
    many = steps_of_everything(as_agent, owner, agent)
    grown = {name: (few[name], count) for name, count in many.items() if count > 1.5 * few[name] + _STEPS_A_LOOK}
    assert grown == {}
