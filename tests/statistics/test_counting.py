"""The totals say at any time what the history does, whatever happens in whatever order."""

import importlib
import random
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest
from django.apps import apps
from django.db import transaction

from formation_portal.applications.models import Application
from formation_portal.statistics import models
from formation_portal.statistics.models import CaseClock, Form
from tests.statistics.random_histories import Clock, begin, do, run_history
from tests.statistics.recount import counted, recounted

pytestmark = pytest.mark.django_db(databases=["default", "service"])

REVIEWED = ("submit", "begin_review", "return", "submit", "begin_review", "approve", "record_incorporation")


def run_histories(seed: int, owner: Any, clock: Clock, *, transitions: int) -> None:
    applications = [begin(owner, product=f"product-{number % 2}") for number in range(5)]
    run_history(random.Random(seed), applications, clock=clock, by=owner, transitions=transitions)


@pytest.mark.parametrize("seed", [1, 2, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(3, 60))])
def test_they_are_what_the_history_says(seed: int, owner: Any, clock: Clock, settings: Any) -> None:
    settings.TIME_ZONE = ("UTC", "Asia/Tokyo", "America/Los_Angeles")[seed % 3]
    run_histories(seed, owner, clock, transitions=60)
    assert counted() == recounted()
    assert counted()["closings"]


def test_a_case_is_with_us_then_with_its_customer_then_with_the_registry(owner: Any, clock: Clock) -> None:
    case = begin(owner)
    for transition in REVIEWED:
        clock.move(hours=10)
        do(case, transition, by=owner)
    spent = CaseClock.objects.get(pk=case.pk)
    assert (spent.with_us, spent.with_customer, spent.with_registry) == (4 * 36_000, 36_000, 36_000)
    assert (spent.side, spent.since) == ("", None)
    assert Form.objects.values_list("name", "place").get() == ("Example company", "British Virgin Islands")


def test_where_it_never_was_is_not_known_as_no_time(owner: Any, clock: Clock) -> None:
    case = begin(owner)
    for transition in ("submit", "begin_review", "decline"):
        do(case, transition, by=owner)
    spent = CaseClock.objects.get(pk=case.pk)
    assert (spent.with_us, spent.with_customer, spent.with_registry) == (0, None, None)


def test_a_clock_that_was_put_back_makes_no_time_negative(owner: Any, clock: Clock) -> None:
    case = begin(owner)
    do(case, "submit", by=owner)
    clock.move(days=-3)
    do(case, "withdraw", by=owner)
    assert CaseClock.objects.get(pk=case.pk).with_us == 0
    assert counted() == recounted()
    assert counted()["open"] == {}


def test_days_are_those_of_the_settings_time_zone(owner: Any, clock: Clock, settings: Any) -> None:
    settings.TIME_ZONE = "Asia/Tokyo"
    do(begin(owner), "submit", by=owner)
    assert counted()["open"] == {(date(2025, 12, 29),): {"with_us": 1}}
    assert counted()["deeds"].keys() == {("week", date(2025, 12, 29)), ("month", date(2025, 12, 1))}
    settings.TIME_ZONE = "UTC"
    do(begin(owner), "submit", by=owner)
    do(Application.objects.earliest("pk"), "begin_review", by=owner)
    do(Application.objects.earliest("pk"), "return", by=owner)
    assert counted()["open"] == {(date(2025, 12, 28),): {"with_us": 1, "with_customer": 1}}


def test_a_deleted_draft_is_counted_nowhere(owner: Any, clock: Clock) -> None:
    do(begin(owner), "withdraw", by=owner)
    assert not any(counted().values())


def test_a_transition_that_fails_counts_nothing(owner: Any, clock: Clock) -> None:
    case = begin(owner)
    with transaction.atomic():
        do(case, "submit", by=owner)
        transaction.set_rollback(True)
    assert not any(counted().values())
    assert not CaseClock.objects.exists()


def test_what_had_happened_before_is_counted_from_the_history(owner: Any, clock: Clock) -> None:
    run_histories(7, owner, clock, transitions=60)
    begin(owner)
    stood, clocks = counted(), list(rows(CaseClock))
    for name in ("CaseClock", "OpenDay", "TransitionTotal", "DurationTotal", "ClosingTotal", "Form"):
        getattr(models, name).objects.all().delete()
    importlib.import_module("formation_portal.statistics.migrations.0002_what_had_happened").count_what_had_happened(
        apps, None
    )
    assert counted() == stood
    assert list(rows(CaseClock)) == clocks
    assert Form.objects.values_list("name", "place").first() == ("Example company", "British Virgin Islands")


def rows(model: Any) -> Iterator[tuple[Any, ...]]:
    yield from model.objects.order_by("pk").values_list()
