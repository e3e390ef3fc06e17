from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connections
from django.db.models import F
from django.test import override_settings

from formation_portal.service.auth import portal_key
from formation_portal.service.models import ApiKey, RequestCount
from formation_portal.service.rate_limit import WINDOW, Counter, count_in_postgresql
from tests.service.caller import Caller, problem


@pytest.mark.django_db(databases=["service"])
@override_settings(SERVICE_RATE_LIMIT=3)
def test_a_key_has_so_many_requests_a_minute(caller: Caller, other_account: Caller) -> None:
    responses = [caller.get("/entities") for _ in range(4)]
    assert [answer["RateLimit-Remaining"] for answer in responses] == ["2", "1", "0", "0"]
    problem(responses[-1], 429, "rate_limited")
    assert 1 <= int(responses[-1]["Retry-After"]) <= WINDOW
    assert responses[0]["RateLimit-Limit"] == "3"
    assert responses[0]["RateLimit-Policy"] == '"minute";q=3;w=60'
    assert responses[0]["RateLimit"].startswith('"minute";r=2;t=')
    assert other_account.get("/entities").status_code == 200
    portal = Caller(portal_key())
    unlimited = [portal.get("/entities") for _ in range(5)]
    assert [answer.status_code for answer in unlimited] == [200] * 5
    assert "RateLimit" not in unlimited[0]


def test_all_processes_count_together_and_a_new_minute_begins_anew(tmp_path: Path, settings: Any) -> None:
    """Each process has a counter of its own, and all of them one file."""
    settings.SERVICE_RATE_FILE = tmp_path / "counted"
    one, other = Counter(), Counter()
    assert one.count(1, now=100.0) == (1, WINDOW)
    assert other.count(1, now=130.5) == (2, 29.5)
    assert one.count(1, now=131.0)[0] == 3
    assert other.count(1, now=100.0 + WINDOW) == (1, WINDOW)
    assert one.count(2, now=130.5) == (1, WINDOW), "another key has a minute of its own"


postgresql_only = pytest.mark.skipif(
    connections["service"].vendor != "postgresql", reason="not run: a file counts beside SQLite"
)


@postgresql_only
@pytest.mark.django_db(databases=["service"], transaction=True)
def test_all_machines_count_together_in_postgresql(caller: Caller) -> None:
    """Each thread has a connection of its own, as each machine has."""
    key = ApiKey.objects.get(account__name="ours")

    def count(_: int) -> list[int]:
        try:
            return [count_in_postgresql(key.pk)[0] for _ in range(50)]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as machines:
        counted = [number for numbers in machines.map(count, range(4)) for number in numbers]
    assert sorted(counted) == list(range(1, 201))
    used, seconds = count_in_postgresql(key.pk)
    assert used == 201
    assert 0 < seconds <= WINDOW
    RequestCount.objects.update(began_at=F("began_at") - timedelta(seconds=WINDOW))
    used, seconds = count_in_postgresql(key.pk)
    assert used == 1
    assert WINDOW - 10 < seconds <= WINDOW
