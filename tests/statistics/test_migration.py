"""The migration from stored totals: what history and queries no longer tell is carried into one row, nothing twice."""

from datetime import date
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from formation_portal.statistics.models import ErasedFigures
from tests.statistics.random_histories import Clock, begin, do
from tests.statistics.recount import counted

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "service"])

BEFORE = ("figures", "0002_what_had_happened")
DECEMBER, JANUARY = date(2025, 12, 1), date(2026, 1, 1)
# The second one has days of both months.
WEEK, NEXT_WEEK = date(2025, 12, 22), date(2025, 12, 29)


def migrate_back() -> Any:
    MigrationExecutor(connection).migrate([BEFORE])
    return MigrationExecutor(connection).loader.project_state([BEFORE]).apps


def migrate_to_latest() -> None:
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def create_totals(apps: Any, name: str, rows: dict[tuple[str, date], dict[str, int]], **key: Any) -> None:
    for (span, start), columns in rows.items():
        apps.get_model("figures", name).objects.create(span=span, start=start, **key, **columns)


def test_totals_of_what_was_erased_are_kept_and_those_of_the_history_are_not_kept_twice(
    owner: Any, clock: Clock
) -> None:
    case = begin(owner, product="live")
    for transition in ("submit", "withdraw"):
        do(case, transition, by=owner)
    try:
        apps = migrate_back()
        # One of these is the live case's; three of the same week were erased, and two of the next week.
        create_totals(
            apps,
            "TransitionTotal",
            {
                ("week", WEEK): {"submitted": 4, "withdrawn": 1},
                ("week", NEXT_WEEK): {"submitted": 2, "incorporated": 1},
                ("month", DECEMBER): {"submitted": 5, "withdrawn": 1},
                ("month", JANUARY): {"submitted": 1, "incorporated": 1},
            },
        )
        create_totals(
            apps, "DurationTotal", {("week", WEEK): {"with_us": 1}, ("month", DECEMBER): {"with_us": 1}}, bucket=0
        )
        create_totals(
            apps,
            "DurationTotal",
            {
                ("week", NEXT_WEEK): {"with_us": 2, "with_registry": 1},
                ("month", JANUARY): {"with_us": 2, "with_registry": 1},
            },
            bucket=7,
        )
        live, gone = (
            apps.get_model("figures", "Form").objects.create(product_id=name, name=name.title(), place="Example")
            for name in ("live", "gone")
        )
        closing = {"cases_with_us": 1}
        create_totals(apps, "ClosingTotal", {("week", WEEK): closing, ("month", DECEMBER): closing}, form=live)
        closing = {"cases_with_us": 2, "seconds_with_us": 4_321, "cases_with_registry": 1, "seconds_with_registry": 77}
        create_totals(apps, "ClosingTotal", {("week", NEXT_WEEK): closing, ("month", JANUARY): closing}, form=gone)
        returned = {"returns": 2, "remarks": 3}
        create_totals(
            apps, "ReasonTotal", {("week", NEXT_WEEK): returned, ("month", DECEMBER): returned}, reason="unclear"
        )
        question = apps.get_model("figures", "Question").objects.create(
            digest="1f", form=gone, kind="field", words="Date of birth"
        )
        create_totals(
            apps, "QuestionTotal", {("week", NEXT_WEEK): returned, ("month", DECEMBER): returned}, question=question
        )
    finally:
        migrate_to_latest()
    expected = {
        "durations": {("0",): {"with_us": 1}, ("7",): {"with_us": 2, "with_registry": 1}},
        "closings": {
            ("live",): {"cases_with_us": 1},
            ("gone",): closing,
        },
        "reasons": {("unclear",): {"returns": 2, "queries": 3}},
        "questions": {("1f", "gone", "field", "Date of birth"): {"returns": 2, "queries": 3}},
    }
    assert counted("week") == expected | {
        "transitions": {
            ("2025-12-22",): {"submitted": 4, "withdrawn": 1},
            ("2025-12-29",): {"submitted": 2, "incorporated": 1},
        }
    }
    assert counted("month") == expected | {
        "transitions": {
            ("2025-12-01",): {"submitted": 5, "withdrawn": 1},
            ("2026-01-01",): {"submitted": 1, "incorporated": 1},
        }
    }
    kept = ErasedFigures.objects.get()
    assert (kept.application, kept.last_day) == (None, JANUARY)


def test_nothing_is_kept_where_the_history_tells_everything(owner: Any, clock: Clock) -> None:
    do(begin(owner), "submit", by=owner)
    try:
        apps = migrate_back()
        create_totals(
            apps, "TransitionTotal", {("week", WEEK): {"submitted": 1}, ("month", DECEMBER): {"submitted": 1}}
        )
    finally:
        migrate_to_latest()
    assert not ErasedFigures.objects.exists()
