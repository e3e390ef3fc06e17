"""The model's sums, and a simulation that agrees with what can be worked out by hand."""

import pytest

from .model import APPLICATIONS_A_DAY, DAY_SECONDS, Application, Machines, Prices, cost_per_thousand, utilisation
from .portal import Used
from .simulation import THINK_SECONDS, arrivals, simulate

ONE = Application(
    Used(web=2, relay=1, database=0.5, calls=40, files=10, file_bytes=2e6, database_bytes=1e6, emails=3, entries=30),
    requests=50,
    sandbox=0.5,
)


def test_cost_is_what_was_used_at_the_prices_given() -> None:
    prices = Prices(
        core_hour=3.6,
        database_gb_month=1,
        bucket_gb_month=1,
        thousand_puts=0.1,
        thousand_emails=2,
        months=2,
    )
    assert cost_per_thousand(ONE, prices) == pytest.approx({"processor": 4, "database": 2, "bucket": 5, "emails": 6})


def test_the_fullest_part_comes_first_and_all_grow_with_the_load() -> None:
    machines = Machines(calls_per_second=10, web_cores=1)
    once, ten_times = utilisation(ONE, machines, 1), utilisation(ONE, machines, 10)
    assert next(iter(once)) == "relay: RELAY_CALLS_PER_SECOND"
    assert once["relay: RELAY_CALLS_PER_SECOND"] == pytest.approx(4 * APPLICATIONS_A_DAY / DAY_SECONDS)
    assert once["web: processor"] == pytest.approx(2.5 * APPLICATIONS_A_DAY / DAY_SECONDS)
    assert ten_times == pytest.approx({name: 10 * share for name, share in once.items()})


def test_one_alone_waits_for_nobody() -> None:
    found = simulate(ONE, [0.0], calls_per_second=1000, seed=1)
    service = ONE.used.web + ONE.sandbox + 50 * ONE.used.database / 90
    assert found.journey_seconds == pytest.approx(50 * THINK_SECONDS + service, rel=0.3)
    assert (found.applications, found.requests, found.calls) == (1, 50, 40)
    assert found.web_seconds == pytest.approx(2)
    assert found.relay_seconds == pytest.approx(1)


def test_who_comes_faster_than_can_be_served_waits() -> None:
    at_once = simulate(ONE, [0.0] * 40, calls_per_second=1000, seed=1)
    assert at_once.journey_seconds > 2 * simulate(ONE, [0.0], calls_per_second=1000, seed=1).journey_seconds
    assert at_once.seconds >= 40 * (ONE.used.web + ONE.sandbox)


def test_calls_keep_to_their_rate() -> None:
    found = simulate(ONE, [0.0] * 5, calls_per_second=2, seed=1)
    assert found.calls / found.seconds <= 2
    assert found.seconds >= 200 / 2


def test_arrivals_are_as_many_as_their_rate_says_and_at_any_moment() -> None:
    moments = arrivals(2.0, 1000, seed=3)
    assert len(moments) == 2000
    assert moments == sorted(moments)
    assert len([one for one in moments if one < 500]) == pytest.approx(1000, rel=0.1)
