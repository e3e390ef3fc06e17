from pathlib import Path

import pytest
from django.test import override_settings

from formation_portal.service.auth import portal_key
from formation_portal.service.rate_limit import WINDOW, Counter
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


@pytest.mark.django_db(databases=["service"])
@override_settings(SERVICE_RATE_LIMIT=1)
def test_the_portals_own_key_is_not_limited(loaded: None) -> None:
    portal = Caller(portal_key())
    answers = [portal.get("/entities") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert "RateLimit" not in answers[0]


def test_a_new_minute_begins_anew(tmp_path: Path) -> None:
    counter = Counter(tmp_path / "counted")
    assert counter.count(1, limit=1, now=100.0)[0]
    allowed, allowance = counter.count(1, limit=1, now=130.5)
    assert not allowed
    assert allowance.reset == 30
    assert counter.count(1, limit=1, now=100.0 + WINDOW)[0]
    assert counter.count(2, limit=1, now=130.5)[0]


def test_all_processes_count_together(tmp_path: Path) -> None:
    """Each process has a counter of its own, and all of them one file."""
    counters = [Counter(tmp_path / "counted") for _ in range(3)]
    counts = [counters[number % 3].count(7, limit=4, now=100.0) for number in range(6)]
    assert [allowed for allowed, _ in counts] == [True, True, True, True, False, False]
    assert [allowance.remaining for _, allowance in counts] == [3, 2, 1, 0, 0, 0]
    assert counters[0].count(6, limit=1, now=100.0)[0], "another key has a minute of its own"
