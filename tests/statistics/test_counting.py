"""The totals say at any time what the history does, whatever happens in whatever order."""

import random
import time
from collections import Counter
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from formation_portal.applications import services
from formation_portal.applications.models import Application
from formation_portal.statistics.dimensions import BUCKET_BOUNDS, PERIODS, bucket_of
from formation_portal.statistics.figures import Table
from formation_portal.statistics.totals import Totals, quantile
from tests import factories
from tests.statistics.random_histories import Clock, begin, do, run_history
from tests.statistics.recount import counted, fresh_totals, recounted

pytestmark = pytest.mark.django_db(databases=["default", "service"])

REVIEWED = ("submit", "begin_review", "return", "submit", "begin_review", "approve", "record_incorporation")


@pytest.mark.parametrize("seed", [1, 2, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(3, 60))])
def test_they_are_what_the_history_says(seed: int, owner: Any, clock: Clock, settings: Any) -> None:
    settings.TIME_ZONE = ("UTC", "Asia/Tokyo", "America/Los_Angeles")[seed % 3]
    applications = [begin(owner, product=f"product-{number % 2}") for number in range(5)]
    run_history(random.Random(seed), applications, clock=clock, by=owner, transitions=60)
    assert counted("week") == recounted("week")
    assert counted("month") == recounted("month")
    assert counted()["closings"]


def test_a_case_is_with_us_then_with_its_customer_then_with_the_registry(owner: Any, clock: Clock) -> None:
    case = begin(owner)
    for transition in REVIEWED:
        clock.move(hours=10)
        do(case, transition, by=owner)
    assert counted()["closings"] == {
        ("one",): {
            "cases_with_us": 1,
            "seconds_with_us": 4 * 36_000,
            "cases_with_customer": 1,
            "seconds_with_customer": 36_000,
            "cases_with_registry": 1,
            "seconds_with_registry": 36_000,
        }
    }
    assert "open" not in counted()
    [product] = fresh_totals().closings()
    assert product[1:3] == ("Example company", "British Virgin Islands")


def test_a_clock_that_was_put_back_makes_no_time_negative(owner: Any, clock: Clock) -> None:
    case = begin(owner)
    do(case, "submit", by=owner)
    clock.move(days=-3)
    do(case, "withdraw", by=owner)
    assert counted()["closings"] == {("one",): {"cases_with_us": 1}}
    assert counted("week") == recounted("week")


def test_days_are_those_of_the_settings_time_zone(owner: Any, clock: Clock, settings: Any) -> None:
    settings.TIME_ZONE = "Asia/Tokyo"
    do(begin(owner), "submit", by=owner)
    assert counted()["open"] == {("2025-12-29",): {"with_us": 1}}
    assert counted("week")["transitions"].keys() == {("2025-12-29",)}
    settings.TIME_ZONE = "UTC"
    assert counted()["open"] == {("2025-12-28",): {"with_us": 1}}
    assert counted("week")["transitions"].keys() == {("2025-12-22",)}


def test_a_deleted_draft_is_counted_nowhere(owner: Any, clock: Clock) -> None:
    do(begin(owner), "withdraw", by=owner)
    assert counted() == {}


def test_a_case_that_closed_before_the_period_is_left_out(owner: Any, clock: Clock) -> None:
    case = begin(owner)
    for transition in ("submit", "withdraw"):
        do(case, transition, by=owner)
    clock.move(days=40)
    do(begin(owner), "submit", by=owner)
    clock.move(days=40)
    weeks, _, months = map(fresh_totals, range(3))
    assert (weeks.closings(), weeks.rows(Table.TRANSITIONS)) == ([], {})
    assert [sum(sides.values()) for sides in weeks.rows(Table.OPEN).values()] == [1]
    assert [cases for cases, *_ in months.closings()] == [1]


def test_totals_are_counted_again_after_five_minutes(owner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, today = time.time(), timezone.localdate()

    def submitted_after(seconds: int) -> int:
        clock = SimpleNamespace(time=lambda: begun + seconds)
        for module in ("base", "locmem"):
            monkeypatch.setattr(f"django.core.cache.backends.{module}.time", clock)
        return sum(columns["submitted"] for columns in Totals.get(PERIODS[0], today).rows(Table.TRANSITIONS).values())

    assert submitted_after(0) == 0
    do(begin(owner), "submit", by=owner)
    assert [submitted_after(seconds) for seconds in (299, 301)] == [0, 1]


def closed(owner: Any, product: str, name: str) -> Application:
    """A withdrawn case of a product, which had a name by then."""
    called = factories.ITEM["product"] | {"name": name}
    item = factories.product(jurisdiction_product_id=product, product=called)
    application = services.start(owner=owner, product=item)
    for transition in ("submit", "withdraw"):
        do(application, transition, by=owner)
    return application


def test_the_product_with_most_cases_comes_first_and_then_the_alphabet(owner: Any) -> None:
    for product, name in (("b", "Branch"), ("t", "Trust"), ("t", "Trust"), ("a", "Association")):
        closed(owner, product, name)
    assert [row[:2] for row in fresh_totals().closings()] == [(2, "Trust"), (1, "Association"), (1, "Branch")]


def test_a_product_has_the_name_of_its_newest_application_whichever_was_changed_last(owner: Any) -> None:
    older = closed(owner, "t", "Trust")
    closed(owner, "t", "Purpose trust")
    for changed in (timezone.now() + timedelta(hours=1), timezone.now() - timedelta(hours=1)):
        Application.objects.filter(pk=older.pk).update(updated_at=changed)
        assert [name for _, name, *_ in fresh_totals().closings()] == ["Purpose trust"]


@given(st.lists(st.integers(0, BUCKET_BOUNDS[-1] - 1), min_size=1), st.sampled_from([0.25, 0.5, 0.75]))
def test_a_quantile_is_at_most_a_quarter_off(durations: list[int], part: float) -> None:
    counts = Counter(map(bucket_of, durations))
    index = max(0, -int(-part * len(durations) // 1) - 1)
    exact = sorted(durations)[index]
    assert exact / 1.26 - BUCKET_BOUNDS[0] <= quantile(counts, part) <= max(exact * 1.26, BUCKET_BOUNDS[0])


def test_what_is_longer_than_all_bounds_is_counted_too() -> None:
    assert quantile({bucket_of(10**12): 1}, 0.5) == BUCKET_BOUNDS[-1]
